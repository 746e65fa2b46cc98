"""Arrays of any framework as tensors, and tensors as arrays of any framework.

No framework but NumPy is ever imported here unless the user has imported it.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._errors import BadInputError, UnsupportedError, UsageError

CPU = 1  # DLPack's number of the device

NUMPY_TYPES: dict[str, str] = {
    "BOOL": "bool",
    "U8": "uint8",
    "I8": "int8",
    "I16": "int16",
    "U16": "uint16",
    "F16": "float16",
    "I32": "int32",
    "U32": "uint32",
    "F32": "float32",
    "C64": "complex64",
    "F64": "float64",
    "I64": "int64",
    "U64": "uint64",
}
# Types that NumPy has only with the package ml_dtypes.
EXTRA_TYPES: dict[str, str] = {
    "BF16": "bfloat16",
    "F8_E5M2": "float8_e5m2",
    "F8_E4M3": "float8_e4m3fn",
    "F8_E8M0": "float8_e8m0fnu",
    "F8_E4M3FNUZ": "float8_e4m3fnuz",
    "F8_E5M2FNUZ": "float8_e5m2fnuz",
}
EXTRA_NAMES = {name: dtype for dtype, name in EXTRA_TYPES.items()}
TORCH_TYPES: dict[str, str] = {
    **NUMPY_TYPES,
    "BF16": "bfloat16",
    "F8_E5M2": "float8_e5m2",
    "F8_E4M3": "float8_e4m3fn",
}


def is_torch(array: object) -> bool:
    """Tell whether this is a tensor of PyTorch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(array, getattr(torch, "Tensor", ()))


def framework_of(arrays: Mapping[str, Any]) -> str:
    """Return "torch", "jax" or "numpy", by the first array."""
    for array in arrays.values():
        if is_torch(array):
            return "torch"
        if type(array).__module__.partition(".")[0] in ("jax", "jaxlib"):
            return "jax"
        return "numpy"
    return "numpy"


def _of_numpy(name: str, array: NDArray[Any]) -> tuple[str, str, Any]:
    kind = array.dtype.name
    if array.dtype.byteorder == ">" or (
        array.dtype.byteorder == "=" and sys.byteorder == "big"
    ):
        raise UnsupportedError(
            f'tensor "{name}" is big-endian',
            hint='convert it: array.astype(array.dtype.newbyteorder("<"))',
        )
    plain = array if array.flags.c_contiguous else array.copy(order="C")
    if kind in EXTRA_NAMES:
        bits = np.uint16 if plain.dtype.itemsize == 2 else np.uint8
        return name, EXTRA_NAMES[kind], plain.view(bits)
    if kind not in NUMPY_TYPES.values():
        raise UnsupportedError(
            f'tensor "{name}" has the type {kind}, which models do not have',
            hint="leave it out, or convert it",
        )
    return name, "", plain


def _of_torch(name: str, tensor: Any) -> tuple[str, str, Any]:
    if tensor.layout is not sys.modules["torch"].strided or tensor.is_quantized:
        raise UnsupportedError(
            f'tensor "{name}" is sparse or quantised',
            hint="convert it: tensor.to_dense() or tensor.dequantize()",
        )
    if tensor.device.type != "cpu":
        raise UnsupportedError(
            f'tensor "{name}" is on the device {tensor.device}',
            hint="copy it to the CPU: tensor.cpu()",
        )
    plain = tensor.detach().resolve_conj().resolve_neg().contiguous()
    kind = str(plain.dtype).removeprefix("torch.")
    if kind == "bool" or kind.startswith("float8"):  # DLPack may lack them
        bits = plain.view(sys.modules["torch"].uint8)
        return name, EXTRA_NAMES.get(kind, "BOOL" if kind == "bool" else ""), bits
    return name, "", plain


def _named_array(name: object, array: Any) -> tuple[str, str, Any]:
    if not isinstance(name, str):
        raise UsageError(f"names of tensors are strings, not {type(name).__name__}")
    if is_torch(array):
        return _of_torch(name, array)
    if isinstance(array, (np.ndarray, np.generic)):
        return _of_numpy(name, np.asarray(array))
    if not hasattr(array, "__dlpack__"):
        raise BadInputError(
            f'tensor "{name}" is no array: {type(array).__name__}',
            hint="give arrays of NumPy, PyTorch or JAX, or others with __dlpack__",
        )
    if array.__dlpack_device__()[0] != CPU:
        raise UnsupportedError(
            f'tensor "{name}" is not in the memory of the CPU',
            hint="copy it to the CPU first",
        )
    return name, "", array


def weights_of(arrays: Mapping[str, Any]) -> _core.Weights:
    """Return weights that share the memory of `arrays`.

    Arrays that are not contiguous are copied.
    """
    named = [_named_array(name, array) for name, array in arrays.items()]
    try:
        return _core.Weights.of(named, {})
    except TypeError as error:
        raise UnsupportedError(
            "an array has an element type or a layout that models do not have"
        ) from error


def numpy_type(name: str, dtype: str) -> np.dtype[Any]:
    """Return NumPy's type of a tensor; ml_dtypes knows more than NumPy."""
    if dtype in NUMPY_TYPES:
        return np.dtype(NUMPY_TYPES[dtype])
    if dtype in EXTRA_TYPES:
        try:
            import ml_dtypes
        except ImportError:
            raise UnsupportedError(
                f'tensor "{name}" is {dtype}, which NumPy does not have',
                hint="install ml_dtypes; or get it as torch with model.torch(name)",
            ) from None
        return np.dtype(getattr(ml_dtypes, EXTRA_TYPES[dtype]))
    raise UnsupportedError(f'tensor "{name}" is {dtype}, which NumPy does not have')


def to_numpy(
    weights: _core.Weights, name: str, dtype: str, shape: tuple[int, ...]
) -> NDArray[Any]:
    """Return a read-only array that shares the memory of a tensor."""
    kind = numpy_type(name, dtype)
    return weights.bytes_of(name).view(kind).reshape(shape)


def to_torch(
    weights: _core.Weights, name: str, dtype: str, shape: tuple[int, ...]
) -> Any:
    """Return a tensor of PyTorch with a copy of a tensor.

    PyTorch has no read-only tensors, and files are mapped read-only.
    """
    import torch

    if dtype not in TORCH_TYPES or not hasattr(torch, TORCH_TYPES[dtype]):
        raise UnsupportedError(f'tensor "{name}" is {dtype}, which PyTorch lacks')
    kind = getattr(torch, TORCH_TYPES[dtype])
    raw = weights.bytes_of(name)
    if raw.size == 0:
        return torch.empty(shape, dtype=kind)
    return torch.frombuffer(bytearray(raw), dtype=kind).reshape(shape)


def to_framework(
    framework: str,
    weights: _core.Weights,
    name: str,
    dtype: str,
    shape: tuple[int, ...],
) -> Any:
    """Return a tensor as an array of this framework."""
    if framework == "torch":
        return to_torch(weights, name, dtype, shape)
    array = to_numpy(weights, name, dtype, shape)
    if framework == "jax":
        import jax.numpy as jnp

        return jnp.asarray(array)
    return array
