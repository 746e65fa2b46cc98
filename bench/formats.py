#!/usr/bin/python3
"""Opening and converting files against the bare copying of their bytes.

usage: formats.py [--program build/bench/rebasin] [--out FOLDER] [--gigabytes 2]
                  [--runs 3]

`rebasin inspect` of a file of 10,000 tensors, the whole process, which opens
and lists it; then a random model of the given size, in the page
cache: safetensors to .pt and back, beside `cp` of the same bytes. `cp` leaves
its data in the page cache, so the time with a following `sync` is printed too:
`rebasin convert` syncs its output, reads it again and renames it. Shares are of
cp's throughput.
"""

import json
import sys
import tempfile
from pathlib import Path

import numpy as np

from merge import options_of, settle, shell, write_models
from models import SafetensorsWriter
from process import run

TENSORS = 10_000


def write_many_tensors(path: Path) -> None:
    names = [f"model.layers.{index}.self_attn.q_proj.weight"
             for index in range(TENSORS)]
    writer = SafetensorsWriter(path, {name: ("F32", (4, 4)) for name in names})
    for _ in names:
        writer.append(np.zeros((4, 4), dtype=np.float32))
    writer.close()


def time_opening(program: Path, folder: Path, runs: int) -> dict:
    path = folder / "many.safetensors"
    write_many_tensors(path)
    opened = [run([program, "inspect", path], sample=False)
              for _ in range(10 * runs)]
    return {"open_seconds": min(each.seconds for each in opened),
            "open_processor_seconds": min(each.processor for each in opened)}


def convert(program: Path, folder: Path, source: str, target: str) -> float:
    (folder / target).unlink(missing_ok=True)
    return run([program, "convert", folder / source, folder / target,
                "--quiet"], sample=False).seconds


def copy(folder: Path, source: str, then: str) -> float:
    return shell(f"rm -f copy; cp {source} copy{then}", folder).seconds


def measure(program: Path, folder: Path, source: str, target: str,
            runs: int) -> dict:
    """The fastest of several rounds in which the three take turns."""
    copied, synced, converted = [], [], []
    for _ in range(runs):
        settle(folder)
        copied.append(copy(folder, source, ""))
        settle(folder)
        synced.append(copy(folder, source, "; sync copy"))
        (folder / "copy").unlink()
        settle(folder)
        converted.append(convert(program, folder, source, target))
    return {"copy_seconds": min(copied), "synced_copy_seconds": min(synced),
            "convert_seconds": min(converted)}


def print_report(report: dict) -> None:
    print(f"open {TENSORS} tensors   {1000 * report['open_seconds']:.1f} ms, "
          f"{1000 * report['open_processor_seconds']:.1f} ms of the processor, "
          "the whole process")
    for name in ("to .pt", "from .pt"):
        part = report[name]
        ours = part["convert_seconds"]
        print(f"convert {name:9} {ours:.2f} s; "
              f"cp {part['copy_seconds']:.2f} s "
              f"({100 * part['copy_seconds'] / ours:.0f} %), cp and sync "
              f"{part['synced_copy_seconds']:.2f} s "
              f"({100 * part['synced_copy_seconds'] / ours:.0f} %)")


def main() -> None:
    options = options_of(__doc__)
    with tempfile.TemporaryDirectory(prefix="formats-",
                                     dir=options.out) as name:
        folder = Path(name)
        report = time_opening(options.program, folder, options.runs)
        write_models(folder, options.gigabytes, ["a"])
        shell("cat a.safetensors >/dev/null", folder)  # warm
        report["to .pt"] = measure(options.program, folder, "a.safetensors",
                                   "a.pt", options.runs)
        report["from .pt"] = measure(options.program, folder, "a.pt",
                                     "back.safetensors", options.runs)
        shell("cmp a.safetensors back.safetensors", folder)
    print_report(report)
    (options.out / "formats.json").write_text(json.dumps(report, indent=1))


if __name__ == "__main__":
    sys.exit(main())
