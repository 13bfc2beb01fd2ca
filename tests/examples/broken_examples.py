"""The broken examples: what `expected.json` says of each, and its function as a source defines it.

`expected.json` holds what a careful reviewer would answer: the rule and the line, the tensor with
its shape and the one it should have, the corrected line, and the clean twin that the corrected file
must equal. A key that is not there is not looked at. ``also_ok_lines`` are other lines where the
same mistake may be shown; ``introduces`` are weights that the fix needs; ``sizes`` are the sizes
under which the bug is silent; ``assert_catches`` says whether an assert on shapes and sums can
tell the silent bug from the clean result at all.
"""

import json
import sys

import example_catalogue as catalogue
import numpy as np
import pytest

ROOT, BY_PATH = catalogue.ROOT, catalogue.BY_PATH
#: Those in numpy and torch, then the folders of those in jax and in Keras.
BROKEN = [
    *sorted(ROOT.glob("broken/*/expected.json")),
    *sorted(ROOT.glob("broken/jax/*/expected.json")),
    *sorted(ROOT.glob("broken/keras/*/expected.json")),
]


def name_of(path):
    return path.parent.name


def expectation(path):
    wanted = json.loads(path.read_text(encoding="utf-8"))
    source = (path.parent / wanted["file"]).read_text(encoding="utf-8")
    return wanted, source


def twin(wanted):
    """The clean example that a broken one was made from; skips where its library is missing."""
    example = BY_PATH[wanted["clean"]]
    pytest.importorskip(example.framework)
    return example


def outcome(source, example, inputs, names=None):
    """Run the example's function as `source` defines it."""
    module = type(sys)("broken")
    exec(compile(source, "<broken>", "exec"), vars(module))
    vars(module).update(names or {})
    with np.errstate(all="ignore"):
        return example.run(inputs, module)


def same(left, right):
    return left.shape == right.shape and np.allclose(left, right, atol=1e-9)


def projection(wanted):
    """The weight that a fix introduces, and what it is to general attention.

    Dot attention over encoder states projected to the query's size is general attention.
    """
    (name,) = wanted["introduces"]
    sizes = wanted["sizes"]
    matrix = np.random.default_rng(10).standard_normal((sizes["d_h"], sizes["d_query"]))
    return {name: matrix}, {"W": matrix.T}
