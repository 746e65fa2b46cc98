"""Models that tests share."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

import pyrebasin as rb
from pyrebasin import _program


def run_program(*arguments, code=0):
    """Run the program of the package and return what it prints."""
    done = subprocess.run(
        [_program.path(), *map(os.fspath, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def play(tmp_path_factory):
    """Return a folder with the models of `rebasin demo`."""
    folder = tmp_path_factory.mktemp("play")
    run_program("demo", folder)
    return folder


@pytest.fixture(scope="session")
def arrays(play):
    """Return both models as dicts of writable arrays."""
    return [
        {name: np.array(array) for name, array in rb.open(play / file).items()}
        for file in ("a.safetensors", "b.safetensors")
    ]


@pytest.fixture
def in_play(play, monkeypatch):
    """Work in the folder with the models."""
    monkeypatch.chdir(play)
    return Path(play)
