"""The mask that Keras hands on to a layer by itself, which is true where a step is real.

A layer whose ``call`` has an argument `mask`, None by default, gets the mask of its input there:
what an ``Embedding`` with ``mask_zero`` or a ``Masking`` has made, true for what is no padding.
Source: keras.layers.Embedding.compute_mask, ``not_equal(inputs, 0)``; keras.layers.Layer.__call__.
"""

from __future__ import annotations

import libcst as cst

from attncheck.checks.told_masks import Told, arguments_of
from attncheck.checks.view import View
from attncheck.meaning.uses import Use
from attncheck.tree.pairs import parts

_NAME = "mask"
_BASES = ("Layer", "Model")


def handed_on(use: Use, view: View) -> Told | None:
    """The mask of Keras' own that a use hides where it is true, though that is what is real."""
    for told in arguments_of(use, view):
        if told.name != _NAME or not _is_handed_on(told.function, view):
            continue
        hides = use.hides(told.true) and not use.hides(told.false)
        if hides and not _is_given(use, view):
            return told
    return None


def _is_handed_on(function: cst.FunctionDef, view: View) -> bool:
    """Whether a function is the ``call`` of a layer that says that it takes masks."""
    around = view.source.around(function)
    outer = next((node for node in reversed(around) if isinstance(node, cst.ClassDef)), None)
    if function.name.value != "call" or outer is None or not _is_layer(outer, view):
        return False
    optional = any(
        each.name.value == _NAME and isinstance(each.default, cst.Name)
        for each in (*function.params.params, *function.params.kwonly_params)
    )
    return optional and any(_takes_masks(part, view) for part in parts(outer))


def _is_layer(outer: cst.ClassDef, view: View) -> bool:
    bases = [view.code(base.value).rpartition(".")[2] for base in outer.bases]
    return "keras" in view.source.text and any(base in _BASES for base in bases)


def _takes_masks(part: cst.CSTNode, view: View) -> bool:
    """``self.supports_masking = True``, or a ``compute_mask`` of the layer's own."""
    if isinstance(part, cst.FunctionDef):
        return part.name.value == "compute_mask"
    if not isinstance(part, cst.Assign):
        return False
    targets = [view.code(target.target) for target in part.targets]
    return view.code(part.value) == "True" and any("supports_masking" in each for each in targets)


def _is_given(use: Use, view: View) -> bool:
    """Whether some call in the file gives the layer a mask, of whatever meaning."""
    return any(
        other.operation.node is use.operation.node and other.operation.place.calls
        for each in view.others()
        for other in each.mask_uses
    )
