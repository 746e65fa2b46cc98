"""State dicts and modules of PyTorch."""

import copy
import gc
import json
import subprocess
import sys

import numpy as np
import pytest

import pyrebasin as rb

torch = pytest.importorskip("torch")
modules = pytest.importorskip("modules")

EXPORT = {
    "do_constant_folding": False,
    "training": torch.onnx.TrainingMode.PRESERVE,
    "opset_version": 17,
}


def make(kind, seed=0):
    torch.manual_seed(seed)
    return kind().eval()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", modules.EXAMPLES, ids=lambda kind: kind.__name__)
def test_traced_groups_are_those_of_the_exported_file(tmp_path, kind):
    module, example = make(kind), modules.EXAMPLES[kind]
    torch.onnx.export(module, (example,), str(tmp_path / "m.onnx"), **EXPORT)
    graph = rb.trace(module, example)
    traced = rb.inspect(module, model=graph)
    exported = rb.inspect(module, model=str(tmp_path / "m.onnx"))
    assert traced.groups
    assert traced.groups == exported.groups
    assert traced.axes == exported.axes
    assert not traced.barriers
    assert len(graph.onnx) < 50_000


@pytest.mark.parametrize("kind", modules.EXAMPLES, ids=lambda kind: kind.__name__)
def test_traced_modules_are_aligned_and_proved(kind):
    a, b, example = make(kind, 0), make(kind, 1), modules.EXAMPLES[kind]
    graph = rb.trace(a, example)
    r = rb.align(a, b, model=graph)
    merged = rb.merge([a, b], alignments=[None, r], model=graph)
    assert all(proof.proved for proof in merged.proofs)
    if not r.is_identity:
        assert merged.proofs
        assert rb.check_module(b, r, example).same
    a.load_state_dict(merged.state_dict())


def test_tracing_leaves_the_module_as_it_was():
    module = make(modules.InPlace).train()
    module.norm.eval()
    before = copy.deepcopy(module.state_dict())
    rb.trace(module, modules.EXAMPLES[modules.InPlace])
    assert module.training
    assert not module.norm.training
    for name, tensor in module.state_dict().items():
        assert torch.equal(tensor, before[name])


def test_open_axes_are_open():
    graph = rb.trace(
        make(modules.Twice),
        torch.zeros(2, 4),
        input_names=["x"],
        dynamic_axes={"x": {0: "batch"}},
    )
    proof = rb.verify(make(modules.Twice), model=graph)
    assert proof.proved
    assert len({tuple(map(tuple, shapes)) for shapes in proof.input_shapes}) > 1


def test_what_cannot_be_traced_says_why_and_what_to_do():
    with pytest.raises(
        rb.UnsupportedError, match="cannot export Untraceable"
    ) as caught:
        rb.trace(modules.Untraceable(), torch.zeros(3, 3))
    assert "eigvals" in str(caught.value)
    assert ".onnx" in caught.value.hint
    with pytest.raises(rb.UsageError, match="Module"):
        rb.trace("resnet20", torch.zeros(1))


def test_a_wrong_alignment_is_seen_by_running_the_module(tmp_path):
    module, other = make(modules.Twice), make(modules.Twice, 1)
    # The spec says that the units of `first` may move alone.
    axes = {"first.weight": ["P", "4"], "first.bias": ["P"]}
    for name, tensor in module.state_dict().items():
        axes.setdefault(name, [str(size) for size in tensor.shape])
    spec = {
        "format": "rebasin-symmetry",
        "version": 1,
        "groups": {"P": 16},
        "tensors": axes,
    }
    (tmp_path / "wrong.json").write_text(json.dumps(spec))
    wrong = rb.align(module, other, spec=tmp_path / "wrong.json")
    with pytest.raises(rb.MismatchError, match="changes its outputs"):
        rb.check_module(other, wrong, modules.EXAMPLES[modules.Twice])


def test_torch_tensors_come_back_as_torch_tensors():
    a, b = make(modules.Twice, 0), make(modules.Twice, 1)
    graph = rb.trace(a, torch.zeros(1, 4))
    r = rb.align(a.state_dict(), b.state_dict(), model=graph)
    moved = r.apply(b.state_dict(), model=graph)
    assert all(isinstance(tensor, torch.Tensor) for tensor in moved.values())
    merged = rb.merge([a.state_dict(), moved], align=None)
    assert isinstance(merged["last.weight"], torch.Tensor)
    assert isinstance(merged.numpy("last.weight"), np.ndarray)


@pytest.mark.parametrize(
    "kind",
    ["float32", "float64", "float16", "bfloat16", "int64", "int32", "uint8", "bool"],
)
def test_every_type_of_torch_is_shared_and_comes_back(kind):
    tensor = torch.arange(6).to(getattr(torch, kind)).reshape(2, 3)
    model = rb.open({"x": tensor, "scalar": tensor[0, 0], "none": tensor[:0]})
    assert torch.equal(model["x"], tensor)
    assert model["scalar"].shape == ()
    assert model["none"].shape == (0, 3)
    if kind != "bfloat16":
        pointer = model.numpy("x").__array_interface__["data"][0]
        assert pointer == tensor.data_ptr()


def test_tensors_of_any_layout_are_taken():
    tensor = torch.arange(24.0).reshape(2, 3, 4)
    for view in (tensor.permute(2, 0, 1), tensor[:, ::2], tensor.expand(3, 2, 3, 4)):
        assert torch.equal(rb.open({"x": view})["x"], view)
    assert torch.equal(rb.open({"x": tensor.requires_grad_()})["x"], tensor)
    assert torch.equal(rb.open({"x": torch.nn.Parameter(tensor)})["x"], tensor)


def test_tensors_without_plain_numbers_are_refused():
    with pytest.raises(rb.UnsupportedError, match="sparse"):
        rb.open({"x": torch.eye(3).to_sparse()})
    with pytest.raises(rb.UnsupportedError, match="meta"):
        rb.open({"x": torch.zeros(3, device="meta")})


def test_tensors_live_as_long_as_what_is_made_of_them():
    model = rb.open({"x": torch.full((1000,), 7.0)})
    gc.collect()
    view = model.numpy("x")
    del model
    gc.collect()
    assert (view == 7).all()


def test_torch_is_not_imported_unless_the_user_did(play):
    script = f"""
import sys
import pyrebasin as rb
rb.merge([{str(play / "a.safetensors")!r}, {str(play / "b.safetensors")!r}])
assert "torch" not in sys.modules and "jax" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", script], check=True)
