"""Runs a program and measures its time and memory."""

import os
import re
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Run:
    seconds: float  # wall clock, from start to exit
    peak_rss: int  # bytes, mapped files included
    peak_anonymous: int  # bytes, without mapped files; sampled
    output: str


def memory_beyond_files(pid: int) -> int:
    """Resident bytes that are not pages of a mapped file; 0 once it ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    fields = dict(line.split(":", 1) for line in status.splitlines())
    return sum(1024 * int(fields[key].split()[0])
               for key in ("RssAnon", "RssShmem") if key in fields)


class Sampler(threading.Thread):
    """Watches a process, since the kernel keeps no peak of this number."""

    def __init__(self, pid: int, interval: float = 0.002):
        super().__init__(daemon=True)
        self.pid, self.interval, self.peak = pid, interval, 0
        self.stopped = threading.Event()

    def run(self) -> None:
        while not self.stopped.wait(self.interval):
            self.peak = max(self.peak, memory_beyond_files(self.pid))

    def stop(self) -> int:
        self.stopped.set()
        self.join()
        return self.peak


def run(command: list, env: dict[str, str] | None = None,
        sample: bool = True) -> Run:
    """Runs a command to its end; raises if it fails, with what it said."""
    with tempfile.TemporaryFile("w+") as out, \
            tempfile.TemporaryFile("w+") as err:
        start = time.perf_counter()
        process = subprocess.Popen([str(word) for word in command], stdout=out,
                                   stderr=err, env={**os.environ, **(env or {})})
        sampler = Sampler(process.pid)
        if sample:
            sampler.start()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        peak = sampler.stop() if sample else 0
        out.seek(0)
        err.seek(0)
        if process.returncode:
            raise RuntimeError(f"{' '.join(map(str, command))} exited with "
                               f"{process.returncode}:\n{err.read()}")
        return Run(seconds, usage.ru_maxrss * 1024, peak, out.read())


def best_openblas_kernel() -> str:
    """OpenBLAS's name for the best kernel that this processor can run.

    A processor newer than the library is not recognised and gets a kernel of
    2004, four times slower than it could be. That would flatter us.
    """
    flags = Path("/proc/cpuinfo").read_text()
    if re.search(r"\bavx512f\b", flags):
        return "SkylakeX"
    return "Haswell" if re.search(r"\bavx2\b", flags) else ""
