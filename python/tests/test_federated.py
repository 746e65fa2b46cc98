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


def shuffled(arrays, seed):
    """Return the same function with its units in another order."""
    random = np.random.default_rng(seed)
    first, second = random.permutation(128), random.permutation(128)
    return {
        "fc1.weight": arrays["fc1.weight"][first],
        "fc1.bias": arrays["fc1.bias"][first],
        "fc2.weight": arrays["fc2.weight"][second][:, first],
        "fc2.bias": arrays["fc2.bias"][second],
        "fc3.weight": arrays["fc3.weight"][:, second],
        "fc3.bias": arrays["fc3.bias"],
    }


def simulate(flower, strategy, start):
    """Run one round with three clients, each of which shuffles the units."""
    from flwr.clientapp import ClientApp
    from flwr.serverapp import ServerApp
    from flwr.simulation import run_simulation

    def record_of(arrays):
        return flower.ArrayRecord(
            {name: flower.Array(np.ascontiguousarray(x)) for name, x in arrays.items()}
        )

    client, server, results = ClientApp(), ServerApp(), []

    @client.train()
    def train(message, context):
        arrays = {name: x.numpy() for name, x in message.content["arrays"].items()}
        seed = int(context.node_config["partition-id"])
        content = flower.RecordDict(
            {
                "arrays": record_of(shuffled(arrays, seed)),
                "metrics": flower.MetricRecord({"num-examples": 1 + seed}),
            }
        )
        return flower.Message(content=content, reply_to=message)

    @server.main()
    def main(grid, context):
        results.append(
            strategy.start(grid=grid, initial_arrays=record_of(start), num_rounds=1)
        )

    run_simulation(server, client, num_supernodes=3)
    return {name: x.numpy() for name, x in results[0].arrays.items()}


@pytest.mark.slow
def test_a_simulated_federation_is_rescued(flower, arrays):
    pytest.importorskip("ray")
    from flwr.serverapp.strategy import FedAvg

    from pyrebasin.flower import AlignedFedAvg

    a, _ = arrays
    options = {"fraction_evaluate": 0.0, "min_available_nodes": 3, "min_train_nodes": 3}
    plain = simulate(flower, FedAvg(**options), a)
    assert not np.allclose(plain["fc1.weight"], a["fc1.weight"], atol=0.05)
    aligned = simulate(flower, AlignedFedAvg(align_to="global", **options), a)
    assert close(aligned, a)
    among = simulate(flower, AlignedFedAvg(**options), a)
    assert close(rb.align(a, among).apply(among), a)
