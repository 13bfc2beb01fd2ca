"""Traces of a few lines, and what is known at their end."""

from attncheck.algebra.shape import expand
from attncheck.analysis import make_tracer
from attncheck.settings import Settings
from attncheck.shapes import shape_text
from attncheck.source import load
from attncheck.values.value import Const, Int, as_size, as_tensor

HEAD = "import numpy as np\nimport torch\nimport torch.nn.functional as F\n"


def tracer_of(code, head=HEAD):
    source = load((head + code).encode(), "code.py")
    return make_tracer(source, Settings())


def module(code):
    """The trace of module code."""
    return tracer_of(code).run_module()


def function(code, name="f", head=HEAD):
    """The trace in general of one function of a module."""
    tracer = tracer_of(code, head)
    tracer.run_module()
    (found,) = (each for each in tracer.functions if each.qualified == name)
    return tracer.run_function(found)


def text(value, traced):
    """A value as a short text: a shape, a number, a constant, or the name of its kind."""
    if as_tensor(value) is not None and type(value).__name__ == "Tensor":
        return _sizes(value, traced.facts)
    if type(value) is Int:
        return _size(as_size(value), traced.facts)
    if type(value) is Const:
        return value.value
    return type(value).__name__


def _sizes(tensor, facts):
    shape = shape_text(tensor, facts)
    if shape is None:
        return None
    sizes = expand(tensor.shape, facts).sizes()
    return tuple(
        "?" if _size(size, facts) == "?" else told for size, told in zip(sizes, shape, strict=True)
    )


def _size(size, facts):
    """A size as text; one that nobody knows is ``?``, whatever it is called."""
    size = None if size is None else facts.resolve(size)
    unknown = size is None or any(symbol.found for symbol in size.symbols())
    return "?" if unknown else str(size)


def last(traced, name):
    """What the latest assignment to `name` gave it."""
    return text([site.value for site in traced.sites if site.name == name][-1], traced)


def parameter(traced, name):
    """The shape that a parameter was found to have, as written: open ones with ``...``."""
    value = next(site.value for site in traced.sites if site.name == name)
    return str(expand(as_tensor(value).shape, traced.facts))
