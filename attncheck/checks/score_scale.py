"""Scaled dot products are divided by sqrt(d_k), once (Vaswani et al. 2017, section 3.2.1)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, combinations

from attncheck.algebra.facts import Facts, Verdict
from attncheck.algebra.shape import expand
from attncheck.algebra.size import Size
from attncheck.attention import Site
from attncheck.checks.alternatives import are_alternatives
from attncheck.checks.broken_roots import broken_roots
from attncheck.checks.forced import may_overlap
from attncheck.checks.logarithmic_scales import logarithmic_scales
from attncheck.checks.report import Culprit, Report
from attncheck.checks.scaled_weights import scaled_weights
from attncheck.checks.scales import (
    DotProduct,
    Factor,
    Scaling,
    is_absorbed,
    library_scalings,
    scalings,
    width_before,
)
from attncheck.checks.sources import root_of
from attncheck.checks.view import View
from attncheck.operators.events import Attention
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.values.tensor import Evidence
from attncheck.values.value import as_tensor

RULE = Rule(
    "ATN506",
    "score-scale",
    "scores divided by the root of the wrong size, multiplied instead of divided, or scaled twice",
    fix="unsafe",
)
_LIBRARY = "scaled_dot_product_attention"
#: What a number is called that is there for the scale alone.
_SCALE = re.compile(r"scal(?:e|ar|ing)|temperature", re.IGNORECASE)


@record
class Misscaled:
    """Scores that are scaled wrongly: ``kind`` is ``turned``, ``twice``, ``size`` or ``late``.

    ``factor`` is where, ``size`` the size whose root it is, ``earlier`` the factor that has scaled
    the scores already.
    """

    kind: str
    factor: Factor
    size: Size
    product: DotProduct
    earlier: Factor | None = None


def check_trace(view: View) -> Iterator[Report]:
    """Report each factor of scores that cannot be meant."""
    yield from logarithmic_scales(RULE, view)
    yield from broken_roots(RULE, view)
    told = set[int]()
    for found in misscaled(view):
        operation = found.factor.operation
        if operation.number not in told and not operation.elsewhere:
            told.add(operation.number)
            yield _report(found, view)


def misscaled(view: View) -> Iterator[Misscaled]:
    """What is wrong with the scale of the scores of each attention in a trace."""
    groups = chain(
        (scalings(site.scores_in, view) for site in view.sites),
        (
            library_scalings(operation, view)
            for operation in view.graph.operations
            if operation.kind == _LIBRARY and isinstance(operation.event, Attention)
        ),
    )
    for group in groups:
        found = _of_site(group, view)
        if found is not None:
            yield found
    for site in view.sites:
        found = _late(site, view)
        if found is not None:
            yield found


def _late(site: Site, view: View) -> Misscaled | None:
    """Weights that are divided by the root of what the scores sum over, which are not."""
    factor = scaled_weights(site, view)
    if factor is None or len(factor.powers.factors) != 1:
        return None
    ((size, exponent),) = factor.powers.factors
    group = scalings(site.scores_in, view)
    if exponent != -0.5 or not group or any(scaling.factors for scaling in group):
        return None
    product = group[0].product
    if not _is_summed(size, product, view.facts):
        return None
    return Misscaled("late", factor, size, product)


def _of_site(group: list[Scaling], view: View) -> Misscaled | None:
    """What is wrong with scores; None unless it is so however they came about."""
    group = [scaling for scaling in group if _may_run(scaling, view)]
    if any(_is_unseen(factor, view) for scaling in group for factor in scaling.factors):
        return None  # what a helper has made may have unit length, and be scaled for that
    for scaling in group:
        for judge in (_turned, _twice, _of_another_size):
            found = judge(scaling, view)
            if found is None:
                continue
            number = found.factor.operation.number
            others = [
                judge(each, view)
                for each in group
                if any(factor.operation.number == number for factor in each.factors)
            ]
            if all(other is not None and other.kind == found.kind for other in others) and (
                judge is not _of_another_size or _is_lone(group)
            ):
                return found
    return None


def _is_unseen(factor: Factor, view: View) -> bool:
    """Whether a factor scales what a function of the file gave whose body was not followed."""
    given = [tensor for _, tensor in factor.operation.tensors()]
    roots = [root_of(tensor) for tensor in given if view.graph.makers(tensor) == [None]]
    return any(re.search(rf"\bdef {root}\b", view.source.text) for root in roots if root)


def _may_run(scaling: Scaling, view: View) -> bool:
    """Whether no two of a product and its factors stand in branches that exclude each other."""
    operations = [scaling.product.operation, *(factor.operation for factor in scaling.factors)]
    return not any(
        are_alternatives(one.node, other.node, view)
        for one, other in combinations(operations, 2)
        if one.place == other.place
    )


def _root(scaling: Scaling, exponent: float) -> Size | None:
    """The size that all factors together are a power of, with this exponent; else None."""
    powers = scaling.powers
    if powers is None or len(powers.factors) != 1:
        return None
    ((size, total),) = powers.factors
    return size if total == exponent else None


def _turned(scaling: Scaling, view: View) -> Misscaled | None:
    """Scores that end up sqrt(d) times as large instead of as small."""
    size = _root(scaling, 0.5)
    if size is None or not _may_be(size, scaling.product, view.facts):
        return None
    for factor in scaling.factors:
        if factor.powers.factors == ((size, 0.5),) and factor.operand is not None:
            return Misscaled("turned", factor, size, scaling.product)
    return None


def _may_be(size: Size, product: DotProduct, facts: Facts) -> bool:
    """Whether a size is meant to be the one that a dot product sums over."""
    if not product.sizes or _is_summed(size, product, facts):
        return bool(product.sizes) or size.number is None
    clash = any(facts.compare(size, each).clashes for each in product.sizes)
    return not clash and size.number is None and not _is_other_axis(size, product, facts)


def _is_summed(size: Size, product: DotProduct, facts: Facts) -> bool:
    return any(facts.compare(size, each) is Verdict.EQUAL for each in product.sizes)


def _twice(scaling: Scaling, view: View) -> Misscaled | None:
    """Scores divided by one root in two places."""
    size = _root(scaling, -1.0)
    if size is None or len(scaling.factors) != 2:
        return None
    first, second = scaling.factors
    if first.powers != second.powers:
        return None
    # What a library does by itself is not what to change.
    factor, earlier = (second, first) if first.operand is None else (first, second)
    return Misscaled("twice", factor, size, scaling.product, earlier)


def _of_another_size(scaling: Scaling, view: View) -> Misscaled | None:
    """Scores divided by the root of a size that the dot product does not sum over."""
    size, own = _root(scaling, -0.5), scaling.product.size
    if size is None or own is None or len(scaling.factors) != 1:
        return None
    (factor,) = scaling.factors
    product, facts = scaling.product, view.facts
    if factor.operand is None or _is_summed(size, product, facts):
        return None
    if is_absorbed(product.query, view.graph):
        return None
    if any(_SCALE.search(symbol.name) for symbol in size.symbols()):
        return None  # a setting of its own: ``config.query_pre_attn_scalar ** -0.5``
    if size.number is not None and width_before(product.query, view) != size:
        # Any number may be a temperature; that of the embedding is meant as a size.
        return None
    if _is_other_axis(size, product, facts) or _are_apart(size, product, facts):
        return Misscaled("size", factor, size, product)
    return None


def _are_apart(size: Size, product: DotProduct, facts: Facts) -> bool:
    """Whether the code itself tells a size from what is summed; the names of tensors do not.

    It does where the two cannot be equal, and where they are made of names that it keeps apart.
    What a docstring calls a size may well have another name in the code.
    """
    told = {product.query.evidence, product.key.evidence}
    if Evidence.NAME in told or _is_found(size, facts):
        return False
    if all(facts.compare(size, each).clashes for each in product.sizes):
        return True
    if Evidence.PROSE in told:
        return False
    known = [each for each in product.sizes if not _is_found(each, facts)]
    return bool(known) and all(
        (symbols or each is size) and not any(symbol.flexible for symbol in symbols)
        for each in (size, *known)
        for symbols in [set(facts.resolve(each).symbols())]
    )


def _is_found(size: Size, facts: Facts) -> bool:
    """Whether a size rests on that of a variable of which nothing is known: what it met tells."""
    return any(symbol.found for symbol in facts.resolve(size).symbols())


def _is_other_axis(size: Size, product: DotProduct, facts: Facts) -> bool:
    """Whether a size is that of an axis of query or key that the product does not sum over.

    Of a tensor that may have more axes than are known, any of these may be the one that is summed.
    """
    wanted = facts.resolve(size)
    if wanted.number is not None:
        return False
    given = (product.query.shape, product.key.shape)
    shapes = [expand(shape, facts) for shape in given if shape is not None]
    whole = [shape for shape in shapes if not may_overlap(shape)]
    axes = [axis for shape in whole for axis in (*shape.lead, *shape.trail)]
    return any(
        axis.size is not None
        and facts.resolve(axis.size) == wanted
        and not _is_summed(axis.size, product, facts)
        for axis in axes
    )


def _is_lone(group: list[Scaling]) -> bool:
    """Whether scores are one dot product: of a sum of several the root is that of all together.

    DeBERTa (He et al. 2021, section 3.1.1) and multi-head latent attention are such sums.
    """
    products = {scaling.product.operation.number for scaling in group}
    return len(products) == 1 and all(scaling.alone for scaling in group)


# -- words -----------------------------------------------------------------------------------------


def _report(found: Misscaled, view: View) -> Report:
    operation = found.factor.operation
    output = as_tensor(operation.output)
    assert output is not None
    message, derivation = _WORDS[found.kind](found, view)
    return Report(
        RULE,
        operation,
        operation.node,
        message,
        Culprit(operation.node, output),
        view.sizes(output),
        derivation,
        named=found.kind != "turned",
        local=_is_local(found),
    )


def _is_local(found: Misscaled) -> bool:
    """Whether one run of one function scales and multiplies, so that its caller matters nothing."""
    if found.kind == "size":
        return False
    factors = [each for each in (found.factor, found.earlier) if each is not None]
    place = found.product.operation.place
    return all(each.operation.place == place for each in factors)


def _written(factor: Factor, view: View) -> str:
    """A factor as it is written, and where it was defined if that is another place."""
    assert factor.operand is not None
    node = factor.operand.node
    text = f"`{view.quote(node)}`"
    made = None if factor.number is None else factor.number.node
    if made is None or made is node or view.line(made) == view.line(factor.operation.node):
        return text
    return f"{text} (`{view.quote(made)}`, {view.place(made)})"


_WHY = (
    "a dot product over {d} sums {d} terms and spreads like sqrt({d}), which the scale is there to"
    " take out"
)


def _turned_words(found: Misscaled, view: View) -> tuple[str, str]:
    size = found.size
    if _is_division(found.factor):
        what = f"divides by {_written(found.factor, view)}, which is 1/sqrt({size}) already"
    else:
        what = f"multiplies by {_written(found.factor, view)}, which is sqrt({size})"
    message = (
        f"`{view.quote(found.factor.operation.node)}` {what}: the scores grow by sqrt({size})"
        " instead of shrinking, and softmax gives nearly all weight to one key; no shape changes,"
        " so nothing raises"
    )
    return message, f"q·k / sqrt({size}): {_WHY.format(d=size)}"


def _is_division(factor: Factor) -> bool:
    event = factor.operation.event
    return getattr(event, "symbol", "") == "/"


def _twice_words(found: Misscaled, view: View) -> tuple[str, str]:
    size, earlier = found.size, found.earlier
    assert earlier is not None
    where = f"`{view.quote(earlier.operation.node)}` ({view.place(earlier.operation.node)})"
    by_itself = " does so by itself" if earlier.operand is None else " does so too"
    message = (
        f"`{view.quote(found.factor.operation.node)}` scales by 1/sqrt({size}), and {where}"
        f"{by_itself}: the scores are divided by {size} in all, so that the weights of the keys are"
        " nearly equal; no shape changes, so nothing raises"
    )
    return message, f"q·k / sqrt({size}), once: {_WHY.format(d=size)}"


def _size_words(found: Misscaled, view: View) -> tuple[str, str]:
    size, own = found.size, found.product.size
    assert own is not None
    parts = view.facts.parts_of_one(size, own)
    hidden = f"{size} == {own}" if parts is None else f"{parts.name} == 1"
    message = (
        f"`{view.quote(found.factor.operation.node)}` scales the scores by 1/sqrt({size}) with"
        f" {_written(found.factor, view)}, but `{view.quote(found.product.operation.node)}` sums"
        f" over {own}: right only while {hidden}, and no shape shows it"
    )
    return message, f"q·k / sqrt({own}): {_WHY.format(d=own)}"


def _late_words(found: Misscaled, view: View) -> tuple[str, str]:
    size = found.size
    message = (
        f"`{view.quote(found.factor.operation.node)}` scales the weights and not the scores: each"
        f" query's weights sum to 1/sqrt({size}) and not to 1, and softmax was taken of scores that"
        " were not scaled; no shape changes, so nothing raises"
    )
    return message, f"softmax(q·k / sqrt({size})): {_WHY.format(d=size)}, before softmax"


_WORDS = {
    "turned": _turned_words,
    "twice": _twice_words,
    "size": _size_words,
    "late": _late_words,
}
