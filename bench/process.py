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
    processor: float  # seconds of it, which others do not change much
    peak_rss: int  # bytes, mapped files included
    peak_anonymous: int  # bytes, without mapped files; sampled
    output: str


def memory_fields(pid: int) -> dict[str, int]:
    """Bytes by name from the kernel's status of a process; empty at its end."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return {}
    found = re.findall(r"^(VmHWM|RssAnon|RssShmem):\s+(\d+) kB", status, re.M)
    return {name: 1024 * int(size) for name, size in found}


class Sampler(threading.Thread):
    """Watches the memory of a process.

    The kernel keeps no peak of the memory beyond mapped files, and the peak
    that it reports at the end (ru_maxrss) counts the parent's before the exec.
    """

    def __init__(self, pid: int, interval: float = 0.005):
        super().__init__(daemon=True)
        self.pid, self.interval = pid, interval
        self.peak_rss = self.peak_anonymous = 0
        self.stopped = threading.Event()

    def run(self) -> None:
        while not self.stopped.wait(self.interval):
            fields = memory_fields(self.pid)
            anonymous = fields.get("RssAnon", 0) + fields.get("RssShmem", 0)
            self.peak_rss = max(self.peak_rss, fields.get("VmHWM", 0))
            self.peak_anonymous = max(self.peak_anonymous, anonymous)

    def stop(self) -> None:
        self.stopped.set()
        self.join()


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
        if sample:
            sampler.stop()
        out.seek(0)
        err.seek(0)
        if process.returncode:
            raise RuntimeError(f"{' '.join(map(str, command))} exited with "
                               f"{process.returncode}:\n{err.read()}")
        return Run(seconds, usage.ru_utime + usage.ru_stime,
                   sampler.peak_rss or usage.ru_maxrss * 1024, sampler.peak_anonymous,
                   out.read())


def best_openblas_kernel() -> str:
    """OpenBLAS's name for the best kernel that this processor can run.

    A processor newer than the library is not recognised and gets a kernel of
    2004, four times slower than it could be. That would flatter us.
    """
    flags = Path("/proc/cpuinfo").read_text()
    if re.search(r"\bavx512f\b", flags):
        return "SkylakeX"
    return "Haswell" if re.search(r"\bavx2\b", flags) else ""
