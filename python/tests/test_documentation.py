"""Docstrings, examples and the lines of the documentation run as they are."""

import doctest
import importlib
import pkgutil
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pyrebasin as rb

ROOT = Path(__file__).parents[2]
EXAMPLES = ("merge_mlps", "merge_resnets", "federated")


def names_of_modules():
    names = [module.name for module in pkgutil.iter_modules(rb.__path__)]
    return ["__init__", *(name for name in names if not name.startswith("_core"))]


@pytest.fixture
def in_copy(play, tmp_path, monkeypatch):
    """Work in a folder with the models of `rebasin demo`."""
    for name in ("a", "b"):
        shutil.copy(play / f"{name}.safetensors", tmp_path)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", names_of_modules())
def test_the_examples_of_docstrings_are_true(name, in_copy):
    if name == "flower":
        pytest.importorskip("flwr")
    full = "pyrebasin" if name == "__init__" else f"pyrebasin.{name}"
    module = importlib.import_module(full)
    failed, _ = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert failed == 0


def test_everything_public_has_an_example_or_is_a_plain_type():
    for name in rb.__all__:
        thing = getattr(rb, name)
        if callable(thing) and not isinstance(thing, type):
            assert thing.__doc__, name
            assert "Parameters" in thing.__doc__ or "Returns" in thing.__doc__, name


@pytest.mark.skipif(not (ROOT / "docs").exists(), reason="only in the repository")
def test_the_lines_of_the_documentation_are_true(in_copy):
    text = (ROOT / "docs" / "python.md").read_text()
    blocks = re.findall(r"^    >>> .*?(?=^\S|\Z)", text, re.M | re.S)
    assert blocks
    code = re.sub(r"^    ", "", "\n".join(blocks), flags=re.M)
    test = doctest.DocTestParser().get_doctest(code, {}, "python.md", None, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    runner.run(test)
    assert runner.summarize().failed == 0


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_merge_better_than_the_plain_average(name):
    pytest.importorskip("torch")
    if name == "merge_resnets":
        pytest.importorskip("torchvision")
    folder = ROOT / "examples"
    done = subprocess.run(
        [sys.executable, f"{name}.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = dict(
        line.rsplit(": ", 1) for line in done.stdout.splitlines() if ": " in line
    )
    percent = {key: float(text.split()[0]) for key, text in lines.items()}
    worse, better = {
        "merge_mlps": ("plain average", "aligned"),
        "merge_resnets": ("merged", "with its own statistics"),
        "federated": ("plain, round 1", "aligned, round 1"),
    }[name]
    assert percent[better] > percent[worse] + 20
