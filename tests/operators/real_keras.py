"""Calls of Keras, which computes with NumPy here, and of TensorFlow where it is installed."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from .harness import Unasked

os.environ.setdefault("KERAS_BACKEND", "numpy")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

#: Where the functions of ``keras.backend`` still are.
_BACKEND = "keras.backend."


#: What TensorFlow says of elements of a dtype that it does not take.
_OF_DTYPES = (
    "is not in the list of allowed values",
    "Could not find device for node",
    "Cannot convert",
    "Received integer type",
    # Numbers that are treated like vectors elsewhere.
    "in the range [0, 0)",
    "must have >= 1 dimension",
    "Input dims must be",
    "to a tensor that is 1D",
    "Tensor conversion requested",
    "with dtype 'float32', but got",
)


def home(path: str) -> str:
    """Where a spelling is found today."""
    if path.startswith(_BACKEND):
        return f"tensorflow.keras.backend.{path.removeprefix(_BACKEND)}"
    return path


def run(path: str, call: Callable[[Any], Any], arguments: Any) -> Any:
    """``call(arguments)`` in arrays that tell shapes; a refusal of TensorFlow's as our own."""
    if importlib.util.find_spec("tensorflow") is None:
        return _in_arrays(call(arguments))
    import tensorflow as tf

    if home(path).startswith("tensorflow."):
        arguments = tf.nest.map_structure(_tensor, arguments)
    try:
        return _in_arrays(call(arguments))
    except (tf.errors.OpError, TypeError, ValueError, AttributeError) as error:
        if any(words in str(error) for words in _OF_DTYPES):
            raise Unasked from error
        raise RuntimeError(str(error)) from error


def _tensor(leaf: Any) -> Any:
    import tensorflow as tf

    return tf.constant(leaf) if isinstance(leaf, np.ndarray) else leaf


def _in_arrays(result: Any) -> Any:
    if isinstance(result, list | tuple):
        return [_in_arrays(item) for item in result]
    return _described(result)


def _described(leaf: Any) -> Any:
    if type(leaf).__module__.startswith("tensorflow"):
        return tuple(leaf) if type(leaf).__name__ == "TensorShape" else leaf.numpy()
    if type(leaf).__module__.startswith("keras"):
        return leaf.numpy()
    return leaf
