"""Whether a model's answer is true of what the library really gave."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from attncheck.algebra.facts import Facts
from attncheck.algebra.shape import Shape, closed
from attncheck.algebra.size import Symbol
from attncheck.frameworks.lookup import find_layer
from attncheck.frameworks.weights import weight_of
from attncheck.values.tensor import Tensor
from attncheck.values.value import (
    Const,
    Int,
    Layer,
    Library,
    Packed,
    Scalar,
    Sequence,
    Value,
)
from attncheck.values.value import Mapping as Dict

Numbers = Mapping[Symbol, int]


def real_dtype(real: Any) -> str | None:
    """The category of a real array's dtype."""
    if isinstance(real, torch.Tensor):
        if real.dtype is torch.bool:
            return "bool"
        return "float" if real.is_floating_point() else "int"
    dtype = real.dtype if hasattr(real, "dtype") else np.asarray(real).dtype
    return {"f": "float", "i": "int", "u": "int", "b": "bool"}.get(dtype.kind)


def told(real: Any) -> str:
    """The shapes of a real result, however it is nested."""
    if isinstance(real, list | tuple):
        return f"({', '.join(map(told, real))})"
    return str(tuple(real.shape) if hasattr(real, "shape") else real)


def known(value: Value) -> bool:
    """Whether every size of an answer is known."""
    match value:
        case Tensor(shape=shape):
            return shape is not None and shape.closed and None not in shape.sizes()
        case Int(size=size):
            return size is not None
        case Packed(data=data, batch=batch):
            shape = data.shape
            return shape is not None and None not in (batch.size, *shape.sizes()[1:])
        case Sequence(items=None, element=element, length=length):
            return length is not None and known(element)
        case Sequence(items=items):
            return all(known(item) for item in items)
        case Dict(items=items, open=open_):
            return not open_ and all(known(item) for _, item in items)
        case Layer():
            return all(known(weight) for weight in _weights(value).values())
        case Const() | Scalar() | Library():
            return True
    return False


def contradiction(value: Value, real: Any, numbers: Numbers) -> str | None:
    """What an answer says wrongly about the real result, or None."""
    match value:
        case Tensor():
            return _tensor_contradiction(value, real, numbers)
        case Int(size=size):
            if size is not None and size.evaluate(numbers) not in (int(real), None):
                return f"{size} is not {real}"
        case Packed(data=data, batch=batch, time=time):
            counts = closed([batch, time])
            steps = int(real.batch_sizes[0]), len(real.batch_sizes)
            wrong = contradiction(data, real.data, numbers)
            return wrong or shape_contradiction(counts, steps, numbers)
        case Sequence(items=items) if items is not None:
            if len(items) != len(real):
                return f"{len(items)} items, not {len(real)}"
            wrong = [contradiction(i, r, numbers) for i, r in zip(items, real, strict=True)]
            return next((text for text in wrong if text is not None), None)
        case Sequence(element=element, length=length):
            if length is not None and length.evaluate(numbers) not in (len(real), None):
                return f"{length} items, not {len(real)}"
            wrong = [contradiction(element, item, numbers) for item in real]
            return next((text for text in wrong if text is not None), None)
        case Dict(items=items, open=open_):
            if not open_ and {key for key, _ in items} != real.keys():
                return f"the keys {[key for key, _ in items]}, not {list(real)}"
            wrong = [contradiction(item, real[key], numbers) for key, item in items]
            return next((text for text in wrong if text is not None), None)
        case Layer(path=path):
            if path != f"torch.nn.{type(real).__name__}":
                return f"a {path}, not {real}"
            made = _weights(value).items()
            wrong = [contradiction(weight, getattr(real, name), numbers) for name, weight in made]
            return next((text for text in wrong if text is not None), None)
        case Const(value=constant):
            return None if constant == real else f"{constant} is not {real}"
        case Scalar() if np.shape(real) != ():
            return f"a scalar, not an array of shape {np.shape(real)}"
    return None


def _weights(layer: Layer) -> dict[str, Value]:
    """The parameters that a layer is said to have."""
    spelling = find_layer(layer.path)
    assert spelling is not None
    found = {name: weight_of(spelling, name, layer.settings, Facts()) for name in spelling.weights}
    return {name: weight for name, weight in found.items() if weight is not None}


def _tensor_contradiction(tensor: Tensor, real: Any, numbers: Numbers) -> str | None:
    if tensor.dtype is not None and tensor.dtype != real_dtype(real):
        return f"dtype {tensor.dtype}, not {real_dtype(real)}"
    if tensor.shape is None:
        return None
    return shape_contradiction(tensor.shape, tuple(np.shape(real)), numbers)


def shape_contradiction(shape: Shape, found: tuple[int, ...], numbers: Numbers) -> str | None:
    """What a shape says wrongly about the real sizes, or None."""
    text = f"shape {shape}, not {found} (numbers: {numbers})"
    if shape.closed:
        if len(shape.lead) != len(found):
            return text
        pairs = list(zip(shape.lead, found, strict=True))
    else:
        if shape.at_least > len(found):
            return text
        trail = found[len(found) - len(shape.trail) :]
        pairs = [*zip(shape.lead, found, strict=False), *zip(shape.trail, trail, strict=True)]
    for axis, size in pairs:
        if axis.size is not None and axis.size.evaluate(numbers) not in (size, None):
            return text
    return None
