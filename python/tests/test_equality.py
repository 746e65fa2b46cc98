"""Python's alignments and merges are those of the program, byte for byte."""

import re

import numpy as np
import pytest

import pyrebasin as rb
from conftest import run_program

MODELS = [
    "mlp:depth=2,width=24,in=12,out=5",
    "residual_mlp:depth=2,width=16,hidden=24,in=12,out=5",
    "vgg11:norm=batch,head=cifar,divide=16,classes=10",
    "resnet20:norm=layer,width=1",
    "convmixer:depth=2,width=16",
    "vit:depth=1,width=32,heads=4,mlp=48,patch=8,image=32,classes=10",
    "gpt2:depth=1,width=32,heads=4,vocab=50,context=16",
    "llama:depth=1,width=32,heads=4,kv_heads=2,mlp=48,vocab=50",
    "lstm:width=16,vocab=30",
]
WITH_INNER_GROUPS = [name for name in MODELS if "heads=" in name]
METHODS = list(rb.methods())


def size_of(expression, groups):
    """Return the length of an axis: sums of products of groups and numbers."""
    names = {name: group.size for name, group in groups.items()}
    words = sorted(names, key=len, reverse=True)
    pattern = "|".join(map(re.escape, words)) or "(?!)"
    text = re.sub(pattern, lambda found: str(names[found[0]]), expression)
    assert re.fullmatch(r"[0-9+*()]+", text), text
    return eval(text)


def random_model(architecture, seed):
    """Return random weights of an architecture."""
    found = rb.describe(architecture)
    random = np.random.default_rng(seed)
    arrays = {}
    for name, axes in found.axes.items():
        shape = [size_of(axis.split("|")[0], found.groups) for axis in axes]
        if any("|" in axis for axis in axes):
            shape[0] = sum(size_of(part, found.groups) for part in axes[0].split("|"))
        array = random.standard_normal(shape).astype(np.float32)
        arrays[name] = np.abs(array) + 1 if name.endswith("running_var") else array
    return arrays


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Return the paths of two models of each architecture."""
    folder = tmp_path_factory.mktemp("zoo")
    paths = {}
    for architecture in MODELS:
        name = architecture.partition(":")[0]
        paths[architecture] = [folder / f"{name}-{x}.safetensors" for x in "ab"]
        for seed, path in enumerate(paths[architecture]):
            rb.open(random_model(architecture, seed)).save(path)
    return paths


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("architecture", MODELS)
def test_alignments_are_those_of_the_program(models, tmp_path, architecture, method):
    a, b = models[architecture]
    said = ["--model", architecture, "--seed", "3"]
    if method == "sinkhorn" and architecture in WITH_INNER_GROUPS:
        run_program("match", a, b, "--method", method, *said, code=3)
        with pytest.raises(rb.UnsupportedError, match="groups inside other groups"):
            rb.align(a, b, method=method, model=architecture)
        return
    run_program("match", a, b, "--method", method, *said, "-o", tmp_path / "r.json")
    r = rb.align(a, b, method=method, model=architecture, seed=3)
    assert r.to_json() == (tmp_path / "r.json").read_text()
    in_memory = rb.align(
        dict(rb.open(a)), dict(rb.open(b)), method=method, model=architecture, seed=3
    )
    assert in_memory == r


@pytest.mark.parametrize("method", [*METHODS, "none"])
@pytest.mark.parametrize("architecture", MODELS)
def test_merges_are_those_of_the_program(models, tmp_path, architecture, method):
    a, b = models[architecture]
    if method == "sinkhorn" and architecture in WITH_INNER_GROUPS:
        pytest.skip("refused, as the test above shows")
    said = ["--model", architecture, "--seed", "3", "--no-verify"]
    run_program(
        "merge", a, b, "--align", method, *said, "-o", tmp_path / "c.safetensors"
    )
    merged = rb.merge([a, b], align=method, model=architecture, seed=3, verify=False)
    merged.save(tmp_path / "p.safetensors")
    program = (tmp_path / "c.safetensors").read_bytes()
    assert (tmp_path / "p.safetensors").read_bytes() == program


@pytest.mark.parametrize(
    ("flags", "options"),
    [
        (["--lambda", "0.3"], {"lambda_": 0.3}),
        (["--interpolation", "slerp"], {"interpolation": "slerp"}),
        (["--interpolation", "many"], {"interpolation": "many"}),
        (["--many", "consistent", "--interpolation", "many"], {"many": "consistent"}),
        (["--start", "annealed"], {"start": "annealed"}),
        (["--order", "random", "--restarts", "2"], {"order": "random", "restarts": 2}),
        (["--repair", "bias"], {"repair": "bias"}),
        (["--dtype", "BF16"], {"dtype": "BF16"}),
        (["--symmetries", "permute+scale"], {"symmetries": "permute+scale"}),
        (["--balance"], {"balance": True}),
    ],
)
def test_options_mean_what_they_mean_to_the_program(models, tmp_path, flags, options):
    architecture = MODELS[0]
    a, b = models[architecture]
    if "many" in options:
        options = {**options, "interpolation": "many"}
    run_program("merge", a, b, "--model", architecture, *flags, "-o", tmp_path / "c.pt")
    rb.merge([a, b], model=architecture, **options).save(tmp_path / "p.pt")
    assert (tmp_path / "p.pt").read_bytes() == (tmp_path / "c.pt").read_bytes()


def test_results_do_not_depend_on_the_number_of_threads(models):
    for paths in models.values():
        options = {"start": "best", "model": "auto"}
        try:
            one = rb.align(*paths, threads=1, **options)
        except rb.MismatchError:
            continue  # heads must be said
        assert rb.align(*paths, threads=3, **options).to_json() == one.to_json()


def test_alignments_of_either_are_applied_by_the_other(models, tmp_path):
    architecture = MODELS[0]
    a, b = models[architecture]
    rb.align(a, b).save(tmp_path / "r.json")
    run_program(
        "apply", b, "--align", tmp_path / "r.json", "-o", tmp_path / "c.safetensors"
    )
    rb.Alignment.load(tmp_path / "r.json").apply(b).save(tmp_path / "p.safetensors")
    program = (tmp_path / "c.safetensors").read_bytes()
    assert (tmp_path / "p.safetensors").read_bytes() == program


def test_the_version_is_that_of_the_program():
    assert run_program("--version").split()[-1] == rb.__version__
