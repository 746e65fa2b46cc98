"""The program `rebasin`, which comes along in the wheel."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NoReturn


def path() -> Path:
    """Return the path of the program."""
    return Path(__file__).parent / "bin" / "rebasin"


def main() -> NoReturn:
    """Become the program, with the arguments of this process."""
    os.execv(path(), ["rebasin", *sys.argv[1:]])
