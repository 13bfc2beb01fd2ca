"""A mask that a function is given, beside an attention that hides nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import libcst as cst

from attncheck.algebra.size import Quotient
from attncheck.attention import Site, role_behind
from attncheck.checks.applied import is_applied
from attncheck.checks.dropped_masks import dropped_masks
from attncheck.checks.entries import entries
from attncheck.checks.masks import may_be_masked, written_into
from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.table import Role, role_of
from attncheck.values.tensor import Tensor
from attncheck.values.value import NONE, TRUE, Class, Function, Library, as_tensor

if TYPE_CHECKING:
    from attncheck.tracer.machine import ShapeSite

RULE = Rule(
    "ATN505",
    "mask-unused",
    "a mask or lengths argument that is accepted and never applied",
    "warning",
    fix="unsafe",
)

_ROLES = frozenset({Role.MASK, Role.LENGTHS})
#: A library's attention by its operator, and the masks that it takes.
_LAYERS = {
    "multihead_attention": ("key_padding_mask", "attn_mask"),
    "scaled_dot_product_attention": ("attn_mask",),
    "value_first_attention": ("attention_mask",),
    "encoder_layer": ("src_key_padding_mask", "src_mask"),
    "encoder": ("src_key_padding_mask", "mask"),
    "decoder_layer": ("memory_key_padding_mask", "tgt_mask", "tgt_key_padding_mask"),
    "decoder": ("memory_key_padding_mask", "tgt_mask", "tgt_key_padding_mask"),
    "transformer": ("src_key_padding_mask", "src_mask", "tgt_mask", "tgt_key_padding_mask"),
}
#: Masks of something else than positions to attend to.
_OTHER = re.compile(
    r"(?:^|_)(?:head|layer|drop|dropout|loss|label|target_label|mlm|spec|expert)s?_"
)
#: How people say that an argument is there for its callers only.
_DELIBERATE = re.compile(
    r"unused|ignor|not (?:be )?(?:used|needed|supported)|never used|compat|interface|placeholder"
    r"|deprecat|dummy|no effect|ARG00|\bAPI\b|signature",
    re.I,
)
#: Classes that ask for no signature.
_PLAIN_BASES = frozenset(
    ("torch.nn.Module", "torch.nn.modules.Module", "object", "abc.ABC", "typing.Generic")
)


def check_trace(view: View) -> Iterator[Report]:
    """Report masks and lengths that a function takes and leaves aside, where it attends."""
    yield from dropped_masks(RULE, view)
    function = view.traced.function
    if function is None or not isinstance(function.node, cst.FunctionDef):
        return
    given = list(_masks(view))
    if not given:
        return
    bare = next(_bare_attention(view), None)
    if bare is None or _follows_another(function):
        return
    for site in given:
        if is_applied(function.node, site.name) or _is_deliberate(function.node, view):
            continue
        yield _report(site, bare, view)


# -- arguments ------------------------------------------------------------------------------------


def _masks(view: View) -> Iterator[ShapeSite]:
    """The arguments that are masks or lengths by their names, and may be tensors."""
    for site in view.traced.sites:
        if site.node not in view.parameters or as_tensor(site.value) is None:
            continue
        if site.name.startswith("_") or _OTHER.search(site.name):
            continue
        if role_of(site.name) in _ROLES:
            yield site


def _follows_another(function: Function) -> bool:
    """Whether a method may take its arguments because a class before it does."""
    if function.owner is None:
        return False
    return any(not _asks_nothing(base, function.name) for base in function.owner.bases)


def _asks_nothing(base: object, name: str) -> bool:
    if isinstance(base, Library):
        return base.path in _PLAIN_BASES
    if not isinstance(base, Class) or name in base.members:
        return False
    return all(_asks_nothing(each, name) for each in base.bases)


def _is_deliberate(node: cst.FunctionDef, view: View) -> bool:
    """Whether the text of a function says that it leaves an argument aside."""
    span = view.source.span(node)
    text = "\n".join(view.source.lines[span.line - 1 : span.end_line])
    return _DELIBERATE.search(text) is not None


# -- attention without a mask ---------------------------------------------------------------------


@record
class _Bare:
    """An attention that hides nothing, the expression that runs it, and the call to be told more.

    ``takes`` are the masks that the called function would take.
    """

    operation: Operation
    node: cst.CSTNode
    call: cst.Call | None = None
    takes: tuple[str, ...] = ()


def _bare_attention(view: View) -> Iterator[_Bare]:
    """The attentions over positions that a function runs without any mask."""
    for site in view.sites:
        if site.softmax.elsewhere or not _is_over_positions(site, view):
            continue
        found = _of_site(site)
        if found is None or any(entries(site, view)) or written_into(site, view):
            continue
        if not may_be_masked(view.graph, site.scores_in):
            yield found
    for operation in view.graph.operations:
        if operation.kind in _LAYERS and not operation.place.calls and not _is_masked(operation):
            call = operation.node if isinstance(operation.node, cst.Call) else None
            yield _Bare(operation, operation.node, call, _LAYERS[operation.kind])


def _of_site(site: Site) -> _Bare | None:
    """A site as an attention of the function's own text, or of one that could be told the mask."""
    scores, calls = site.scores, site.softmax.place.calls
    if not calls or (scores is not None and not scores.place.calls):
        own = any(not total.operation.place.calls for total in site.sums)
        return _Bare(site.softmax, site.softmax.node) if own else None
    called = calls[1].place.node if len(calls) > 1 else site.softmax.place.node
    call = calls[0].node
    if not isinstance(called, cst.FunctionDef) or not isinstance(call, cst.Call):
        return None
    names = [each.name.value for each in (*called.params.params, *called.params.kwonly_params)]
    takes = tuple(name for name in names if role_of(name) in _ROLES)
    if not takes or any(argument.star for argument in call.args):
        return None
    keywords = {each.keyword.value for each in call.args if each.keyword is not None}
    count = sum(each.keyword is None for each in call.args)
    first = 1 if names[:1] == ["self"] else 0
    if any(name in keywords or names.index(name) - first < count for name in takes):
        return None
    return _Bare(site.softmax, call, call, takes)


def _is_over_positions(site: Site, view: View) -> bool:
    """Whether what is weighted are positions of an input, and neither features nor slots."""
    shape = view.shape(as_tensor(site.softmax.output))
    if site.axis is None or shape is None:
        return False
    known = shape.lead if shape.closed or site.axis >= 0 else shape.trail
    if not -len(known) <= site.axis < len(known):
        return False
    size = known[site.axis].size
    if size is not None and (
        size.number is not None or any(type(atom) is Quotient for atom in size.atoms())
    ):
        return False
    return not any(_is_learned(total.operation, total.weights, view) for total in site.sums)


def _is_learned(operation: Operation, weights: int, view: View) -> bool:
    tensors = [tensor for _, tensor in operation.tensors()]
    others = [tensor for index, tensor in enumerate(tensors) if index != weights]
    return any(role_behind(view.graph, tensor) == Role.PARAMETER for tensor in others)


def _is_masked(operation: Operation) -> bool:
    """Whether a library's attention is given any mask."""
    return any(
        ("mask" in operand.name and operand.value != NONE)
        or ("causal" in operand.name and operand.value == TRUE)
        for operand in operation.operands
    )


# -- words ----------------------------------------------------------------------------------------


def _report(site: ShapeSite, bare: _Bare, view: View) -> Report:
    tensor = as_tensor(site.value)
    assert isinstance(tensor, Tensor)
    function = view.traced.function
    assert function is not None
    lacking = None
    if bare.call is not None and (site.name in bare.takes or bare.takes == ("mask",)):
        lacking = bare.call, site.name if site.name in bare.takes else "mask"
    return Report(
        RULE,
        bare.operation,
        site.node,
        f"`{function.name}` takes `{site.name}` and never applies it: `{view.quote(bare.node)}`"
        " weights every position, those that it hides like all others",
        Culprit(site.node, tensor),
        view.sizes(tensor),
        "applied to the scores before softmax, or passed on to what attends; an argument that is"
        " meant to be left aside says so in its name (`_mask`) or in the docstring",
        function=function.qualified,
        lacking=lacking,
    )
