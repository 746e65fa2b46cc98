#!/usr/bin/python3
"""Weight matching against NumPy + SciPy, on the same files, in one run.

usage: match.py [--program build/bench/rebasin] [--out FOLDER] [--quick]
                [--only NAME]... [--parts peer,threads,growth] [--skip-peer]

Parts:
  peer     each network with independent and with planted weights, one thread:
           the peer (bench/match_peer.py) and ours (bench/match_bench.cc) in
           turn
  threads  ResNet20 x16 and x32: two threads against one
  growth   MLPs, width 256 to 4096 and depth 2 to 32: CSV and PNG

Seconds are those of the call that matches, on both sides alike: models and spec
are opened before the clock starts, the call is repeated in one process (short
runs for two seconds, long ones once), and the fastest repeat counts. `process`
is one whole run of `rebasin match`, start-up, reading and output included.

The peer's times are kept in FOLDER/peer.json; --skip-peer takes them from there
(marked *), since the peer needs more than ten minutes for ResNet20 x32.
"""

import argparse
import csv
import json
import math
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from models import write_pair
from process import Run, best_openblas_kernel, run

BENCH = Path(__file__).resolve().parent
PEER = BENCH / "match_peer.py"
NETWORKS = ["mlp-3x512", "vgg16", "resnet50", "resnet20-x1", "resnet20-x4",
            "resnet20-x16", "resnet20-x32"]
QUICK_NETWORKS = ["mlp-3x512", "vgg16", "resnet20-x1", "resnet20-x4"]
KINDS = ["gaussian", "planted"]
THREADED = ["resnet20-x16", "resnet20-x32"]


@dataclass
class Ours:
    report: dict  # of match_bench
    process: Run

    @property
    def seconds(self) -> float:
        return self.report["seconds"]

    @property
    def gflops(self) -> float:
        """Of the matrix products alone; 0 if there were none."""
        seconds = self.report["gemm_seconds"]
        return self.report["gemm_flops"] / seconds / 1e9 if seconds else 0


def bench_program(program: Path, name: str) -> Path | None:
    """A program built from bench/, beside `program` or where the preset is."""
    folders = [program.parent / "bench", BENCH.parent / "build/bench/bench"]
    return next((folder / name for folder in folders
                 if (folder / name).exists()), None)


def match_ours(program: Path, folder: Path, threads: int = 1) -> Ours:
    result = run([bench_program(program, "match_bench"), folder,
                  "--threads", threads])
    return Ours(json.loads(result.output), result)


def match_process(program: Path, folder: Path) -> Run:
    """The whole program once, as a user would run it."""
    return run([program, "match", folder / "a.safetensors",
                folder / "b.safetensors", "--spec", folder / "spec.json",
                "-o", folder / "b.align.json", "--force", "--json",
                "--threads", 1])


def match_peer(folder: Path) -> dict:
    result = run([sys.executable, PEER, folder, "--json"], sample=False)
    return {**json.loads(result.output), "peak_rss": result.peak_rss}


class PeerCache:
    """The peer's reports by network and kind, kept between runs."""

    def __init__(self, path: Path, reuse: bool):
        self.path, self.reuse = path, reuse
        self.reports = json.loads(path.read_text()) if path.exists() else {}

    def get(self, network: str, kind: str, folder: Path) -> tuple[dict, bool]:
        key = f"{network} {kind}"
        if self.reuse and key in self.reports:
            return self.reports[key], True
        self.reports[key] = match_peer(folder)
        self.path.write_text(json.dumps(self.reports, indent=1))
        return self.reports[key], False


class Models:
    """A pair of models on disk for as long as the `with` lasts."""

    def __init__(self, network: str, kind: str, parent: Path):
        self.network, self.kind, self.parent = network, kind, parent

    def __enter__(self) -> Path:
        self.folder = Path(tempfile.mkdtemp(prefix="models-", dir=self.parent))
        write_pair(self.network, self.folder, self.kind, noise=1.0)
        return self.folder

    def __exit__(self, *_) -> None:
        shutil.rmtree(self.folder)


def gemm_peak(program: Path) -> dict[int, float]:
    """GFLOP/s by number of threads, the best over the sizes measured."""
    bench = bench_program(program, "gemm_bench")
    if bench is None:
        print("no gemm_bench: the share of the SGEMM peak is not known")
        return {}
    report = json.loads(run([bench, "--benchmark_format=json",
                             "--benchmark_filter=(OneDnn|Ours)/2048/1/"]).output)
    peak: dict[int, float] = {}
    for entry in report["benchmarks"]:
        threads = int(entry["threads_used"])
        gflops = entry["FLOPS"] / 1e9
        peak[threads] = max(peak.get(threads, 0), gflops)
    return peak


# ---- output ------------------------------------------------------------------


def print_row(cells: list[str], widths: list[int]) -> None:
    padded = [f"{cell:<{width}}" if index < 2 else f"{cell:>{width}}"
              for index, (cell, width) in enumerate(zip(cells, widths))]
    print("| " + " | ".join(padded) + " |", flush=True)


class Table:
    """A Markdown table that appears row by row."""

    def __init__(self, heads: list[str]):
        self.widths = [max(len(head), 12 if index == 0 else 8)
                       for index, head in enumerate(heads)]
        print()
        print_row(heads, self.widths)
        print_row(["-" * width for width in self.widths], self.widths)

    def add(self, *cells) -> None:
        print_row([str(cell) for cell in cells], self.widths)


def seconds_text(seconds: float) -> str:
    return f"{seconds:.3g}" if seconds < 100 else f"{seconds:.0f}"


def megabytes(size: int) -> str:
    return f"{size / 1e6:.0f}"


def share_of(peak: dict[int, float], threads: int, gflops: float) -> str:
    if not peak.get(threads) or not gflops:
        return "-"
    return f"{100 * gflops / peak[threads]:.0f} %"


# ---- parts -------------------------------------------------------------------


def compare(network: str, kind: str, options: argparse.Namespace,
            cache: PeerCache) -> dict:
    with Models(network, kind, options.out) as folder:
        process = match_process(options.program, folder)
        ours = match_ours(options.program, folder)
        peer, cached = cache.get(network, kind, folder)
    return {"network": network, "kind": kind, "peer": peer, "cached": cached,
            "ours": ours.report, "seconds": ours.seconds,
            "process_seconds": process.seconds,
            "peak_rss": process.peak_rss,
            "peak_anonymous": process.peak_anonymous,
            "gflops": ours.gflops, "ratio": peer["seconds"] / ours.seconds}


def print_comparison(table: Table, row: dict, peak: dict[int, float]) -> None:
    peer, ours = row["peer"], row["ours"]
    star = "*" if row["cached"] else ""
    table.add(row["network"], row["kind"],
              seconds_text(peer["seconds"]) + star,
              seconds_text(row["seconds"]),
              seconds_text(row["process_seconds"]), f"{row['ratio']:.1f}x",
              f"{peer['objective_after']:.6g}",
              f"{ours.get('objective_after', math.nan):.6g}",
              peer["passes"], ours.get("passes", "-"),
              megabytes(row["peak_rss"]), megabytes(row["peak_anonymous"]),
              share_of(peak, 1, row["gflops"]))


def peer_part(networks: list[str], options: argparse.Namespace,
              peak: dict[int, float]) -> list[dict]:
    cache = PeerCache(options.out / "peer.json", options.skip_peer)
    table = Table(["network", "weights", "peer s", "ours s", "process", "ratio",
                   "peer objective", "our objective", "peer passes", "passes",
                   "RSS MB", "anon MB", "of peak"])
    rows = []
    for network in networks:
        for kind in KINDS:
            rows.append(compare(network, kind, options, cache))
            print_comparison(table, rows[-1], peak)
    print_verdict(rows)
    return rows


def print_verdict(rows: list[dict]) -> None:
    ratios = [row["ratio"] for row in rows]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    # Equal up to the rounding of float32 products counts as equal.
    worse = [f"{row['network']} {row['kind']}" for row in rows
             if row["ours"].get("objective_after", -math.inf)
             < row["peer"]["objective_after"] * (1 - 1e-6)]
    print(f"\ngeometric mean {mean:.1f}x, lowest {min(ratios):.1f}x; "
          f"objective below the peer's: {', '.join(worse) or 'none'}")
    peer = rows[-1]["peer"]
    print(f"peer: {peer['blas']}, {peer['gemm_gflops']:.0f} GFLOP/s")


def threads_part(networks: list[str], options: argparse.Namespace,
                 peak: dict[int, float]) -> list[dict]:
    table = Table(["network", "weights", "1 thread", "2 threads", "speedup",
                   "same", "of peak 1", "of peak 2", "anon MB"])
    rows = []
    for network in networks:
        for kind in KINDS:
            with Models(network, kind, options.out) as folder:
                one, two = (match_ours(options.program, folder, threads)
                            for threads in (1, 2))
            same = one.report.get("objective_after") == \
                two.report.get("objective_after")
            table.add(network, kind, seconds_text(one.seconds),
                      seconds_text(two.seconds),
                      f"{one.seconds / two.seconds:.2f}x",
                      "yes" if same else "NO",
                      share_of(peak, 1, one.gflops),
                      share_of(peak, 2, two.gflops),
                      megabytes(two.process.peak_anonymous))
            rows.append({"network": network, "kind": kind,
                         "one": one.seconds, "two": two.seconds, "same": same})
    return rows


def growth_sizes(quick: bool) -> list[tuple[str, int, int]]:
    """What grows, depth, width."""
    widths = [256, 512, 1024] if quick else [256, 512, 1024, 2048, 4096]
    depths = [2, 4, 8] if quick else [2, 4, 8, 16, 32]
    return [("width", 3, width) for width in widths] + \
        [("depth", depth, 512) for depth in depths]


def measure_growth(options: argparse.Namespace, peak: dict[int, float],
                   series: str, depth: int, width: int, kind: str) -> dict:
    with Models(f"mlp-{depth}x{width}", kind, options.out) as folder:
        ours = match_ours(options.program, folder)
    flops = ours.report.get("gemm_flops", 0)
    bound = flops / (peak[1] * 1e9) if peak.get(1) else math.nan
    return {"series": series, "depth": depth, "width": width, "weights": kind,
            "seconds": ours.seconds,
            "gemm_seconds": ours.report.get("gemm_seconds", 0),
            "gemm_flops": flops, "gemm_bound_seconds": bound,
            "passes": ours.report.get("passes", 0),
            "peak_anonymous": ours.process.peak_anonymous}


def growth_part(options: argparse.Namespace,
                peak: dict[int, float]) -> list[dict]:
    table = Table(["growing", "weights", "depth", "width", "seconds",
                   "in gemm", "gemm bound", "passes", "anon MB"])
    rows = []
    for series, depth, width in growth_sizes(options.quick):
        for kind in KINDS:
            row = measure_growth(options, peak, series, depth, width, kind)
            rows.append(row)
            table.add(series, kind, depth, width, seconds_text(row["seconds"]),
                      seconds_text(row["gemm_seconds"]),
                      seconds_text(row["gemm_bound_seconds"]), row["passes"],
                      megabytes(row["peak_anonymous"]))
    for series in ("width", "depth"):
        for kind in KINDS:
            print_exponent(rows, series, kind)
    write_csv(options.out / "growth.csv", rows)
    plot_growth(options.out / "growth.png", rows)
    print(f"written: {options.out}/growth.csv, {options.out}/growth.png")
    return rows


def chosen(rows: list[dict], series: str, kind: str) -> list[dict]:
    return [row for row in rows
            if row["series"] == series and row["weights"] == kind]


def exponent(rows: list[dict], x: str, y: str) -> float:
    """Slope of y over x on logarithmic scales."""
    usable = [row for row in rows if row[y] > 0]
    if len(usable) < 2:
        return math.nan
    return float(np.polyfit(np.log([row[x] for row in usable]),
                            np.log([row[y] for row in usable]), 1)[0])


def print_exponent(rows: list[dict], series: str, kind: str) -> None:
    points = chosen(rows, series, kind)
    print(f"{kind}: seconds ~ {series}^{exponent(points, series, 'seconds'):.2f}"
          f", operations ~ {series}^{exponent(points, series, 'gemm_flops'):.2f}")


def write_csv(path: Path, rows: list[dict]) -> None:
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def plot_growth(path: Path, rows: list[dict]) -> None:
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    figure, panels = pyplot.subplots(1, 2, figsize=(10, 4), sharey=True)
    for panel, series in zip(panels, ("width", "depth")):
        for colour, kind in zip(("tab:blue", "tab:orange"), KINDS):
            plot_series(panel, chosen(rows, series, kind), series, kind, colour)
        panel.set_xlabel(f"{series} of the MLP")
        panel.set_xscale("log", base=2)
        panel.set_yscale("log")
        panel.grid(alpha=0.3)
    panels[0].set_ylabel("seconds, 1 thread")
    panels[0].legend()
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def plot_series(panel, rows: list[dict], series: str, kind: str,
                colour: str) -> None:
    x = [row[series] for row in rows]
    panel.plot(x, [row["seconds"] for row in rows], "o-", color=colour,
               label=f"{kind}: matching")
    panel.plot(x, [row["gemm_bound_seconds"] for row in rows], "--",
               color=colour, label=f"{kind}: its products at SGEMM peak")


# ---- main --------------------------------------------------------------------


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--program", type=Path,
                        default=BENCH.parent / "build" / "bench" / "rebasin")
    parser.add_argument("--out", type=Path,
                        default=BENCH.parent / "build" / "bench-results")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", action="append", metavar="NAME",
                        help="a network; may be given several times")
    parser.add_argument("--parts", default="peer,threads,growth")
    parser.add_argument("--skip-peer", action="store_true")
    options = parser.parse_args()
    if not options.program.exists() or \
            bench_program(options.program, "match_bench") is None:
        parser.error(f"no program {options.program} or no match_bench; build "
                     "the preset bench")
    return options


def print_machine(peak: dict[int, float]) -> None:
    cpu = subprocess.run(["lscpu"], capture_output=True, text=True).stdout
    model = [line.split(":")[1].strip() for line in cpu.splitlines()
             if line.startswith("Model name")]
    print(f"machine: {model[0] if model else 'unknown'}")
    for threads, gflops in sorted(peak.items()):
        print(f"SGEMM peak, {threads} thread(s): {gflops:.0f} GFLOP/s")
    print(f"peer: NumPy + SciPy, OPENBLAS_NUM_THREADS=1, OPENBLAS_CORETYPE="
          f"{best_openblas_kernel() or '(unset)'} (its best kernel here)")


def main() -> None:
    options = parse_arguments()
    options.out.mkdir(parents=True, exist_ok=True)
    parts = options.parts.split(",")
    networks = options.only or (QUICK_NETWORKS if options.quick else NETWORKS)
    peak = gemm_peak(options.program)
    print_machine(peak)
    results: dict = {"gemm_peak_gflops": peak}
    if "peer" in parts:
        results["peer"] = peer_part(networks, options, peak)
    threaded = [name for name in THREADED if name in networks]
    if "threads" in parts and threaded:
        results["threads"] = threads_part(threaded, options, peak)
    if "growth" in parts and not options.only:
        results["growth"] = growth_part(options, peak)
    (options.out / "match.json").write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
