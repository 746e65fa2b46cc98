#!/usr/bin/python3
"""The assignment solver against SciPy's, on the same arrays in one run.

Usage: /usr/bin/python3 bench/assignment_peer.py PROGRAM [--quick]
           [--sizes 512,1024] [--cells uniform,integer] [--json FILE]

PROGRAM is the built bench/assignment_bench. Each matrix is written once as raw
float32 and read by PROGRAM; SciPy gets it as the float64 array that it would
otherwise have to make itself. Both sides run on one thread and report their
best repetition; neither time includes reading or converting the input.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np  # noqa: E402  (after the thread limits)
from scipy.optimize import linear_sum_assignment  # noqa: E402


def normal(rng, *shape):
    return rng.standard_normal(shape, dtype=np.float32)


def gram(rng, n, k):
    return normal(rng, n, k) @ normal(rng, n, k).T


def low_rank(rng, n):
    return gram(rng, n, 32) + 0.01 * normal(rng, n, n)


def decaying(rng, n):
    scales = (1.0 / np.arange(1, n + 1)).astype(np.float32)
    return (normal(rng, n, n) * scales) @ normal(rng, n, n).T


def planted(rng, n, noise):
    a = normal(rng, n, n)
    b = (a + noise * normal(rng, n, n))[rng.permutation(n)]
    return a @ b.T


def relu_units(rng, n, samples):
    """Activations of two nets that see the same inputs: correlated units."""
    hidden = normal(rng, 64, samples)
    scale = np.exp(normal(rng, n, 1))
    mixed = normal(rng, n, 64) @ hidden / 8 + 0.5 * normal(rng, n, samples)
    return np.maximum(scale * mixed, 0)


def relu(rng, n):
    seed = rng.integers(1 << 30)
    x = relu_units(np.random.default_rng(seed), n, 1024)
    noise = normal(rng, n, 1024)
    y = np.maximum(x + 0.5 * x.std() * noise, 0)[rng.permutation(n)]
    return x @ y.T


def relu_independent(rng, n):
    return relu_units(rng, n, 1024) @ relu_units(rng, n, 1024).T


def correlation(rng, n):
    """Centred correlations, a tenth of the units dead, a tenth duplicated."""
    x = relu_units(rng, n, 1024)
    y = relu_units(rng, n, 1024)
    for units in (x, y):
        order = rng.permutation(n)
        tenth = n // 10
        units[order[:tenth]] = 0
        units[order[tenth:2 * tenth]] = units[order[2 * tenth:3 * tenth]]
        units -= units.mean(axis=1, keepdims=True)
        norm = np.linalg.norm(units, axis=1, keepdims=True)
        units /= np.where(norm > 0, norm, 1)
    return x @ y.T


def outer(rng, n):
    return np.outer(normal(rng, n), normal(rng, n))


def integers(rng, n):
    return rng.integers(0, 10, (n, n)).astype(np.float32)


# name: (maximise, generator)
CELLS = {
    "uniform": (False, lambda r, n: r.random((n, n), dtype=np.float32)),
    "gram k=n": (True, lambda r, n: gram(r, n, n)),
    "gram k=4n": (True, lambda r, n: gram(r, n, 4 * n)),
    "rank 32+noise": (True, low_rank),
    "decaying": (True, decaying),
    "planted 0.5": (True, lambda r, n: planted(r, n, 0.5)),
    "planted 1": (True, lambda r, n: planted(r, n, 1)),
    "planted 2": (True, lambda r, n: planted(r, n, 2)),
    "planted 5": (True, lambda r, n: planted(r, n, 5)),
    "relu": (True, relu),
    "relu indep.": (True, relu_independent),
    "corr dead+dup": (True, correlation),
    "outer": (True, outer),
    "outer min": (False, outer),
    "outer |r||s|": (True, lambda r, n: np.abs(outer(r, n))),
    "integer 0..9": (False, integers),
    "constant": (False, lambda r, n: np.full((n, n), 3, np.float32)),
}


def generate(name, n):
    rng = np.random.default_rng([n, list(CELLS).index(name)])
    matrix = CELLS[name][1](rng, n)
    return np.ascontiguousarray(matrix, dtype=np.float32)


def time_scipy(matrix, maximize):
    wide = matrix.astype(np.float64)
    best, spent = math.inf, 0.0
    while best == math.inf or (spent < 1.0 and spent + best < 2.0):
        start = time.process_time()
        rows, columns = linear_sum_assignment(wide, maximize=maximize)
        seconds = time.process_time() - start
        best, spent = min(best, seconds), spent + seconds
    return best, float(wide[rows, columns].sum())


def time_ours(program, path, n, maximize, perturbed):
    command = [program, "--file", path, "--n", str(n)]
    command += ["--maximize"] if maximize else []
    command += ["--next", perturbed] if perturbed else []
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def perturb(matrix, n):
    """A later sweep of the same matching: every cost moves a little."""
    rng = np.random.default_rng(n)
    noise = rng.standard_normal((n, n), dtype=np.float32)
    return matrix + np.float32(0.001 * matrix.std()) * noise


def measure(program, folder, name, n):
    maximize = CELLS[name][0]
    matrix = generate(name, n)
    path, later = os.path.join(folder, "a"), os.path.join(folder, "b")
    matrix.tofile(path)
    perturb(matrix, n).tofile(later)
    ours = time_ours(program, path, n, maximize, later)
    peer_seconds, peer_value = time_scipy(matrix, maximize)
    tolerance = 1e-12 * n * max(1e-30, float(np.abs(matrix).max()))
    return {
        "cell": name, "n": n, "scipy": peer_seconds, "ours": ours["seconds"],
        "ratio": peer_seconds / ours["seconds"],
        "equal": abs(ours["value"] - peer_value) <= tolerance,
        "gap": ours["gap"], "warm": ours["next_cold"] / ours["next_warm"],
        "proved": abs(ours["gap"]) <= tolerance,
    }


def geometric_mean(values):
    return math.exp(sum(math.log(v) for v in values) / len(values))


def show(row):
    print(f"{row['cell']:<14} {row['n']:>5} {row['scipy']:>10.5f} "
          f"{row['ours']:>10.5f} {row['ratio']:>8.1f} "
          f"{'yes' if row['equal'] else 'NO':>5} {row['gap']:>9.1e} "
          f"{row['warm']:>6.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--quick", action="store_true", help="n up to 1024")
    parser.add_argument("--sizes", default="512,1024,2048,4096")
    parser.add_argument("--cells", default=",".join(CELLS))
    parser.add_argument("--json", help="also write the rows here")
    options = parser.parse_args()
    sizes = [int(n) for n in options.sizes.split(",")]
    sizes = [n for n in sizes if n <= 1024 or not options.quick]
    shared = "/dev/shm" if os.path.isdir("/dev/shm") else None
    rows = []
    print(f"{'cell':<14} {'n':>5} {'scipy s':>10} {'ours s':>10} {'ratio':>8} "
          f"{'equal':>5} {'gap':>9} {'warm x':>6}")
    with tempfile.TemporaryDirectory(dir=shared) as folder:
        for n in sizes:
            for name in options.cells.split(","):
                rows.append(measure(options.program, folder, name, n))
                show(rows[-1])
    ratios = [row["ratio"] for row in rows]
    print(f"geometric mean {geometric_mean(ratios):.1f}, worst "
          f"{min(ratios):.1f}; warm start "
          f"{geometric_mean([row['warm'] for row in rows]):.2f}")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as out:
            json.dump(rows, out, indent=1)
    return 0 if all(row["equal"] and row["proved"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
