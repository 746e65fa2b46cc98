"""Federated averaging, plain and with the real Flower."""

import numpy as np
import pytest

import pyrebasin as rb


def equal(x, y):
    return all(np.array_equal(x[name], y[name]) for name in x)


def close(x, y):
    return all(np.allclose(x[name], y[name], atol=1e-6) for name in x)


def test_the_mean_of_two_is_their_merge(arrays):
    a, b = arrays
    mean = rb.AlignedAverage()
    mean.add(a, weight=3)
    mean.add(b, weight=1)
    assert equal(mean.result(), rb.merge([a, b], weights=[0.75, 0.25]))
    assert mean.moved == [0, 255]


def test_permuted_copies_of_one_model_average_to_it(arrays):
    a, b = arrays
    moved = rb.align(a, b).apply(b)
    mean = rb.AlignedAverage(b)
    for model in (moved, b, moved):
        mean.add(model)
    assert close(mean.result(), b)


def test_weights_and_an_empty_mean_are_refused(arrays):
    with pytest.raises(rb.UsageError, match="not positive"):
        rb.AlignedAverage().add(arrays[0], weight=0)
    with pytest.raises(rb.UsageError, match="no model"):
        rb.AlignedAverage().result()


@pytest.fixture
def flower():
    return pytest.importorskip("flwr.app")


class Reply:
    """What a strategy reads of a Message, which only a server can make."""

    def __init__(self, content):
        self.content = content

    def has_error(self):
        return False


def replies_with(flower, models):
    """Return what clients with these models reply."""
    replies = []
    for model in models:
        arrays = flower.ArrayRecord(
            {name: flower.Array(array) for name, array in model.items()}
        )
        metrics = flower.MetricRecord({"num-examples": 10, "loss": 0.5})
        content = flower.RecordDict({"arrays": arrays, "metrics": metrics})
        replies.append(Reply(content))
    return replies


def test_flowers_strategy_aligns_before_it_averages(flower, arrays):
    from flwr.serverapp.strategy import FedAvg

    from pyrebasin.flower import AlignedFedAvg

    a, b = arrays
    strategy = AlignedFedAvg()
    averaged, metrics = strategy.aggregate_train(1, replies_with(flower, [a, b]))
    result = {name: array.numpy() for name, array in averaged.items()}
    assert equal(result, rb.merge([a, b]))
    assert metrics["loss"] == 0.5
    assert strategy.units_moved == [0, 255]
    plain, _ = FedAvg().aggregate_train(1, replies_with(flower, [a, b]))
    assert not np.allclose(plain["fc1.weight"].numpy(), result["fc1.weight"])


def test_flowers_strategy_refuses_options_without_a_meaning(flower):
    from pyrebasin.flower import AlignedFedAvg

    with pytest.raises(rb.UsageError, match="align_to"):
        AlignedFedAvg(align_to="me")
    with pytest.raises(TypeError, match="nonsense"):
        AlignedFedAvg(match={"nonsense": 1})
