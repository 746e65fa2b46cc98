"""Permuted models against what they were permuted from, in ONNX Runtime."""
