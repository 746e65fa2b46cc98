#!/usr/bin/python3
"""The paper's weight matching, straightforward, in NumPy and SciPy.

usage: match_peer.py FOLDER [--seed N] [--threads N] [--json]

FOLDER holds a.safetensors, b.safetensors and spec.json as bench/models.py
writes them. The algorithm is Algorithm 1 of "Git Re-Basin": start at the
identity; in each pass visit the groups in random order, compute the group's
cost from every tensor it touches, solve the assignment; stop after a pass in
which no group improved. This is the peer that the library is measured against.

Models and spec are read once, into memory; then the matching is repeated for
two seconds (short runs at most 50 times, long ones once), and the fastest
counts. bench/match_bench.cc does the same on our side.
"""

import argparse
import ctypes
import json
import os
import re
import sys
import time
from pathlib import Path

from process import best_openblas_kernel


def set_environment(threads: int) -> None:
    """Has to happen before NumPy loads its BLAS."""
    os.environ["OPENBLAS_NUM_THREADS"] = str(threads)
    os.environ["OMP_NUM_THREADS"] = str(threads)
    if kernel := best_openblas_kernel():
        os.environ.setdefault("OPENBLAS_CORETYPE", kernel)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--max-passes", type=int, default=100)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


OPTIONS = parse_arguments() if __name__ == "__main__" else None
set_environment(OPTIONS.threads if OPTIONS else 1)

import numpy as np  # noqa: E402  (after the environment)
from scipy.optimize import linear_sum_assignment  # noqa: E402

from models import read_safetensors  # noqa: E402

REPEAT_SECONDS = 2.0
MOST_REPEATS = 50

Tensors = dict[str, np.ndarray]
Permutations = dict[str, np.ndarray]


class Problem:
    def __init__(self, spec: dict, a: Tensors, b: Tensors):
        self.a, self.b = a, b
        self.sizes: dict[str, int] = spec["groups"]
        skipped = set(spec.get("statistics", []))
        self.axes = {name: axes for name, axes in spec["tensors"].items()
                     if name not in skipped}
        self.occurrences = {
            group: [(name, axis) for name, axes in self.axes.items()
                    for axis, symbol in enumerate(axes) if symbol == group]
            for group in self.sizes}

    def permuted_b(self, name: str, permutations: Permutations,
                   except_axis: int | None = None) -> np.ndarray:
        values = self.b[name]
        for axis, group in enumerate(self.axes[name]):
            if axis != except_axis and group in permutations:
                values = np.take(values, permutations[group], axis=axis)
        return values

    def cost(self, group: str, permutations: Permutations) -> np.ndarray:
        n = self.sizes[group]
        total = np.zeros((n, n), dtype=np.float32)
        for name, axis in self.occurrences[group]:
            b = self.permuted_b(name, permutations, except_axis=axis)
            rows_a = np.moveaxis(self.a[name], axis, 0).reshape(n, -1)
            rows_b = np.moveaxis(b, axis, 0).reshape(n, -1)
            total += rows_a @ rows_b.T
        return total

    def objective(self, permutations: Permutations) -> float:
        return sum(float(np.vdot(self.a[name].astype(np.float64),
                                 self.permuted_b(name, permutations)))
                   for name in self.axes)


def value(cost: np.ndarray, permutation: np.ndarray) -> float:
    chosen = cost[np.arange(len(permutation)), permutation]
    return float(chosen.sum(dtype=np.float64))


def visit(problem: Problem, group: str, permutations: Permutations) -> bool:
    """Solves one group with the others held fixed; did it improve?"""
    cost = problem.cost(group, permutations)
    before = value(cost, permutations[group])
    _, best = linear_sum_assignment(cost, maximize=True)
    permutations[group] = best
    return value(cost, best) > before + 1e-12


def match_weights(problem: Problem, rng: np.random.Generator,
                  max_passes: int = 100) -> tuple[Permutations, int]:
    permutations = {group: np.arange(size)
                    for group, size in problem.sizes.items()}
    groups = list(problem.sizes)
    for passes in range(1, max_passes + 1):
        improved = [visit(problem, groups[index], permutations)
                    for index in rng.permutation(len(groups))]
        if not any(improved):
            break
    return permutations, passes


def load_problem(folder: Path) -> Problem:
    return Problem(json.loads((folder / "spec.json").read_text()),
                   read_safetensors(folder / "a.safetensors"),
                   read_safetensors(folder / "b.safetensors"))


# ---- report ------------------------------------------------------------------


def loaded_blas() -> str:
    """The BLAS in this process and, of OpenBLAS, the kernel it chose."""
    maps = Path("/proc/self/maps").read_text()
    found = re.findall(r"/\S*/lib(?:open)?blas\S*\.so\S*", maps)
    if not found:
        return "unknown"
    name = "/".join(Path(found[0]).parts[-2:])
    try:
        kernel = ctypes.CDLL(found[0]).openblas_get_corename
    except AttributeError:
        return name
    kernel.restype = ctypes.c_char_p
    return f"{name}, {kernel().decode()} kernel"


def gemm_gflops(n: int = 1536) -> float:
    x = np.ones((n, n), dtype=np.float32)
    best = min(timed(lambda: x @ x) for _ in range(3))
    return 2 * n**3 / best / 1e9


def timed(work) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def recovered_share(folder: Path, permutations: Permutations) -> float | None:
    """The share of planted units that were found."""
    path = folder / "truth.json"
    if not path.exists():
        return None
    truth = json.loads(path.read_text())
    right = sum(int((permutations[group] == np.array(units)).sum())
                for group, units in truth.items())
    return right / max(1, sum(map(len, truth.values())))


def fastest_match(problem: Problem) -> tuple[Permutations, int, list[float]]:
    """The result, which is always the same, and the seconds of each repeat."""
    times: list[float] = []
    while len(times) < MOST_REPEATS and sum(times) < REPEAT_SECONDS:
        rng = np.random.default_rng(OPTIONS.seed)
        start = time.perf_counter()
        permutations, passes = match_weights(problem, rng, OPTIONS.max_passes)
        times.append(time.perf_counter() - start)
    return permutations, passes, times


def main() -> None:
    problem = load_problem(OPTIONS.folder)
    identity = {group: np.arange(n) for group, n in problem.sizes.items()}
    permutations, passes, times = fastest_match(problem)
    report = {"seconds": min(times), "first_seconds": times[0],
              "repeats": len(times), "passes": passes,
              "objective_before": problem.objective(identity),
              "objective_after": problem.objective(permutations),
              "recovered": recovered_share(OPTIONS.folder, permutations),
              "blas": loaded_blas(), "gemm_gflops": gemm_gflops()}
    if OPTIONS.json:
        print(json.dumps(report))
        return
    for key, item in report.items():
        print(f"{key}: {item}")


if __name__ == "__main__":
    sys.exit(main())
