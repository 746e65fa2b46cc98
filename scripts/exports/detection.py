"""Detection, segmentation and optical flow of torchvision."""

import torch
import torchvision
from torch import nn
from torchvision.models import detection, optical_flow, segmentation

from exports.entry import Entry, floats


class Detected(nn.Module):
    """One image in; boxes, classes and scores out."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, image):
        found = self.model([image[0]])
        found = found[1] if isinstance(found, tuple) else found
        return found[0]['boxes'], found[0]['scores'], found[0]['labels']


def set_constants(model):
    """Other numbers where all are one or zero."""
    for key, tensor in model.named_parameters():
        if tensor.dim() == 1 and key.endswith('weight'):
            tensor.uniform_(0.5, 1.5)
        elif tensor.dim() == 1:
            tensor.normal_(0, 0.2)


def measure(model, images):
    """Statistics are those of what the norms meet."""
    norms = [one for one in model.modules()
             if isinstance(one, nn.BatchNorm2d)]
    for one in norms:
        one.train()
        one.momentum = None
        one.reset_running_stats()
    model(images)
    for one in norms:
        one.eval()


def spread(module, _, output):
    """A hook: from now on the outputs of the layer are of order one."""
    if getattr(module, 'is_spread', False):
        return output
    module.is_spread = True
    scale = output.std().clamp(min=1e-6)
    module.weight /= scale
    if module.bias is not None:
        module.bias /= scale
    return output / scale


@torch.no_grad()
def calibrated(model):
    """A detector whose boxes and scores differ, as if it had been trained.

    As it is initialised, scores are equal to six digits, and rounding decides
    which boxes come first.
    """
    images = list(torch.randn(4, 3, 96, 96))
    set_constants(model)
    measure(model, images)
    hooks = [module.register_forward_hook(spread)
             for name, module in model.named_modules()
             if isinstance(module, (nn.Conv2d, nn.Linear))
             and name.startswith(('head', 'rpn', 'roi_heads'))]
    model(images)
    for hook in hooks:
        hook.remove()
    return model


def detector(name, **options):
    def build():
        model = getattr(detection, name)(
            weights=None, weights_backbone=None, num_classes=4, **options)
        return Detected(calibrated(model.eval()))
    return build


class Outlined(Detected):
    """What is drawn into the boxes, too: masks or points of the body."""

    def __init__(self, model, drawn):
        super().__init__(model)
        self.drawn = drawn

    def forward(self, image):
        found = self.model([image[0]])
        found = (found[1] if isinstance(found, tuple) else found)[0]
        return found['boxes'], found['scores'], found[self.drawn]


def outliner(name, drawn, **options):
    def build():
        return Outlined(detector(name, **options)().model, drawn).eval()
    return build


class Segmented(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, image):
        return self.model(image)['out']


def segmenter(name):
    return lambda: Segmented(getattr(segmentation, name)(
        weights=None, weights_backbone=None, num_classes=4))


class Flow(nn.Module):
    """Two images, and where things moved between them."""

    def __init__(self):
        super().__init__()
        self.model = optical_flow.raft_small(weights=None)

    def forward(self, one, two):
        return self.model(one, two, num_flow_updates=2)[-1]


class Sampled(nn.Module):
    """A spatial transformer: the image is read where a network says."""

    def __init__(self):
        super().__init__()
        self.where = nn.Sequential(
            nn.Conv2d(3, 8, 5, stride=2), nn.ReLU(), nn.AdaptiveAvgPool2d(1),
            nn.Flatten(), nn.Linear(8, 2))
        self.first, self.second = (nn.Conv2d(3, 8, 3, padding=1),
                                   nn.Conv2d(8, 6, 3))

    def forward(self, x):
        shift = self.where(x)[:, None, None]
        height, width = x.shape[2], x.shape[3]
        rows = torch.arange(height).float()[:, None] / 12 - 1
        columns = torch.arange(width).float()[None] / 12 - 1
        grid = torch.stack((columns.expand(height, width),
                            rows.expand(height, width)), -1)
        y = nn.functional.grid_sample(torch.relu(self.first(x)),
                                      grid[None] + shift, align_corners=False)
        return self.second(y).mean((2, 3))


class Regions(nn.Module):
    """Given boxes are cut out of the features."""

    def __init__(self):
        super().__init__()
        self.body = nn.Conv2d(3, 8, 3, padding=1)
        self.first, self.head = nn.Linear(8 * 4, 10), nn.Linear(10, 4)

    def forward(self, x, corners):
        low, high = corners[:, :2].abs(), corners[:, 2:].abs() + 5
        boxes = torch.cat((torch.zeros_like(low[:, :1]), low, low + high), 1)
        x = torchvision.ops.roi_align(torch.relu(self.body(x)), boxes, (2, 2),
                                      sampling_ratio=2)
        return self.head(torch.relu(self.first(x.flatten(1))))


def side(traced, small, large):
    return {'height': (traced, small, large), 'width': (traced, large, small)}


ONE = (floats(1, 3, 'height', 'width'),)
SMALL = {'min_size': 96, 'max_size': 160}
FEW = {**SMALL, 'detections_per_img': 20}
FEW_REGIONS = {**SMALL, 'box_detections_per_img': 20}
MANY = (floats('batch', 3, 'height', 'width'),)

MODELS = {
    'spatial-transformer': Entry(Sampled, MANY, opset=16,
                                 reason='GridSample'),
    'regions': Entry(Regions, (floats(1, 3, 'height', 'width'),
                               floats('other', 4, name='corners'))),
    'ssdlite320_mobilenet_v3_large': Entry(
        detector('ssdlite320_mobilenet_v3_large', detections_per_img=20), ONE,
        side(320, 256, 300)),
    'fasterrcnn_mobilenet_v3_large_320_fpn': Entry(
        detector('fasterrcnn_mobilenet_v3_large_320_fpn', **FEW_REGIONS), ONE,
        side(96, 80, 128)),
    'maskrcnn_resnet50_fpn': Entry(
        outliner('maskrcnn_resnet50_fpn', 'masks', **FEW_REGIONS), ONE,
        side(96, 80, 128)),
    'keypointrcnn_resnet50_fpn': Entry(
        outliner('keypointrcnn_resnet50_fpn', 'keypoints', **FEW_REGIONS), ONE,
        side(96, 80, 128)),
    'retinanet_resnet50_fpn': Entry(
        detector('retinanet_resnet50_fpn', **FEW), ONE, side(96, 80, 128)),
    'fcos_resnet50_fpn': Entry(
        detector('fcos_resnet50_fpn', **FEW), ONE, side(96, 80, 128)),
    'deeplabv3_mobilenet_v3_large': Entry(
        segmenter('deeplabv3_mobilenet_v3_large'), MANY, side(64, 48, 80)),
    'lraspp_mobilenet_v3_large': Entry(
        lambda: Segmented(segmentation.lraspp_mobilenet_v3_large(
            weights=None, weights_backbone=None, num_classes=4)), MANY,
        side(64, 48, 80)),
    'fcn_resnet50': Entry(segmenter('fcn_resnet50'), MANY, side(64, 48, 80)),
    'raft_small': Entry(Flow, (
        floats('batch', 3, 'height', 'width', name='one'),
        floats('batch', 3, 'height', 'width', name='two')),
        {**side(128, 136, 144), 'batch': (1, 2, 1)}, opset=16,
        reason='GridSample'),
}
