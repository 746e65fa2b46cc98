#!/usr/bin/python3
"""Pairs of Llama-shaped models in bfloat16, as Hugging Face folders.

usage: decoder_pair.py SHAPE FOLDER [--noise X] [--unrelated] [--seed N]
       decoder_pair.py --check FOLDER ALIGNED

SHAPE is one of
  tiny   2 layers, 64 wide, 160 inside, 8 heads, 4 key heads
  1b     22 layers, 2048 wide, 5632 inside, 32 heads, 4 key heads (1.1 B)
  7b     32 layers, 4096 wide, 11008 inside, 32 heads (6.7 B)

Writes FOLDER/a and FOLDER/b. B is A plus noise (in units of each tensor's
standard deviation), with all units in a random order: the residual stream, the
inner units of each MLP, key heads, their queries and their values. Or, with
--unrelated, B is independent of A. FOLDER/truth.json has the digest of each
tensor before it was permuted, with which --check compares the tensors of
ALIGNED (B's folder or file after `rebasin apply`): they are equal if every
unit was found.
"""

import argparse
import hashlib
import json
import struct
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Iterable, Iterator

import numpy as np

VOCABULARY = 32000


@dataclass
class Shape:
    layers: int
    width: int
    inside: int
    heads: int
    key_heads: int

    @property
    def head_size(self) -> int:
        return self.width // self.heads


SHAPES = {"tiny": Shape(2, 64, 160, 8, 4),
          "1b": Shape(22, 2048, 5632, 32, 4),
          "7b": Shape(32, 4096, 11008, 32, 32)}


def config(shape: Shape) -> dict:
    return {"architectures": ["LlamaForCausalLM"], "model_type": "llama",
            "hidden_size": shape.width, "intermediate_size": shape.inside,
            "num_hidden_layers": shape.layers,
            "num_attention_heads": shape.heads,
            "num_key_value_heads": shape.key_heads,
            "vocab_size": VOCABULARY, "max_position_embeddings": 2048,
            "rms_norm_eps": 1e-5, "rope_theta": 10000.0,
            "tie_word_embeddings": False, "torch_dtype": "bfloat16"}


def tensors(shape: Shape) -> dict[str, tuple[tuple[int, ...], list[str]]]:
    """Name -> shape and the groups of its axes."""
    d, keys = shape.width, shape.key_heads * shape.head_size
    inside = shape.inside
    found = {"model.embed_tokens.weight": ((VOCABULARY, d), ["", "stream"]),
             "model.norm.weight": ((d,), ["stream"]),
             "lm_head.weight": ((VOCABULARY, d), ["", "stream"])}
    for i in range(shape.layers):
        name = f"model.layers.{i}."
        attention, mlp = name + "self_attn.", name + "mlp."
        for norm in ("input_layernorm", "post_attention_layernorm"):
            found[name + norm + ".weight"] = ((d,), ["stream"])
        found[attention + "q_proj.weight"] = ((d, d), [f"q{i}", "stream"])
        found[attention + "k_proj.weight"] = ((keys, d), [f"k{i}", "stream"])
        found[attention + "v_proj.weight"] = ((keys, d), [f"v{i}", "stream"])
        found[attention + "o_proj.weight"] = ((d, d), ["stream", f"o{i}"])
        found[mlp + "gate_proj.weight"] = ((inside, d), [f"m{i}", "stream"])
        found[mlp + "up_proj.weight"] = ((inside, d), [f"m{i}", "stream"])
        found[mlp + "down_proj.weight"] = ((d, inside), ["stream", f"m{i}"])
    return dict(sorted(found.items()))


def orders(shape: Shape, random: np.random.Generator) -> dict[str, np.ndarray]:
    """Random orders of the units on each kind of axis. The dimensions of
    queries and keys stay: rotations tell them apart."""
    size, queries = shape.head_size, shape.heads // shape.key_heads
    result = {"stream": random.permutation(shape.width)}
    rest = np.arange(size)
    for i in range(shape.layers):
        result[f"m{i}"] = random.permutation(shape.inside)
        heads = random.permutation(shape.key_heads)
        values = [random.permutation(size) for _ in heads]
        # The query heads in their new order, by key head.
        order = [[h * queries + q for q in random.permutation(queries)]
                 for h in heads]
        result[f"k{i}"] = np.concatenate([h * size + rest for h in heads])
        result[f"v{i}"] = np.concatenate(
            [h * size + v for h, v in zip(heads, values)])
        result[f"q{i}"] = np.concatenate(
            [q * size + rest for group in order for q in group])
        result[f"o{i}"] = np.concatenate(
            [q * size + v for group, v in zip(order, values) for q in group])
    return result


def to_bfloat16(values: np.ndarray) -> np.ndarray:
    bits = values.view(np.uint32)
    bits += 0x7FFF + ((bits >> 16) & 1)
    return (bits >> 16).astype(np.uint16)


def normal(shape: tuple[int, ...], seeds: list[int]) -> np.ndarray:
    random = np.random.Generator(np.random.SFC64(seeds))
    return random.standard_normal(shape, dtype=np.float32)


class Writer:
    """A model.safetensors whose tensors come one after the other."""

    def __init__(self, folder: Path, shape: Shape) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "config.json").write_text(json.dumps(config(shape), indent=1))
        header, end = {}, 0
        for name, (axes, _) in tensors(shape).items():
            begin, end = end, end + 2 * int(np.prod(axes, dtype=np.int64))
            header[name] = {"dtype": "BF16", "shape": list(axes),
                            "data_offsets": [begin, end]}
        text = json.dumps(header).encode()
        text += b" " * (-len(text) % 8)
        self.file = open(folder / "model.safetensors", "wb")
        self.file.write(struct.pack("<Q", len(text)) + text)

    def add(self, bits: np.ndarray) -> None:
        self.file.write(np.ascontiguousarray(bits).tobytes())

    def close(self) -> None:
        self.file.close()


def write_pair(options: argparse.Namespace) -> None:
    shape, folder = SHAPES[options.shape], options.folder
    moved = orders(shape, np.random.Generator(np.random.SFC64(options.seed)))
    a, b = Writer(folder / "a", shape), Writer(folder / "b", shape)
    truth = {}
    for index, (name, (axes, groups)) in enumerate(tensors(shape).items()):
        spread, middle = (0.1, 1.0) if len(axes) == 1 else (0.02, 0.0)
        values = normal(axes, [options.seed, index, 0])
        noise = normal(axes, [options.seed, index, 1])
        other = noise if options.unrelated else values + options.noise * noise
        values *= spread
        values += middle
        other *= spread
        other += middle
        a.add(to_bfloat16(values))
        bits = to_bfloat16(other)
        truth[name] = hashlib.sha256(bits).hexdigest()
        for axis, group in enumerate(groups):
            if group:
                bits = np.take(bits, moved[group], axis=axis)
        b.add(bits)
    a.close()
    b.close()
    (folder / "truth.json").write_text(json.dumps(truth, indent=1))


def read_tensors(path: Path) -> Iterator[tuple[str, memoryview]]:
    for file in sorted(path.glob("*.safetensors")) if path.is_dir() else [path]:
        data = np.memmap(file, mode="r")
        size = struct.unpack("<Q", data[:8].tobytes())[0]
        header = json.loads(data[8:8 + size].tobytes())
        header.pop("__metadata__", None)
        for name, entry in header.items():
            begin, end = (8 + size + at for at in entry["data_offsets"])
            yield name, memoryview(data[begin:end])


def check(folder: Path, aligned: Path) -> bool:
    truth = json.loads((folder / "truth.json").read_text())
    found = {name: hashlib.sha256(data).hexdigest()
             for name, data in read_tensors(aligned)}
    wrong = [name for name in truth if found.get(name) != truth[name]]
    print(f"{len(truth) - len(wrong)} of {len(truth)} tensors are those before "
          "they were permuted" + "".join(f"\n  not {name}" for name in wrong))
    return not wrong


def main(arguments: Iterable[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("shape", nargs="?", choices=sorted(SHAPES))
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--noise", type=float, default=1.0)
    parser.add_argument("--unrelated", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--check", nargs=2, type=Path,
                        metavar=("FOLDER", "ALIGNED"))
    options = parser.parse_args(list(arguments))
    if options.check:
        return 0 if check(*options.check) else 1
    if not options.shape or not options.folder:
        parser.error("SHAPE and FOLDER are required")
    write_pair(options)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
