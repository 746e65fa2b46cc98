"""Long operations: progress, warnings, Ctrl-C, and other threads."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import pyrebasin as rb

WIDTH = 2000
ARCHITECTURE = f"mlp:depth=3,width={WIDTH},in=64,out=10,names=fc"


def wide_model(seed):
    random = np.random.default_rng(seed)
    sizes = {"fc1": 64, "fc2": WIDTH, "fc3": WIDTH, "fc4": WIDTH}
    model = {}
    for name, columns in sizes.items():
        rows = 10 if name == "fc4" else WIDTH
        model[f"{name}.weight"] = random.standard_normal((rows, columns), np.float32)
        model[f"{name}.bias"] = random.standard_normal(rows, np.float32)
    return model


@pytest.fixture(scope="module")
def wide():
    return [wide_model(0), wide_model(1)]


def test_progress_is_reported_in_the_thread_that_called(wide):
    seen, threads = [], set()

    def progress(stage, done, total):
        seen.append((stage, done, total))
        threads.add(threading.get_ident())

    rb.align(*wide, model=ARCHITECTURE, progress=progress)
    assert seen
    assert all(0 <= done <= total for _, done, total in seen)
    assert threads == {threading.get_ident()}


def test_an_exception_in_a_callback_ends_the_operation(wide):
    def progress(stage, done, total):
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        rb.align(*wide, model=ARCHITECTURE, progress=progress, start="annealed")


def test_other_threads_run_meanwhile(wide):
    counted = []
    done = threading.Event()

    def count():
        while not done.wait(0.001):
            counted.append(time.monotonic())

    thread = threading.Thread(target=count)
    thread.start()
    start = time.monotonic()
    rb.align(*wide, model=ARCHITECTURE, threads=1)
    seconds = time.monotonic() - start
    done.set()
    thread.join()
    assert len(counted) > seconds * 100


def test_threads_may_align_at_the_same_time(arrays):
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(rb.align(*arrays)))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert all(one == found[0] for one in found)


STOPPED = """
import os, signal, sys, threading, time
sys.path.insert(0, {tests!r})
import pyrebasin as rb
from test_operations import ARCHITECTURE, wide_model
# Shells start programs in the background with this signal ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
a, b = wide_model(0), wide_model(1)
sent = []
def interrupt():
    time.sleep({delay})
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt).start()
try:
    {operation}
    print("ended")
except KeyboardInterrupt:
    print(time.monotonic() - sent[0], len(os.listdir("/proc/self/task")))
"""

OPERATIONS = {
    "align": "rb.align(a, b, model=ARCHITECTURE, start='annealed', restarts=9)",
    "paper": "rb.align(a, b, model=ARCHITECTURE, method='paper', restarts=50)",
    "sinkhorn": "rb.align(a, b, model=ARCHITECTURE, method='sinkhorn')",
    "merge": "rb.merge([a, b], model=ARCHITECTURE, start='annealed', restarts=9)",
    "many": "rb.soup([a, b, a], model=ARCHITECTURE)",
}


def seconds_to_stop(operation, delay):
    """Return how long after Ctrl-C the operation raised, or None if it ended."""
    script = STOPPED.format(
        tests=os.path.dirname(__file__), operation=operation, delay=delay
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    if done.stdout.startswith("ended"):
        return None
    seconds, tasks = done.stdout.split()
    return float(seconds), int(tasks)


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
def test_ctrl_c_stops_every_operation_soon_and_leaves_no_thread(operation):
    # The best of three: other programs may hold the processor meanwhile.
    runs = [seconds_to_stop(operation, delay) for delay in (0.3, 0.5, 0.7)]
    assert all(runs), "too fast to be stopped"
    assert min(seconds for seconds, _ in runs) < 0.2
    assert all(tasks <= 2 for _, tasks in runs)  # this one, and that which interrupts


def test_a_stopped_operation_can_be_repeated(arrays):
    expected = rb.align(*arrays)

    def progress(stage, done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rb.align(wide_model(0), wide_model(1), model=ARCHITECTURE, progress=progress)
    assert rb.align(*arrays) == expected


def test_python_handlers_of_signals_run_meanwhile(wide):
    seen = []
    before = signal.signal(signal.SIGUSR1, lambda *_: seen.append(1))
    try:
        timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGUSR1))
        timer.start()
        rb.align(*wide, model=ARCHITECTURE, threads=1)
        timer.join()
        assert seen
    finally:
        signal.signal(signal.SIGUSR1, before)
