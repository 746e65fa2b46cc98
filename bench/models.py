#!/usr/bin/python3
"""Pairs of models with their symmetry spec, for benchmarks.

usage: models.py NETWORK FOLDER [--kind gaussian|planted] [--noise X] [--seed N]
       models.py --self-check

Writes FOLDER/a.safetensors, FOLDER/b.safetensors and FOLDER/spec.json.

NETWORK is one of
  mlp-3x512            784-512-512-512-10; any depth and width
  resmlp-24x64x128     24 blocks x + W2 relu(W1 x), width 64, inner width 128
  vgg16                CIFAR, 13 convolutions and one dense layer, no norms
  resnet20-x4          CIFAR, channels 64/128/256; any multiplier
  resnet50             torchvision's, 1000 classes

--kind gaussian: all weights independent, He scale: no good match exists.
--kind planted: B is A plus noise (in units of each tensor's standard
deviation), then a random element of the symmetry group; FOLDER/truth.json
holds the alignment that undoes it.
"""

import argparse
import json
import re
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterable

import numpy as np

Axes = list[str]


@dataclass
class Network:
    """Groups of units, and the tensors whose axes they permute.

    The axis expressions are plain here: the name of a group or a number.
    """
    groups: dict[str, int] = field(default_factory=dict)
    tensors: dict[str, Axes] = field(default_factory=dict)
    statistics: set[str] = field(default_factory=set)

    def group(self, name: str, size: int) -> str:
        self.groups[name] = size
        return name

    def shape(self, tensor: str) -> tuple[int, ...]:
        return tuple(self.groups.get(axis) or int(axis)
                     for axis in self.tensors[tensor])

    def dense(self, name: str, out: str, into: str, bias: bool = True) -> None:
        self.tensors[f"{name}.weight"] = [out, into]
        if bias:
            self.tensors[f"{name}.bias"] = [out]

    def conv(self, name: str, out: str, into: str, kernel: int,
             bias: bool = False) -> None:
        self.tensors[f"{name}.weight"] = [out, into, str(kernel), str(kernel)]
        if bias:
            self.tensors[f"{name}.bias"] = [out]

    def norm(self, name: str, axis: str) -> None:
        self.tensors[f"{name}.weight"] = [axis]
        self.tensors[f"{name}.bias"] = [axis]

    def batch_norm(self, name: str, axis: str) -> None:
        self.norm(name, axis)
        for statistic, axes in (("running_mean", [axis]),
                                ("running_var", [axis]),
                                ("num_batches_tracked", [])):
            self.tensors[f"{name}.{statistic}"] = axes
            self.statistics.add(f"{name}.{statistic}")

    def spec(self) -> dict:
        return {"format": "rebasin-symmetry", "version": 1,
                "groups": self.groups, "tensors": self.tensors,
                "statistics": sorted(self.statistics)}


# ---- networks ----------------------------------------------------------------


def mlp(depth: int, width: int) -> Network:
    net = Network()
    into = "784"
    for layer in range(depth):
        out = net.group(f"P{layer}", width)
        net.dense(f"layers.{layer}", out, into)
        into = out
    net.dense(f"layers.{depth}", "10", into)
    return net


def residual_mlp(blocks: int, width: int, inner: int) -> Network:
    net = Network()
    stream = net.group("stream", width)
    net.dense("input", stream, "784")
    for block in range(blocks):
        hidden = net.group(f"hidden{block}", inner)
        net.dense(f"blocks.{block}.fc1", hidden, stream)
        net.dense(f"blocks.{block}.fc2", stream, hidden)
    net.dense("output", "10", stream)
    return net


def vgg16() -> Network:
    stages = [[64] * 2, [128] * 2, [256] * 3, [512] * 3, [512] * 3]
    net = Network()
    into, index = "3", 0
    for stage in stages:
        for channels in stage:
            out = net.group(f"P{len(net.groups)}", channels)
            net.conv(f"features.{index}", out, into, kernel=3, bias=True)
            into, index = out, index + 2  # the convolution and its ReLU
        index += 1  # the pooling
    net.dense("classifier", "10", into)
    return net


def resnet20(multiplier: int) -> Network:
    """Three stages of three blocks; a stage's blocks share its stream."""
    net = Network()
    stream = net.group("stream1", 16 * multiplier)
    net.conv("conv1", stream, "3", kernel=3)
    net.norm("norm1", stream)
    for stage in (1, 2, 3):
        out = net.group(f"stream{stage}", 16 * multiplier << (stage - 1))
        for block in range(3):
            basic_block(net, f"layer{stage}.{block}", out, stream)
            stream = out
    net.dense("linear", "10", stream)
    return net


def basic_block(net: Network, name: str, out: str, into: str) -> None:
    inner = net.group(f"{name}.inner", net.groups[out])
    net.conv(f"{name}.conv1", inner, into, kernel=3)
    net.norm(f"{name}.norm1", inner)
    net.conv(f"{name}.conv2", out, inner, kernel=3)
    net.norm(f"{name}.norm2", out)
    if out != into:
        net.conv(f"{name}.downsample.0", out, into, kernel=1)
        net.norm(f"{name}.downsample.1", out)


def resnet50() -> Network:
    net = Network()
    stream = net.group("stem", 64)
    net.conv("conv1", stream, "3", kernel=7)
    net.batch_norm("bn1", stream)
    for stage, blocks in enumerate((3, 4, 6, 3)):
        out = net.group(f"stream{stage + 1}", 256 << stage)
        for block in range(blocks):
            bottleneck(net, f"layer{stage + 1}.{block}", out, stream,
                       inner=64 << stage)
            stream = out
    net.dense("fc", "1000", stream)
    return net


def bottleneck(net: Network, name: str, out: str, into: str,
               inner: int) -> None:
    first = net.group(f"{name}.inner1", inner)
    second = net.group(f"{name}.inner2", inner)
    layers = [(first, into, 1), (second, first, 3), (out, second, 1)]
    for index, (target, source, kernel) in enumerate(layers, start=1):
        net.conv(f"{name}.conv{index}", target, source, kernel)
        net.batch_norm(f"{name}.bn{index}", target)
    if out != into:
        net.conv(f"{name}.downsample.0", out, into, kernel=1)
        net.batch_norm(f"{name}.downsample.1", out)


def network(name: str) -> Network:
    builders = [(r"mlp-(\d+)x(\d+)", mlp),
                (r"resmlp-(\d+)x(\d+)x(\d+)", residual_mlp),
                (r"vgg16", vgg16),
                (r"resnet20-x(\d+)", resnet20),
                (r"resnet50", resnet50)]
    for pattern, builder in builders:
        if match := re.fullmatch(pattern, name):
            return builder(*map(int, match.groups()))
    raise SystemExit(f"models.py: unknown network {name!r}; see --help")


# ---- files -------------------------------------------------------------------

DTYPES = {"F32": np.dtype("<f4"), "I64": np.dtype("<i8")}


class SafetensorsWriter:
    """Writes tensors in the order in which they were announced."""

    def __init__(self, path: Path, tensors: dict[str, tuple[str, tuple]]):
        header, offset = {}, 0
        for name, (dtype, shape) in tensors.items():
            size = int(np.prod(shape, dtype=np.int64)) * DTYPES[dtype].itemsize
            header[name] = {"dtype": dtype, "shape": shape,
                            "data_offsets": [offset, offset + size]}
            offset += size
        text = json.dumps(header, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 8)
        self.file = open(path, "wb")
        self.file.write(len(text).to_bytes(8, "little") + text)

    def append(self, values: np.ndarray) -> None:
        self.file.write(np.ascontiguousarray(values).data)

    def close(self) -> None:
        self.file.close()


def read_safetensors(path: Path) -> dict[str, np.ndarray]:
    """All tensors of a file, read into memory."""
    data = np.fromfile(path, dtype=np.uint8)
    length = int.from_bytes(data[:8].tobytes(), "little")
    header = json.loads(data[8:8 + length].tobytes())
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        values = data[begin:end].view(DTYPES[entry["dtype"]])
        tensors[name] = values.reshape(entry["shape"])
    return tensors


# ---- weights -----------------------------------------------------------------


def dtype_of(name: str) -> str:
    return "I64" if name.endswith("num_batches_tracked") else "F32"


def file_order(net: Network) -> list[str]:
    """Wider elements first, so that all data is aligned."""
    return sorted(net.tensors, key=lambda name: (dtype_of(name) != "I64", name))


def draw(net: Network, name: str, rng: np.random.Generator) -> np.ndarray:
    """Fresh values for a tensor, as an initialiser would choose them."""
    shape = net.shape(name)
    if dtype_of(name) == "I64":
        return np.array(1000, dtype=np.int64)
    values = rng.standard_normal(shape, dtype=np.float32)
    if len(shape) > 1:
        return values * np.float32(np.sqrt(2 / np.prod(shape[1:])))
    if name.endswith("running_var"):
        return np.exp(np.float32(0.1) * values)
    is_gain = name.endswith(".weight")
    return np.float32(1 if is_gain else 0) + np.float32(0.1) * values


def noisy(net: Network, name: str, values: np.ndarray, noise: float,
          rng: np.random.Generator) -> np.ndarray:
    if name in net.statistics or noise == 0:
        return values
    scale = np.float32(noise * values.std())
    return values + scale * rng.standard_normal(values.shape, dtype=np.float32)


def permuted(net: Network, name: str, values: np.ndarray,
             permutations: dict[str, np.ndarray]) -> np.ndarray:
    """Position i of an axis takes unit permutations[group][i]."""
    for axis, group in enumerate(net.tensors[name]):
        if group in permutations:
            values = np.take(values, permutations[group], axis=axis)
    return values


def inverse(permutation: np.ndarray) -> np.ndarray:
    result = np.empty_like(permutation)
    result[permutation] = np.arange(len(permutation))
    return result


def write_pair(name: str, folder: Path, kind: str = "gaussian",
               noise: float = 1.0, seed: int = 0) -> Network:
    """Writes a pair of models tensor by tensor, so memory stays small."""
    folder.mkdir(parents=True, exist_ok=True)
    net = network(name)
    rng = np.random.default_rng(seed)
    planted = {group: rng.permutation(size)
               for group, size in net.groups.items()}
    plan = {tensor: (dtype_of(tensor), net.shape(tensor))
            for tensor in file_order(net)}
    a_file = SafetensorsWriter(folder / "a.safetensors", plan)
    b_file = SafetensorsWriter(folder / "b.safetensors", plan)
    for tensor in plan:
        a = draw(net, tensor, rng)
        if kind == "planted":
            b = permuted(net, tensor, noisy(net, tensor, a, noise, rng),
                         planted)
        else:
            b = draw(net, tensor, rng)
        a_file.append(a)
        b_file.append(b)
    a_file.close()
    b_file.close()
    (folder / "spec.json").write_text(json.dumps(net.spec(), indent=1))
    (folder / "truth.json").unlink(missing_ok=True)
    if kind == "planted":
        truth = {group: inverse(p).tolist() for group, p in planted.items()}
        (folder / "truth.json").write_text(json.dumps(truth))
    return net


# ---- self-check --------------------------------------------------------------


def parameters(net: Network) -> int:
    learnt = (name for name in net.tensors if name not in net.statistics)
    return sum(int(np.prod(net.shape(name), dtype=np.int64))
               for name in learnt)


def check_counts() -> None:
    """Against the numbers of parameters that these networks are known for."""
    known = {"mlp-3x512": 932_362, "resnet50": 25_557_032,
             "vgg16": 14_719_818, "resnet20-x1": 272_474}
    for name, expected in known.items():
        found = parameters(network(name))
        assert found == expected, f"{name}: {found} parameters, not {expected}"


def check_planted(name: str) -> None:
    """The truth brings a noiseless B back onto A, bit by bit."""
    with tempfile.TemporaryDirectory() as folder:
        net = write_pair(name, Path(folder), "planted", noise=0)
        a = read_safetensors(Path(folder) / "a.safetensors")
        b = read_safetensors(Path(folder) / "b.safetensors")
        truth = json.loads((Path(folder) / "truth.json").read_text())
    moved = {group: np.array(p) for group, p in truth.items()}
    assert a.keys() == net.tensors.keys()
    for tensor in a:
        assert a[tensor].shape == net.shape(tensor), tensor
        restored = permuted(net, tensor, b[tensor], moved)
        assert np.array_equal(a[tensor], restored), tensor


def self_check() -> None:
    check_counts()
    for name in ("mlp-2x16", "resmlp-2x8x12", "vgg16", "resnet20-x1"):
        check_planted(name)
    print("ok")


def main(arguments: Iterable[str]) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("network", nargs="?")
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--kind", choices=["gaussian", "planted"],
                        default="gaussian")
    parser.add_argument("--noise", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--self-check", action="store_true")
    options = parser.parse_args(list(arguments))
    if options.self_check:
        self_check()
    elif options.network and options.folder:
        write_pair(options.network, options.folder, options.kind,
                   options.noise, options.seed)
    else:
        parser.error("NETWORK and FOLDER are required")


if __name__ == "__main__":
    main(sys.argv[1:])
