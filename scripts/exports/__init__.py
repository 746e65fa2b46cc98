"""Small models of many kinds, and how they become ONNX files.

Each module holds the models of one kind and a table MODELS of them;
catalog.py joins the tables. scripts/export-models is the command.
"""
