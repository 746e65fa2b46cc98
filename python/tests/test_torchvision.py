"""Models of torchvision, traced and exported: the groups are the same."""

import pytest

import pyrebasin as rb

torch = pytest.importorskip("torch")
models = pytest.importorskip("torchvision.models")

SIZE = {
    "alexnet": 224,
    "inception_v3": 299,
    "swin_t": 224,
    "vgg11_bn": 224,
    "vit_b_32": 224,
}
NAMES = [
    "alexnet",
    "convnext_tiny",
    "densenet121",
    "efficientnet_b0",
    "efficientnet_v2_s",
    "googlenet",
    "inception_v3",
    "mnasnet0_5",
    "mobilenet_v2",
    "mobilenet_v3_small",
    "regnet_x_400mf",
    "regnet_y_400mf",
    "resnet18",
    "resnet50",
    "resnext50_32x4d",
    "shufflenet_v2_x0_5",
    "squeezenet1_1",
    "swin_t",
    "vgg11_bn",
    "vit_b_32",
]
EXPORT = {
    "do_constant_folding": False,
    "training": torch.onnx.TrainingMode.PRESERVE,
    "opset_version": 17,
}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
def test_traced_groups_are_those_of_the_exported_file(tmp_path, name):
    options = {"aux_logits": False} if name in ("googlenet", "inception_v3") else {}
    if options:
        options["init_weights"] = False
    torch.manual_seed(0)
    module = getattr(models, name)(**options).eval()
    size = SIZE.get(name, 64)
    example = torch.zeros(1, 3, size, size)
    torch.onnx.export(module, (example,), str(tmp_path / "m.onnx"), **EXPORT)
    traced = rb.inspect(module, model=rb.trace(module, example))
    exported = rb.inspect(module, model=str(tmp_path / "m.onnx"))
    assert traced.groups
    assert traced.groups == exported.groups
    assert traced.axes == exported.axes
    assert traced.barriers == exported.barriers
