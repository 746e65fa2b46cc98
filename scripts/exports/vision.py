"""Classifiers of torchvision."""

import torchvision
from torchvision import models

from exports.entry import Entry, floats


def classifier(name, **options):
    return lambda: getattr(models, name)(weights=None, **options)


def video(name):
    return lambda: getattr(torchvision.models.video, name)(weights=None)


OPEN = (floats('batch', 3, 'height', 'width'),)
SIZES = {'batch': (1, 2, 1), 'height': (64, 96, 32), 'width': (64, 32, 96)}


def entry(name, **options):
    return Entry(classifier(name, **options), OPEN, SIZES)


def fixed(name, side, **options):
    """Of one size of image alone."""
    return Entry(classifier(name, **options),
                 (floats('batch', 3, side, side),), SIZES)


MODELS = {
    'resnet18': entry('resnet18'),
    'resnet50': entry('resnet50'),
    # The pooling of VGG cannot be exported for sizes that it has to stretch.
    'vgg16_bn': fixed('vgg16_bn', 224),
    'densenet121': entry('densenet121'),
    'mobilenet_v2': entry('mobilenet_v2'),
    'mobilenet_v3_small': entry('mobilenet_v3_small'),
    'shufflenet_v2_x1_0': entry('shufflenet_v2_x1_0'),
    'squeezenet1_1': entry('squeezenet1_1'),
    'efficientnet_b0': entry('efficientnet_b0'),
    'regnet_y_400mf': entry('regnet_y_400mf'),
    'convnext_tiny': entry('convnext_tiny'),
    'vit_b_16': fixed('vit_b_16', 64, image_size=64),
    'swin_t': entry('swin_t'),
    'googlenet': entry('googlenet', aux_logits=False, init_weights=False),
    'mnasnet1_0': entry('mnasnet1_0'),
    'resnext50_32x4d': entry('resnext50_32x4d'),
    'wide_resnet50_2': entry('wide_resnet50_2'),
    'alexnet': fixed('alexnet', 224),
    'inception_v3': Entry(
        classifier('inception_v3', aux_logits=False, init_weights=False),
        OPEN, {'batch': (1, 2, 1), 'height': (96, 80, 112),
               'width': (96, 112, 80)}),
    'efficientnet_v2_s': entry('efficientnet_v2_s'),
    'regnet_x_400mf': entry('regnet_x_400mf'),
    'mobilenet_v3_large': entry('mobilenet_v3_large'),
    'swin_v2_t': entry('swin_v2_t'),
    'maxvit_t': fixed('maxvit_t', 224),
    'r3d_18': Entry(video('r3d_18'),
                    (floats('batch', 3, 'depth', 'height', 'width'),),
                    {'batch': (1, 2, 1), 'height': (32, 48, 32),
                     'width': (32, 32, 48)}),
}
