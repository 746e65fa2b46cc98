#!/usr/bin/python3
"""Merging without alignment against the bare reading and writing of the files.

usage: merge.py [--program build/bench/rebasin] [--out FOLDER] [--gigabytes 2]
                [--runs 3]

Two random models of the given size, in the page cache. The yardstick is reading
both with `cat` to /dev/null and writing one with `cp`; `cp` leaves its data in
the page cache, so the time with a following `sync` is printed too, which is
what `rebasin merge` does before it renames its output.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from models import SafetensorsWriter
from process import Run, run

BENCH = Path(__file__).resolve().parent
TENSOR_SHAPE = (4096, 4096)  # 64 MiB, as in a large language model


def write_models(folder: Path, gigabytes: float, names: list[str]) -> None:
    count = max(1, round(gigabytes * 2**30 / (4 * np.prod(TENSOR_SHAPE))))
    plan = {f"layers.{index:03}.weight": ("F32", TENSOR_SHAPE)
            for index in range(count)}
    rng = np.random.default_rng(0)
    for name in names:
        writer = SafetensorsWriter(folder / f"{name}.safetensors", plan)
        for _ in range(count):
            writer.append(rng.standard_normal(TENSOR_SHAPE, dtype=np.float32))
        writer.close()


def shell(script: str, folder: Path) -> Run:
    return run(["sh", "-ec", f"cd {folder}; {script}"], sample=False)


def yardstick(folder: Path, sync: bool) -> float:
    script = ("cat a.safetensors b.safetensors >/dev/null;"
              "rm -f copy; cp a.safetensors copy")
    if sync:
        script += "; sync copy"
    return shell(script, folder).seconds


def merge(program: Path, folder: Path) -> Run:
    output = folder / "merged.safetensors"
    output.unlink(missing_ok=True)
    return run([program, "merge", folder / "a.safetensors",
                folder / "b.safetensors", "--align", "none", "-o", output,
                "--quiet"])


def settle(folder: Path) -> None:
    """Waits for writes under way: they are not the next one's fault."""
    shell("sync .", folder)
    subprocess.run(["sync"], check=True)


def measure(options: argparse.Namespace, folder: Path) -> dict:
    """The fastest of several rounds in which the three take turns."""
    copied, synced, merged = [], [], []
    for _ in range(options.runs):
        settle(folder)
        copied.append(yardstick(folder, sync=False))
        settle(folder)
        synced.append(yardstick(folder, sync=True))
        settle(folder)
        merged.append(merge(options.program, folder))
    best = min(merged, key=lambda result: result.seconds)
    return {"copy_seconds": min(copied), "synced_copy_seconds": min(synced),
            "merge_seconds": best.seconds,
            "peak_rss": max(result.peak_rss for result in merged),
            "peak_anonymous": max(result.peak_anonymous for result in merged)}


def check_merged(folder: Path) -> None:
    """The output is the mean: checked on the last bytes of the file."""
    tails = [np.fromfile(folder / f"{name}.safetensors", dtype="<f4",
                         offset=path_size(folder, name) - 4096)
             for name in ("a", "b", "merged")]
    assert np.allclose((tails[0] + tails[1]) / 2, tails[2], atol=1e-6)


def path_size(folder: Path, name: str) -> int:
    return (folder / f"{name}.safetensors").stat().st_size


def print_report(report: dict) -> None:
    seconds = report["merge_seconds"]
    print(f"cat both, cp one         {report['copy_seconds']:.2f} s")
    print(f"the same, and sync       {report['synced_copy_seconds']:.2f} s")
    print(f"rebasin merge            {seconds:.2f} s")
    print(f"ratio                    {seconds / report['copy_seconds']:.2f} "
          f"({seconds / report['synced_copy_seconds']:.2f} with sync)")
    print(f"peak RSS                 {report['peak_rss'] / 1e6:.0f} MB")
    print(f"... beyond mapped files  {report['peak_anonymous'] / 1e6:.0f} MB")


def options_of(description: str) -> argparse.Namespace:
    """The command line; the folder for results is there afterwards."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--program", type=Path,
                        default=BENCH.parent / "build" / "bench" / "rebasin")
    parser.add_argument("--out", type=Path,
                        default=BENCH.parent / "build" / "bench-results")
    parser.add_argument("--gigabytes", type=float, default=2)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    if not options.program.exists():
        parser.error(f"no program {options.program}; build the preset bench")
    options.out.mkdir(parents=True, exist_ok=True)
    return options


def main() -> None:
    options = options_of(__doc__)
    folder = Path(tempfile.mkdtemp(prefix="merge-", dir=options.out))
    try:
        write_models(folder, options.gigabytes, ["a", "b"])
        shell("cat a.safetensors b.safetensors >/dev/null", folder)  # warm
        report = measure(options, folder)
        check_merged(folder)
    finally:
        shutil.rmtree(folder)
    print_report(report)
    (options.out / "merge.json").write_text(json.dumps(report, indent=1))


if __name__ == "__main__":
    sys.exit(main())
