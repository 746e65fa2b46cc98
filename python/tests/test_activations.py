"""Matching by activations that any framework computes."""

import numpy as np
import pytest

import pyrebasin as rb


def relu(x):
    return np.maximum(x, 0)


def inputs_of_layers(arrays, x):
    """Return what enters the layers of the model of `rebasin demo`."""
    first = relu(x @ arrays["fc1.weight"].T + arrays["fc1.bias"])
    second = relu(first @ arrays["fc2.weight"].T + arrays["fc2.bias"])
    return {"fc2": first, "fc3": second}


@pytest.mark.parametrize("cost", ["correlation", "product"])
def test_a_permuted_copy_is_found(arrays, cost):
    a, b = arrays
    r = rb.align(a, b)
    copy = r.inverse().apply(a)
    matcher = rb.ActivationMatcher(a, copy, cost=cost)
    random = np.random.default_rng(0)
    for size in (100, 37):  # the last batch is smaller
        x = random.standard_normal((size, 64)).astype(np.float32)
        matcher.add(inputs_of_layers(a, x), inputs_of_layers(copy, x))
    found = matcher.align()
    back = found.apply(copy)
    assert all(np.array_equal(back[name], a[name]) for name in a)
    assert found.report.start == "activations"


def test_groups_that_no_activation_shows_are_matched_by_weights(arrays):
    a, b = arrays
    matcher = rb.ActivationMatcher(a, b)
    x = np.random.default_rng(0).standard_normal((500, 64)).astype(np.float32)
    only = [{"fc2": inputs_of_layers(one, x)["fc2"]} for one in (a, b)]
    matcher.add(*only)
    by_weights = rb.align(a, b).permutations["fc2"]
    assert (matcher.align().permutations["fc2"] == by_weights).mean() > 0.9


def test_wrong_activations_are_refused(arrays):
    matcher = rb.ActivationMatcher(*arrays)
    good = np.ones((10, 128))
    with pytest.raises(rb.UsageError, match="no activations"):
        matcher.align()
    with pytest.raises(rb.UsageError, match="different layers"):
        matcher.add({"fc2": good}, {"fc3": good})
    with pytest.raises(rb.UsageError, match="no layer"):
        matcher.add({"fc1": good}, {"fc1": good})
    with pytest.raises(rb.MismatchError, match="128 units"):
        matcher.add({"fc2": good[:, :99]}, {"fc2": good[:, :99]})
    with pytest.raises(rb.MismatchError, match=r"\[9, 128\] in B"):
        matcher.add({"fc2": good}, {"fc2": good[:9]})
    matcher.add({"fc2": good}, {"fc2": good})
    with pytest.raises(rb.MismatchError, match="before it"):
        matcher.add({"fc3": good}, {"fc3": good})
    matcher.add({"fc2": good * np.nan}, {"fc2": good})
    with pytest.raises(rb.BadInputError, match="NaN"):
        matcher.align()
    with pytest.raises(rb.UsageError, match="cost="):
        rb.ActivationMatcher(*arrays, cost="distance")


def test_modules_of_torch_are_watched():
    torch = pytest.importorskip("torch")
    modules = pytest.importorskip("modules")
    torch.manual_seed(0)
    for kind in (modules.InPlace, modules.Functional, modules.Gated):
        a, example = kind().eval(), modules.EXAMPLES[kind]
        graph = rb.trace(a, example)
        inspected = rb.inspect(a, model=graph)
        other = kind().eval()
        copy = kind().eval()
        copy.load_state_dict(rb.align(other, a, model=graph).apply(a))
        matcher = rb.ActivationMatcher(a, copy, model=graph)
        if kind is modules.Functional:
            continue  # has no layers to watch
        with torch.no_grad(), matcher.attach(a, copy):
            for _ in range(4):
                x = torch.randn(64, *example.shape[1:])
                a(x)
                copy(x)
        back = matcher.align().apply(copy, model=graph)
        assert inspected.groups
        for name, tensor in a.state_dict().items():
            assert torch.equal(back[name], tensor), name
        assert not a._forward_hooks
        assert not copy._forward_hooks
