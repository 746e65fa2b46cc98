"""Arrays in and out: types, memory layouts, lifetimes, and what is refused."""

import gc
import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import pyrebasin as rb

PLAIN_TYPES = [
    "bool",
    "uint8",
    "int8",
    "uint16",
    "int16",
    "float16",
    "uint32",
    "int32",
    "float32",
    "complex64",
    "float64",
    "int64",
    "uint64",
]


def same_memory(x, y):
    return x.__array_interface__["data"][0] == y.__array_interface__["data"][0]


@pytest.mark.parametrize("kind", PLAIN_TYPES)
def test_arrays_of_every_type_come_back_without_a_copy(kind):
    array = np.arange(6).astype(kind).reshape(2, 3)
    back = rb.open({"x": array})["x"]
    assert back.dtype == array.dtype
    assert np.array_equal(back, array)
    assert same_memory(back, array)
    assert not back.flags.writeable


@given(
    hnp.arrays(
        dtype=st.sampled_from([np.float32, np.float64, np.float16, np.int64]),
        shape=hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4),
        elements={"allow_nan": False},
    )
)
def test_arrays_of_any_shape_come_back_equal(array):
    back = rb.open({"x": array})["x"]
    assert back.shape == array.shape
    assert np.array_equal(back, array)


@given(
    hnp.arrays(np.float32, (3, 4, 2), elements=st.floats(0, 1, width=32)),
    st.permutations([0, 1, 2]),
    st.lists(st.sampled_from([-2, -1, 1, 2]), min_size=3, max_size=3),
)
def test_views_of_any_strides_come_back_equal(array, axes, steps):
    view = array.transpose(axes)[tuple(slice(None, None, step) for step in steps)]
    assert np.array_equal(rb.open({"x": view})["x"], view)


def test_fortran_order_is_copied_to_the_order_of_models():
    array = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    model = rb.open({"x": array})
    assert np.array_equal(model["x"], array)
    assert not same_memory(model["x"], array)


def test_read_only_arrays_are_used_without_a_copy():
    array = np.arange(6.0)
    array.flags.writeable = False
    assert same_memory(rb.open({"x": array})["x"], array)


def test_bfloat16_of_ml_dtypes_comes_back_without_a_copy():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    array = np.arange(6).astype(ml_dtypes.bfloat16)
    model = rb.open({"x": array})
    assert model.dtype("x") == "BF16"
    assert model["x"].dtype == ml_dtypes.bfloat16
    assert same_memory(model["x"], array)


def test_anything_with_dlpack_is_taken():
    class Wrapped:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    array = np.arange(6.0)
    assert same_memory(rb.open({"x": Wrapped(array)})["x"], array)


def test_arrays_live_as_long_as_what_is_made_of_them():
    """Delete the array, the model and the view in every order."""
    for order in itertools.permutations(["array", "model", "view"]):
        kept = {"array": np.full(1000, 7.0)}
        kept["model"] = rb.open({"x": kept["array"]})
        kept["view"] = kept["model"]["x"]
        for name in order:
            if name == "view":
                assert (kept["view"] == 7).all()
            del kept[name]
            gc.collect()


def test_views_outlive_the_model_of_a_file(play):
    view = rb.open(play / "a.safetensors")["fc1.weight"]
    gc.collect()
    assert np.isfinite(view).all()


def test_a_result_outlives_what_it_was_made_of(arrays):
    a, b = ({name: x.copy() for name, x in one.items()} for one in arrays)
    merged = rb.merge([a, b])
    expected = {name: x.copy() for name, x in merged.items()}
    del a, b
    gc.collect()
    for name, array in merged.items():
        assert np.array_equal(array, expected[name])


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ({"x": np.array(["a"])}, "which models do not have"),
        ({"x": np.array([object()])}, "which models do not have"),
        ({"x": np.zeros(3, np.complex128)}, "which models do not have"),
        ({"x": np.zeros(3, "M8[s]")}, "which models do not have"),
        ({"x": np.zeros(3, [("a", "f4")])}, "which models do not have"),
        ({"x": np.zeros(3, ">f4")}, "big-endian"),
        ({"x": "text"}, "no array: str"),
        ({"x": None}, "no array: NoneType"),
        ({"x": [1.0, 2.0]}, "no array: list"),
        ({1: np.zeros(3)}, "names of tensors are strings"),
        ({"": np.zeros(3)}, "empty name"),
        (3, "of type int"),
        ([np.zeros(3)], "of type list"),
    ],
)
def test_what_is_no_array_is_refused(bad, said):
    with pytest.raises(rb.Error, match=said) as caught:
        rb.open(bad)
    assert isinstance(caught.value, ValueError)
    assert caught.value.code


def test_arrays_elsewhere_than_in_the_memory_of_the_cpu_are_refused():
    class OnGpu:
        def __dlpack__(self, **options):
            raise AssertionError("must not be asked for")

        def __dlpack_device__(self):
            return (2, 0)

    with pytest.raises(rb.UnsupportedError, match="not in the memory of the CPU"):
        rb.open({"x": OnGpu()})


@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_numbers_that_are_not_finite_are_refused_by_name(arrays, number):
    a, b = arrays
    bad = {**b, "fc2.weight": b["fc2.weight"].copy()}
    bad["fc2.weight"][1, 2] = number
    with pytest.raises(rb.BadInputError, match=r"fc2\.weight"):
        rb.align(a, bad)


def test_missing_and_additional_names_are_listed(arrays):
    a, b = arrays
    other = {("other" if name == "fc1.bias" else name): x for name, x in b.items()}
    with pytest.raises(rb.MismatchError, match=r'"fc1\.bias".*"other"'):
        rb.align(a, other)


def test_other_shapes_and_types_are_named(arrays):
    a, b = arrays
    with pytest.raises(rb.MismatchError, match=r"fc1\.bias.*\[128\].*\[127\]"):
        rb.align(a, {**b, "fc1.bias": b["fc1.bias"][:-1]})
    with pytest.raises(rb.MismatchError, match=r"fc1\.bias.*F64"):
        rb.align(a, {**b, "fc1.bias": b["fc1.bias"].astype(np.float64)})


def test_an_empty_model_is_refused():
    with pytest.raises(rb.MismatchError, match="no tensors"):
        rb.align({}, {})
