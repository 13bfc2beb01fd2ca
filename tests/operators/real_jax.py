"""Calls of jax's functions, traced without computing anything, so that they cost little."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

#: What tracing cannot say without the elements: how many of them are true, for example.
_NEEDS_ELEMENTS = (jax.errors.JAXTypeError, jax.errors.JAXIndexError)


def run_traced(run: Callable[[Any], Any], arguments: Any) -> Any:
    """``run(arguments)``, with shapes and dtypes where the result has arrays.

    Functions that look at elements are run on these.
    """
    leaves, tree = jax.tree.flatten(arguments)
    arrays = {i: leaf for i, leaf in enumerate(leaves) if isinstance(leaf, np.ndarray)}
    results: list[Any] = []

    def traced(given: dict[int, Any]) -> None:
        filled = [given.get(i, leaf) for i, leaf in enumerate(leaves)]
        results.append(jax.tree.map(_described, run(jax.tree.unflatten(tree, filled))))

    try:
        jax.eval_shape(traced, arrays)
    except _NEEDS_ELEMENTS:
        given = {i: jax.numpy.asarray(leaf) for i, leaf in arrays.items()}
        traced(given)
    return results[-1]


def _described(leaf: Any) -> Any:
    if isinstance(leaf, jax.Array) and jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        one = jax.ShapeDtypeStruct(leaf.shape[1:], leaf.dtype)
        return [one] * leaf.shape[0] if leaf.shape else one
    if isinstance(leaf, jax.Array):
        return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype)
    return leaf


def update_at(name: str) -> Callable[..., Any]:
    """``x.at[key].name(...)`` as a function of ``x``, the key and the rest."""

    def updated(x: Any, key: Any, *values: Any, **options: Any) -> Any:
        return getattr(x.at[key], name)(*values, **options)

    return updated
