"""Whether shapes that are claimed in symbols can be the shapes that were seen.

One assignment of integers to symbols has to explain everything that is claimed of one run of a
function. Where a place was passed more than once with different shapes (in a loop), each of its
shapes has to be explained, with the loop's own symbols free each time.
"""

import re

_WORD = re.compile(r"[A-Za-z_]\w*(?:\.\w+)*")
#: No size in the programs is larger.
_LARGEST = 200


def contradictions(claims, shapes):
    """What is claimed and not so: `claims` are shapes by place, `shapes` what was seen there."""
    wrong = []
    fixed, loose = [], []
    for place, claim in claims.items():
        seen = list(dict.fromkeys(shapes.get(place, ())))
        if claim is None or not seen:
            continue
        for shape in seen:
            if len(shape) != len(claim):
                wrong.append(f"{place}: claimed {claim}, was {shape}")
        if all(len(shape) == len(claim) for shape in seen):
            (fixed if len(seen) == 1 else loose).append((place, claim, seen))
    values = {}
    wrong += _disagreements([(p, c, seen[0]) for p, c, seen in fixed], values)
    for place, claim, seen in loose:
        for shape in seen:
            wrong += _disagreements([(place, claim, shape)], dict(values))
    return wrong


def _disagreements(rows, values):
    """Solve for the symbols of `rows` into `values`; the sizes that do not come out."""
    equations = [
        (place, str(size), actual)
        for place, claim, shape in rows
        for size, actual in zip(claim, shape, strict=True)
        if size != "?"
    ]
    for _, text, actual in sorted(equations, key=lambda each: len(each[1])):
        if _WORD.fullmatch(text):
            values.setdefault(text, actual)
    while any(_solve(text, actual, values) for _, text, actual in equations):
        pass
    return [
        f"{place}: {text} is {evaluated(text, values)}, was {actual} with {values}"
        for place, text, actual in equations
        if not missing(text, values) and evaluated(text, values) != actual
    ]


def _solve(text, actual, values):
    """Find the only symbol of an expression that has no value yet, if one value alone fits."""
    unknown = missing(text, values)
    if len(unknown) != 1:
        return False
    (symbol,) = unknown
    fitting = [
        number
        for number in range(1, _LARGEST)
        if evaluated(text, values | {symbol: number}) == actual
    ]
    if len(fitting) == 1:
        values[symbol] = fitting[0]
    return len(fitting) == 1


def missing(text, values):
    return {word for word in _WORD.findall(text) if word not in values}


def evaluated(text, values):
    """The number that an expression is, or None if it divides by zero."""
    try:
        return eval(_WORD.sub(lambda word: str(values[word[0]]), text), {"__builtins__": {}})
    except ZeroDivisionError:
        return None
