"""Running and training networks: ours and PyTorch, in turn.

usage: /usr/bin/python3 bench/nn_peer.py [--bench PROGRAM] [--threads N]
                                         [--seconds S] [--rounds N]

The same networks, batches, threads and environment; the steps of both are
taken in turn, a second each, and the fastest step of all rounds counts. All of
it runs twice: as it comes, and with OPENBLAS_CORETYPE set where Debian's
OpenBLAS does not recognise the processor.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

CASES = [("mlp", 500), ("resnet20", 128)]
MODES = ["evaluate", "train"]


def networks():
    """By the zoo's names, as PyTorch people write them."""
    import torch
    import torch.nn.functional as F
    from torch import nn

    class Block(nn.Module):
        def __init__(self, inputs, outputs, stride):
            super().__init__()
            self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
            self.bn1 = nn.BatchNorm2d(outputs)
            self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
            self.bn2 = nn.BatchNorm2d(outputs)
            self.zeros = (outputs - inputs) // 2

        def shortcut(self, x):
            if self.zeros == 0:
                return x
            return F.pad(x[:, :, ::2, ::2],
                         (0, 0, 0, 0, self.zeros, self.zeros))

        def forward(self, x):
            y = F.relu(self.bn1(self.conv1(x)))
            return F.relu(self.bn2(self.conv2(y)) + self.shortcut(x))

    class ResNet20(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv1 = nn.Conv2d(3, 16, 3, 1, 1, bias=False)
            self.bn1 = nn.BatchNorm2d(16)
            widths = [(16, 16, 1)] * 3 + [(16, 32, 2)] + [(32, 32, 1)] * 2 \
                + [(32, 64, 2)] + [(64, 64, 1)] * 2
            self.blocks = nn.Sequential(*[Block(*width) for width in widths])
            self.linear = nn.Linear(64, 10)

        def forward(self, x):
            x = self.blocks(F.relu(self.bn1(self.conv1(x))))
            return self.linear(x.mean((2, 3)))

    mlp = nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512),
                        nn.ReLU(), nn.Linear(512, 512), nn.ReLU(),
                        nn.Linear(512, 10))
    return {"mlp": (mlp, (784,)), "resnet20": (ResNet20(), (3, 32, 32))}


class Peer:
    def __init__(self, threads):
        import torch
        self.torch = torch
        torch.set_num_threads(threads)
        self.networks = networks()

    def steps(self, name, mode, batch):
        """A function that does one step."""
        torch = self.torch
        model, shape = self.networks[name]
        x = torch.randn(batch, *shape)
        labels = torch.randint(0, 10, (batch,))
        parameters = list(model.parameters())

        optimizer = torch.optim.SGD(parameters, lr=1e-9, momentum=0.9)

        def evaluate():
            with torch.no_grad():
                model(x)

        def train():
            optimizer.zero_grad(set_to_none=True)
            torch.nn.functional.cross_entropy(model(x), labels).backward()
            optimizer.step()

        model.train(mode == "train")
        return evaluate if mode == "evaluate" else train


def fastest(step, seconds):
    best, begin = float("inf"), time.perf_counter()
    while True:
        start = time.perf_counter()
        step()
        now = time.perf_counter()
        best = min(best, now - start)
        if now - begin > seconds:
            return best


class Ours:
    def __init__(self, program, threads):
        self.process = subprocess.Popen(
            [program, str(threads)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)

    def fastest(self, name, mode, batch, seconds):
        self.process.stdin.write(f"{name} {mode} {batch} {seconds}\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())


def compare(options):
    peer = Peer(options.threads)
    ours = Ours(options.bench, options.threads)
    print(f"{'':10}{'':9}{'batch':>6}{'PyTorch ms':>12}{'ours ms':>10}"
          f"{'ratio':>8}")
    for name, batch in CASES:
        for mode in MODES:
            step = peer.steps(name, mode, batch)
            fastest(step, 0)  # the first step allocates
            ours.fastest(name, mode, batch, 0)
            theirs = mine = float("inf")
            for _ in range(options.rounds):
                theirs = min(theirs, fastest(step, options.seconds))
                mine = min(mine, ours.fastest(name, mode, batch,
                                              options.seconds))
            print(f"{name:10}{mode:9}{batch:6}{1000 * theirs:12.2f}"
                  f"{1000 * mine:10.2f}{theirs / mine:8.2f}", flush=True)


def main():
    root = Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser()
    parser.add_argument("--bench",
                        default=str(root / "build/bench/bench/nn_bench"))
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--inner", action="store_true",
                        help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inner:
        compare(options)
        return
    wide = "avx512f" in Path("/proc/cpuinfo").read_text()
    for kernel in ["", "SKYLAKEX"] if wide else [""]:
        environment = {**os.environ, "OMP_WAIT_POLICY": "PASSIVE"}
        environment.pop("OPENBLAS_CORETYPE", None)
        if kernel:
            environment["OPENBLAS_CORETYPE"] = kernel
        print(f"OPENBLAS_CORETYPE={kernel}, {options.threads} threads",
              flush=True)
        subprocess.run([sys.executable, *sys.argv, "--inner"],
                       env=environment, check=True)


if __name__ == "__main__":
    main()
