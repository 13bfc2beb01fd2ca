"""The subscripts of an einsum, or a pattern, with one letter changed or two exchanged."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from attncheck.algebra.facts import Verdict
from attncheck.algebra.size import Size
from attncheck.checks.diagonals import diagonal
from attncheck.checks.report import Report
from attncheck.checks.summed_batch import batches_summed
from attncheck.checks.view import View
from attncheck.checks.weights import mismatch
from attncheck.repair.candidate import Candidate, edit
from attncheck.repair.diagonals import parted
from attncheck.repair.picked import of_other_axes
from attncheck.repair.tokens import is_letter, literal_of, places, tokens_of

#: Letters for an axis that gets one of its own: source positions first.
_FRESH = "suvwxyzabcdefghijklmnopqrt"


def subscripts(report: Report, view: View) -> Iterator[Candidate]:
    """Another letter in one place, or two letters of one operand exchanged.

    None has a letter twice in one operand, and none sums a letter that one operand alone has unless
    it is summed as it is written: that is what makes a clash go away and nothing right. In the
    patterns of einops words are what letters are elsewhere. Where an operand is one place of an
    axis, another axis goes first: letters are found that fit any operand.
    """
    yield from of_other_axes(report, view)
    if view.remembered(diagonal, report.operation) is not None:
        yield from parted(report, view)
        return
    literal = literal_of(report.node)
    if literal is None:
        return
    tokens = tokens_of(literal, report.operation)
    for found in view.once(batches_summed):
        if found.scores is report.operation and ">" in tokens:
            at = tokens.index(">") + 1
            text = "".join([*tokens[:at], found.letter, *tokens[at:]])
            yield edit(literal, text, f"write {text}", safe=False)
            return
    ways = [*_relettered(tokens), *_exchanged(tokens), *_parted(report, view, tokens)]
    if report.operation.clash is None:
        # Two axes of one tensor that are tied have most likely changed places.
        ways = [*_exchanged(tokens), *ways]
    ways = [*_normalised(report, view, tokens), *_without_one(report, view, tokens), *ways]
    alone = _summed_alone(tokens)
    for written in sorted(filter(partial(_can_be, report, view), ways), key=_summed_alone):
        if not _has_diagonal(written) and _summed_alone(written) <= alone:
            text = "".join(written)
            yield edit(literal, text, f"write {text}", safe=False)


def turned_product(report: Report, view: View) -> Iterator[Candidate]:
    """The last two axes of an einsum's product exchanged."""
    literal = literal_of(report.node)
    tokens = [] if literal is None else tokens_of(literal, report.operation)
    if literal is None or ">" not in tokens:
        return
    letters = [i for i, each in enumerate(tokens) if i > tokens.index(">") and is_letter(each)]
    if len(letters) > 1:
        first, second = letters[-2:]
        tokens[first], tokens[second] = tokens[second], tokens[first]
        text = "".join(tokens)
        yield edit(literal, text, f"write {text}", safe=False)


def _without_one(report: Report, view: View, tokens: list[str]) -> Iterator[list[str]]:
    """Subscripts without a letter of every operand, where each operand has one axis less."""
    if report.operation.clash is None or not _is_plain([t for t in tokens if t != " "]):
        return
    operands = places(tokens)
    ranks = [len(view.sizes(tensor) or ()) for _, tensor in report.operation.tensors()]
    if ranks != [len(operand) - 1 for operand in operands]:
        return
    letters = [{tokens[place] for place in operand} for operand in operands]
    for place in operands[0]:
        if all(tokens[place] in each for each in letters):
            yield [token for token in tokens if token != tokens[place]]


def _relettered(tokens: list[str]) -> Iterator[list[str]]:
    """Subscripts with one letter of an operand replaced by another that they use."""
    letters = sorted(set(filter(is_letter, tokens)))
    for i, old in enumerate(tokens[: tokens.index(">") if ">" in tokens else len(tokens)]):
        if is_letter(old):
            yield from ([*tokens[:i], new, *tokens[i + 1 :]] for new in letters if new != old)


def _exchanged(tokens: list[str]) -> Iterator[list[str]]:
    """Subscripts with two letters of one operand, or of the output, exchanged."""
    for i in range(len(tokens)):
        for j in range(i + 1, len(tokens)):
            if not is_letter(tokens[j]) and not tokens[j].isspace():
                break
            if is_letter(tokens[i]) and is_letter(tokens[j]) and tokens[i] != tokens[j]:
                exchanged = list(tokens)
                exchanged[i], exchanged[j] = tokens[j], tokens[i]
                yield exchanged


def _normalised(report: Report, view: View, tokens: list[str]) -> Iterator[list[str]]:
    """Subscripts in which the axis of the weights that softmax normalised is what is summed."""
    sums = ((site, each) for site in view.sites for each in site.sums)
    for site, sum_ in sums:
        found = mismatch(site, sum_, view) if sum_.operation is report.operation else None
        operands = places(tokens)
        if found is None or sum_.weights >= len(operands):
            continue
        weights = operands[sum_.weights]
        if max(found.contracted, found.normalised) < len(weights):
            one, other = weights[found.contracted], weights[found.normalised]
            exchanged = list(tokens)
            exchanged[one], exchanged[other] = tokens[other], tokens[one]
            yield exchanged


def _can_be(report: Report, view: View, tokens: list[str]) -> bool:
    """Whether no letter stands for two sizes that differ; of patterns that is not said here."""
    if not _is_plain(tokens):
        return True
    seen: dict[str, Size] = {}
    for (_, tensor), operand in zip(report.operation.tensors(), places(tokens), strict=False):
        for place, size in zip(operand, view.sizes(tensor) or (), strict=False):
            if size is not None:
                verdict = view.facts.compare(seen.setdefault(tokens[place], size), size)
                if verdict in (Verdict.DIFFERENT, Verdict.DISTINCT):
                    return False
    return True


def _is_plain(tokens: list[str]) -> bool:
    """Whether subscripts are letters alone, with an output."""
    return ">" in tokens and all(is_letter(token) or token in "\"',->" for token in tokens)


def _parted(report: Report, view: View, tokens: list[str]) -> Iterator[list[str]]:
    """Subscripts with a letter of its own for an axis that shares one with another size.

    The new letter goes to the end of the output: ``bthd,btd->bth`` as ``bthd,bsd->bths``.
    """
    if ">" not in tokens or any(not is_letter(token) and token not in "\"',->" for token in tokens):
        return
    seen: dict[str, Size | None] = {}
    for (_, tensor), operand in zip(report.operation.tensors(), places(tokens), strict=False):
        sizes = view.sizes(tensor)
        if sizes is None or len(sizes) != len(operand):
            return
        for place, size in zip(operand, sizes, strict=True):
            letter = tokens[place]
            if letter in seen and not view.equal(seen[letter], size):
                new = next(each for each in _FRESH if each not in tokens)
                end = len(tokens) - 1 if tokens[-1] in "\"'" else len(tokens)
                yield [*tokens[:place], new, *tokens[place + 1 : end], new, *tokens[end:]]
            seen.setdefault(letter, size)


def _summed_alone(tokens: list[str]) -> int:
    """How many letters are summed that one operand alone has."""
    cut = tokens.index(">") if ">" in tokens else len(tokens)
    letters = list(filter(is_letter, tokens[:cut]))
    return sum(letters.count(each) == 1 and each not in tokens[cut:] for each in letters)


def _has_diagonal(tokens: list[str]) -> bool:
    """Whether an operand has a letter twice."""
    seen = set[str]()
    for token in tokens[: tokens.index(">") if ">" in tokens else len(tokens)]:
        if token == ",":
            seen = set()
        elif token in seen:
            return True
        elif is_letter(token):
            seen.add(token)
    return False
