"""torch's makers of tensors."""

from __future__ import annotations

from attncheck.frameworks.spelling import Table
from attncheck.operators import creation
from attncheck.values.value import Const

TABLE = Table("torch")

_OPTIONS = "dtype=None, layout=None, device=None, requires_grad=False"
_MAKE = f"*, out=None, {_OPTIONS}, pin_memory=False"
_RANDOM = f"*, generator=None, out=None, {_OPTIONS}, pin_memory=False"
_FLOAT, _INT = Const("float"), Const("int")

# From sizes.
for _name in ("zeros", "ones", "empty"):
    TABLE.add(f"torch.{_name}", creation.filled, f"*size:shape, {_MAKE}", dtype_is=_FLOAT)
for _name in ("rand", "randn"):
    TABLE.add(f"torch.{_name}", creation.filled, f"*size:shape, {_RANDOM}", dtype_is=_FLOAT)
TABLE.add("torch.full", creation.filled, f"size:shape, fill_value:value, {_MAKE}")
TABLE.add("torch.eye", creation.square, f"n:rows, m:columns=None, {_MAKE}")
_RANGE = f"start, end:stop=None, step=1, {_MAKE}"
TABLE.add("torch.arange", creation.arange, _RANGE)
TABLE.add("torch.linspace", creation.spaced, f"start, end:stop, steps:count, {_MAKE}")
TABLE.add("torch.logspace", creation.spaced, f"start, end:stop, steps:count, base=10, {_MAKE}")
_TRIANGLE = "row, col, offset=0, *, dtype=None, device=None, layout=None"
TABLE.add("torch.tril_indices torch.triu_indices", creation.index_pairs, _TRIANGLE)

_WINDOW = "window_length:shape, periodic=True, *, dtype=None, layout=None, device=None"
for _name in ("hann", "hamming", "bartlett", "blackman"):
    TABLE.add(f"torch.{_name}_window", creation.filled, _WINDOW, dtype_is=_FLOAT)
_BETA = _WINDOW.replace("periodic=True", "periodic=True, beta=12.0")
TABLE.add("torch.kaiser_window", creation.filled, _BETA, dtype_is=_FLOAT)
TABLE.add("torch.histc", creation.histogram, "input:x, bins:count=100, min=0, max=0, *, out=None")

# Random numbers.
TABLE.add(
    "torch.randint",
    creation.integers,
    f"low=0, high=None, size:shape=None, {_RANDOM}",
    dtype_is=_INT,
)
TABLE.add("torch.randperm", creation.permutation, f"n:x, {_RANDOM}", dtype_is=_INT)
TABLE.add(
    "torch.normal",
    creation.normal,
    f"mean, std=1, size:shape=None, {_RANDOM}",
    parameters=Const("mean std"),
    dtype_is=_FLOAT,
)
TABLE.add("torch.bernoulli", creation.like, "input:x, *, generator=None, out=None")
TABLE.add("torch.Tensor.bernoulli", creation.like, "self:x, *, generator=None")
_MULTINOMIAL = "num_samples:count, replacement=False, *, generator=None"
TABLE.add("torch.multinomial", creation.multinomial, f"input:x, {_MULTINOMIAL}")
TABLE.add("torch.Tensor.multinomial", creation.multinomial, f"self:x, {_MULTINOMIAL}")
TABLE.add("torch.Generator", creation.generator, "device=cpu", path=Const("torch.Generator"))
TABLE.add("torch.Generator.manual_seed", creation.generator, "seed", path=Const("torch.Generator"))
TABLE.add("torch.manual_seed", creation.generator, "seed", path=Const("torch.Generator"))

# After a model.
for _name in ("zeros", "ones", "empty", "rand", "randn"):
    TABLE.add(f"torch.{_name}_like", creation.like, f"input:x, *, {_OPTIONS}, memory_format=None")
TABLE.add(
    "torch.full_like",
    creation.like,
    f"input:x, fill_value:value, *, {_OPTIONS}, memory_format=None",
)
TABLE.add(
    "torch.randint_like",
    creation.like,
    f"input:x, low=0, high=None, *, {_OPTIONS}, memory_format=None",
)
for _name in ("zeros", "ones", "empty"):
    TABLE.add(f"torch.Tensor.new_{_name}", creation.new, f"self:x, *size:shape, {_OPTIONS}")
TABLE.add(
    "torch.Tensor.new_full", creation.new, f"self:x, size:shape, fill_value:filler, *, {_OPTIONS}"
)
TABLE.add("torch.Tensor.new_tensor", creation.new_array, f"self:model, data:x, *, {_OPTIONS}")

# Written over.
_WRITERS = {
    "zero_": "",
    "fill_": "value",
    "normal_": "mean=0, std=1, *, generator=None",
    "uniform_": "low=0, high=1, *, generator=None",
    "random_": "low=0, high=None, *, generator=None",
    "bernoulli_": "p=0.5, *, generator=None",
    "exponential_": "lambd=1, *, generator=None",
}
for _name, _rest in _WRITERS.items():
    TABLE.add(f"torch.Tensor.{_name}", creation.written_over, f"self:x, {_rest}")
_INITIALISERS = {
    "zeros_": "",
    "ones_": "",
    "constant_": "val",
    "normal_": "mean=0.0, std=1.0, generator=None",
    "trunc_normal_": "mean=0.0, std=1.0, a=-2.0, b=2.0, generator=None",
    "uniform_": "a=0.0, b=1.0, generator=None",
    "xavier_uniform_": "gain=1.0, generator=None",
    "xavier_normal_": "gain=1.0, generator=None",
    "kaiming_uniform_": "a=0, mode=fan_in, nonlinearity=leaky_relu, generator=None",
    "kaiming_normal_": "a=0, mode=fan_in, nonlinearity=leaky_relu, generator=None",
    "orthogonal_": "gain=1, generator=None",
    "eye_": "",
}
for _name, _rest in _INITIALISERS.items():
    TABLE.add(f"torch.nn.init.{_name}", creation.written_over, f"tensor:x, {_rest}")

# From data.
TABLE.add(
    "torch.tensor",
    creation.array,
    "data:x, *, dtype=None, device=None, requires_grad=False, pin_memory=False",
)
TABLE.add("torch.as_tensor", creation.array, "data:x, *, dtype=None, device=None")
TABLE.add("torch.asarray", creation.array, "obj:x, *, dtype=None, device=None, copy=None")
TABLE.add("torch.from_numpy", creation.array, "ndarray:x")
TABLE.add(
    "torch.Tensor torch.FloatTensor",
    creation.legacy_tensor,
    "data:x=None, /, *rest",
    dtype_is=_FLOAT,
)
TABLE.add(
    "torch.LongTensor torch.IntTensor",
    creation.legacy_tensor,
    "data:x=None, /, *rest",
    dtype_is=_INT,
)
TABLE.add(
    "torch.BoolTensor", creation.legacy_tensor, "data:x=None, /, *rest", dtype_is=Const("bool")
)

# From tensors.
TABLE.add("torch.meshgrid", creation.meshgrid, "*tensors:xs, indexing=None")
TABLE.add("torch.nn.functional.one_hot", creation.one_hot, "tensor:x, num_classes:count=-1")
