"""Memory and time of aligning two state dicts from Python, beside the program.

usage: bench/python_align.py [--width N] [--inputs N] [--repeat N]

Makes two models of random numbers, dense layers `inputs` x `width`, `width` x
`width` and `width` x 10, and aligns them

- with the program, on files: time of the process, and its largest resident
  memory less both models (whose files it maps);
- with `pyrebasin`, on arrays in memory: time of the call, time that the library
  reports for it, and how far the largest resident memory rises.

All with one thread.
"""

import argparse
import resource
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

import pyrebasin as rb
from pyrebasin import _program


def model(seed, width, inputs):
    random = np.random.default_rng(seed)
    sizes = {"fc1": (width, inputs), "fc2": (width, width), "fc3": (10, width)}
    arrays = {}
    for name, shape in sizes.items():
        arrays[f"{name}.weight"] = random.standard_normal(shape, np.float32)
        arrays[f"{name}.bias"] = random.standard_normal(shape[0], np.float32)
    return arrays


def peak_memory():
    """Return the largest resident memory since the last reset, in bytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("no VmHWM")


def reset_peak():
    Path("/proc/self/clear_refs").write_text("5")


def by_python(a, b, architecture):
    reset_peak()
    before = peak_memory()
    start = time.perf_counter()
    found = rb.align(a, b, model=architecture, threads=1)
    seconds = time.perf_counter() - start
    return seconds, found.report.seconds, peak_memory() - before


def by_program(paths, architecture):
    start = time.perf_counter()
    command = [_program.path(), "match", *paths, "--model", architecture]
    subprocess.run([*command, "--threads", "1", "--quiet"], check=True)
    seconds = time.perf_counter() - start
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, usage.ru_maxrss * 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--width", type=int, default=2048)
    parser.add_argument("--inputs", type=int, default=120_000)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    architecture = (
        f"mlp:depth=2,width={options.width},in={options.inputs},out=10,names=fc"
    )
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{name}.safetensors" for name in "ab"]
        for seed, path in enumerate(paths):
            rb.open(model(seed, options.width, options.inputs)).save(path)
        size = sum(path.stat().st_size for path in paths)
        runs = [by_program(paths, architecture) for _ in range(options.repeat)]
        print(
            f"program: {min(seconds for seconds, _ in runs):.2f} s, "
            f"{(max(peak for _, peak in runs) - size) / 1e6:.0f} MB beside "
            f"the models of {size / 1e6:.0f} MB"
        )
    a, b = (model(seed, options.width, options.inputs) for seed in range(2))
    runs = [by_python(a, b, architecture) for _ in range(options.repeat)]
    seconds, reported, _ = min(runs)
    print(
        f"python: {seconds:.2f} s, of which the library reports {reported:.2f} s; "
        f"{max(peak for _, _, peak in runs) / 1e6:.0f} MB beside the models"
    )


if __name__ == "__main__":
    main()
