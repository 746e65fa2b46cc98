#!/usr/bin/python3
"""Merges of networks that were trained on different data, beside what else one
could do: use a parent, average the outputs, or fine-tune a parent.

usage: disjoint.py PROGRAM FOLDER [--mnist mnist] [--cifar10 cifar10]
                   [--only NAME ...] [--images 2000] [--threads 1]

Trains the parents into FOLDER (those that are there stay), merges them with
images from both parents' data, from A's alone, and of another data set, and
prints a table for each pair. No image that is used for merging has a label;
fine-tuning uses labels. All numbers are for the whole test set.
"""

import argparse
import gzip
import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np

LOW_HIGH = (["--split-bias", "0.8/0.2"], ["--split-bias", "0.2/0.8"])
CLASSES = (["--classes", "0,1,2,3,4"], ["--classes", "5,6,7,8,9"])
HALVES = (["--split-bias", "0.499/0.499"], ["--split-bias", "0.501/0.501"])
ALIGN = ["--align", "activations", "--mix", "0.5"]


@dataclass
class Pair:
    name: str
    data: str  # "mnist" or "cifar10"
    options: tuple[list[str], list[str]]  # of the training of A and of B
    shares: list[float]  # of each class in A's data
    noisy: bool = False  # grainy images for A, speckled ones for B

    @property
    def train(self) -> list[str]:
        if self.data == "mnist":
            return ["--model", "mlp", "--epochs", "10"]
        return ["--model", "resnet20", "--epochs", "10", "--precision", "bf16"]

    @property
    def normalize(self) -> list[str]:
        return ["--normalize", "none" if self.noisy else self.data]

    @property
    def fine_tune(self) -> list[str]:
        """Ten epochs like those of the training, at a tenth of its rate."""
        rate = "1e-4" if self.data == "mnist" else "0.01"
        return ["--batch-size", "100", "--lr", rate]


def pairs() -> list[Pair]:
    split, first, all_classes = [.8] * 5 + [.2] * 5, [1] * 5 + [0] * 5, [1] * 10
    result = []
    for data in ("mnist", "cifar10"):
        result += [
            Pair(f"{data}-split", data, LOW_HIGH, split),
            Pair(f"{data}-classes", data, CLASSES, first),
            Pair(f"{data}-augmented", data,
                 (HALVES[0] + ["--augment", "none"],
                  HALVES[1] + ["--augment", "paper"]), all_classes)]
    result.append(Pair("mnist-noise", "mnist", ([], []), all_classes, True))
    return result


def read_idx(path: Path) -> np.ndarray:
    if not path.exists():
        path = path.with_name(path.name + ".gz")
    opened = gzip.open(path) if path.suffix == ".gz" else open(path, "rb")
    with opened as file:
        data = file.read()
    axes = data[3]
    shape = np.frombuffer(data, ">u4", axes, 4)
    return np.frombuffer(data, np.uint8, -1, 4 + 4 * axes).reshape(shape)


def read_mnist(folder: Path, part="train") -> tuple[np.ndarray, np.ndarray]:
    images = read_idx(folder / f"{part}-images-idx3-ubyte")
    return images[:, None], read_idx(folder / f"{part}-labels-idx1-ubyte")


def read_cifar(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    rows = np.concatenate([
        np.fromfile(folder / f"data_batch_{n}.bin", np.uint8).reshape(-1, 3073)
        for n in range(1, 6)])
    return rows[:, 1:].reshape(-1, 3, 32, 32), rows[:, 0]


def as_mnist(images: np.ndarray) -> np.ndarray:
    """Colour images as grey ones of 28 x 28."""
    grey = images[:, :, 2:30, 2:30].mean(axis=1, keepdims=True)
    return np.round(grey).astype(np.uint8)


def as_cifar(images: np.ndarray) -> np.ndarray:
    """Grey images of 28 x 28 on a black ground of 32 x 32, in three channels."""
    padded = np.pad(images, ((0, 0), (0, 0), (2, 2), (2, 2)))
    return np.repeat(padded, 3, axis=1)


def grainy(images: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Normal noise of half the range."""
    noise = random.standard_normal(images.shape, np.float32) * 128
    return np.clip(images + noise, 0, 255).astype(np.uint8)


def speckled(images: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Three pixels of ten are black or white."""
    chance = random.random(images.shape, np.float32)
    black = np.where(chance < .15, 0, images)
    return np.where(chance > .85, 255, black).astype(np.uint8)


class Bench:
    def __init__(self, options: argparse.Namespace):
        self.options = options
        self.folder = options.folder
        self.folder.mkdir(parents=True, exist_ok=True)
        self.paths = {"mnist": options.mnist, "cifar10": options.cifar10}
        self.sets = {"mnist": read_mnist(options.mnist),
                     "cifar10": read_cifar(options.cifar10)}

    def run(self, *arguments) -> dict:
        command = [self.options.program, *arguments, "--json", "--force",
                   "--quiet", "--threads", str(self.options.threads)]
        done = subprocess.run([str(part) for part in command], check=True,
                              stdout=subprocess.PIPE, text=True)
        return json.loads(done.stdout)

    def file(self, pair: Pair, what: str) -> Path:
        return self.folder / f"{pair.name}-{what}.safetensors"

    def train(self, pair: Pair) -> list[Path]:
        files = [self.file(pair, "a"), self.file(pair, "b")]
        data = [self.paths[pair.data]] * 2
        if pair.noisy:
            data = self.noisy(pair)
        for seed, file in enumerate(files, start=1):
            if not file.exists():
                self.run("train", *pair.train, "--data", data[seed - 1],
                         *pair.normalize, *pair.options[seed - 1], "--seed",
                         seed, "-o", file)
        return files

    def noisy(self, pair: Pair) -> list[Path]:
        """Each second image for A, with its noise, and the others for B.

        Calibration images are drawn of both. Half of the test images have the
        one noise, and half the other.
        """
        random = np.random.default_rng(1)
        x, y = self.sets[pair.data]
        changed = np.empty_like(x)
        changed[0::2] = grainy(x[0::2], random)
        changed[1::2] = speckled(x[1::2], random)
        self.sets[pair.name] = changed, y
        test, labels = read_mnist(self.options.mnist, "t10k")
        test = np.concatenate([grainy(test[0::2], random),
                               speckled(test[1::2], random)])
        labels = np.concatenate([labels[0::2], labels[1::2]])
        self.paths[pair.name] = self.save(f"{pair.name}-test", test, labels,
                                          "test")
        return [self.save(f"{pair.name}-train-{name}", changed[first::2],
                          y[first::2]) for first, name in enumerate("ab")]

    def save(self, name: str, images: np.ndarray,
             labels: np.ndarray | None = None, part: str = "train") -> Path:
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        arrays = {"x": images} if labels is None else {"x": images, "y": labels}
        np.savez(folder / f"{part}.npz", **arrays)
        return folder

    def images(self, pair: Pair) -> dict[str, Path]:
        """Folders with images: of both, of A's proportions, of another set."""
        x, y = self.sets.get(pair.name, self.sets[pair.data])
        other, _ = self.sets["cifar10" if pair.data == "mnist" else "mnist"]
        convert = as_mnist if pair.data == "mnist" else as_cifar
        random, count = np.random.default_rng(0), self.options.images
        both = random.choice(len(x), count, replace=False)
        shares = np.array(pair.shares, float)[y]
        if pair.noisy:
            shares[1::2] = 0
        of_a = random.choice(len(x), count, replace=False,
                             p=shares / shares.sum())
        strange = random.choice(len(other), count, replace=False)
        return {"both": self.save(f"{pair.name}-both", x[both]),
                "labelled": self.save(f"{pair.name}-labelled", x[both],
                                      y[both]),
                "A's": self.save(f"{pair.name}-of-a", x[of_a]),
                "another set": self.save(f"{pair.name}-other",
                                         convert(other[strange]))}

    def merge(self, pair: Pair, what: str, *more) -> Path:
        output = self.file(pair, what)
        self.run("merge", self.file(pair, "a"), self.file(pair, "b"), *more,
                 "-o", output)
        return output

    def candidates(self, pair: Pair) -> dict[str, Path]:
        a, b = self.train(pair)
        images = self.images(pair)
        found = {"A": a, "B": b}
        found["plain average"] = self.merge(pair, "plain", "--align", "none")
        found["aligned by weights"] = self.merge(pair, "weights")
        for name in ("both", "A's", "another set"):
            what = name.replace("'", "").replace(" ", "-")
            found[f"merged, images of {name}"] = self.merge(
                pair, what, *ALIGN, "--repair", "least-squares", "--calibrate",
                self.options.images, "--data", images[name], "--judge", "0")
        for name, start in (("A", a), ("B", b)):
            output = self.file(pair, f"tuned-{name}")
            self.run("train", *pair.train, "--data", images["labelled"],
                     *pair.normalize, "--from", start, *pair.fine_tune, "-o",
                     output)
            found[f"{name}, fine-tuned with labels"] = output
        return found

    def table(self, pair: Pair) -> str:
        found = self.candidates(pair)
        data = self.paths.get(pair.name, self.paths[pair.data])
        result = self.run("eval", *found.values(), "--data", data, "--parents",
                          self.file(pair, "a"), self.file(pair, "b"))
        rows = [f"### {pair.name}", "",
                "| | accuracy | loss | kept of A | of B | verdict |",
                "|---|---:|---:|---:|---:|---|"]
        first = result["models"][0]["judgement"]
        ensemble = first["models"][2]
        for name, model in zip(found, result["models"]):
            rows.append(row(name, model, model["judgement"]["kept"]))
            if name == "B":
                rows.append(f"| ensemble | {100 * ensemble['accuracy']:.2f} % "
                            f"| {ensemble['loss']:.3f} | | | |")
        kept = first["kept"]
        rows += ["", "examples that only A, only B gets right: " +
                 ", ".join(str(parent["only_this_right"])
                           for parent in kept["parents"]) +
                 f"; an uninvolved network: {100 * kept['uninvolved']:.1f} %"]
        return "\n".join(rows)


def row(name: str, model: dict, kept: dict) -> str:
    shares = " | ".join(f"{100 * parent['kept']:.1f} ± "
                        f"{100 * parent['standard_error']:.1f} %"
                        for parent in kept["parents"])
    verdict = "" if name in "AB" else kept["verdict"].removeprefix("the merge ")
    return (f"| {name} | {100 * model['accuracy']:.2f} % | {model['loss']:.3f} "
            f"| {shares} | {verdict} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--mnist", type=Path, default=Path("mnist"))
    parser.add_argument("--cifar10", type=Path, default=Path("cifar10"))
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--images", type=int, default=2000)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    bench = Bench(options)
    for pair in pairs():
        if not options.only or pair.name in options.only:
            print(bench.table(pair), flush=True, end="\n\n")


if __name__ == "__main__":
    main()
