"""Runs a rendition's attention function on numpy, and asserts in its midst.

The arguments have pairwise different sizes whatever the rendition's own demo uses, so that a
transposed operand cannot pass.
"""

import ast
import builtins
import copy
import itertools
import sys
import types
from dataclasses import dataclass

import numpy as np

SIZES = {"B": 2, "T_enc": 5, "d_h": 6, "d_s": 4, "d_attn": 3, "d_hidden": 7}
ALIASES = {"batch_size": "B", "batch": "B"}


@dataclass(frozen=True, slots=True)
class Run:
    """What a call returned, the locals after each line, and the module's functions."""

    context: np.ndarray
    weights: np.ndarray
    after: dict[int, dict]
    final: dict
    scope: dict


def arguments(rendition, sizes=None, wide=False):
    """Arguments for the rendition's function; `wide` doubles the encoder's states (dot)."""
    size = SIZES | (sizes or {})
    rng = np.random.default_rng(0)
    family = rendition.split("_")[0]
    hidden = size["d_hidden"]
    d_s, d_h = (
        (hidden, hidden * (2 if wide else 1)) if family == "dot" else (size["d_s"], size["d_h"])
    )
    batch = (size["B"],) if "batched" in rendition else ()
    made = [rng.standard_normal((*batch, d_s)), rng.standard_normal((*batch, size["T_enc"], d_h))]
    if "padding" in rendition:
        made[1][-2:] = 0
    if family == "general":
        made.append(rng.standard_normal((d_s, d_h)))
    if family == "additive":
        made.append(rng.standard_normal((size["d_attn"], d_s)))
        made.append(rng.standard_normal((size["d_attn"], d_h)))
        made.append(rng.standard_normal(size["d_attn"]))
    return made


def run(source, rendition, args, names=None):
    """Execute the file as an import would, then call its function under a line tracer."""
    module = types.ModuleType("rendition")
    with np.errstate(all="ignore"), silence():
        exec(compile(source, "<rendition>", "exec"), vars(module))
        vars(module).update(names or {})
        function = getattr(module, f"{rendition.split('_')[0]}_attention")
        steps = []
        context, weights = traced(function, [value.copy() for value in args], steps)
    after = {line: values for (line, _), (_, values) in itertools.pairwise(steps)}
    kept = {k: v for k, v in vars(module).items() if callable(v) or isinstance(v, types.ModuleType)}
    return Run(context, weights, after, steps[-1][1], kept | (names or {}))


class silence:
    """Swallows what a demo prints."""

    def __enter__(self):
        self.stdout, sys.stdout = sys.stdout, self

    def __exit__(self, *_):
        sys.stdout = self.stdout

    def write(self, _):
        return 0

    def flush(self):
        return None


def traced(function, args, steps):
    """Call, and record (line, locals before it) for each line reached, the return last."""

    def local(frame, event, _):
        if event in ("line", "return"):
            values = {name: frozen(value) for name, value in frame.f_locals.items()}
            steps.append((frame.f_lineno, values))
        return local

    def enter(frame, _event, _arg):
        return local if frame.f_code is function.__code__ else None

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        return function(*args)
    finally:
        sys.settrace(before)


def frozen(value):
    """A copy of an array, which a later line may change in place."""
    return copy.copy(value) if isinstance(value, np.ndarray) else value


def holds(assertion, done, line):
    """Execute an assert after `line`, or before the return if it speaks of what comes later."""
    symbols = SIZES | {alias: SIZES[name] for alias, name in ALIASES.items()}
    results = {"context": done.context, "output": done.context, "weights": done.weights}
    used = {node.id for node in ast.walk(ast.parse(assertion)) if isinstance(node, ast.Name)}
    early = done.scope | symbols | done.after.get(line, {})
    late = done.scope | symbols | results | done.final
    known = used <= early.keys() | vars(builtins).keys()
    exec(compile(assertion, "<assert>", "exec"), early if known else late)


def applied(source, finding):
    """The file after the finding's fix: by its edits, or by its line where it has none."""
    lines = source.split("\n")
    if not finding.fix.edits:
        old = lines[finding.line - 1]
        lines[finding.line - 1] = old[: len(old) - len(old.lstrip())] + finding.fix.line
        return "\n".join(lines), finding.line
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    text, spans = source, [(edit.span, edit.text) for edit in finding.fix.edits]
    for span, new in sorted(spans, key=lambda pair: (pair[0].line, pair[0].column), reverse=True):
        begin = starts[span.line - 1] + span.column - 1
        end = starts[span.end_line - 1] + span.end_column - 1
        text = text[:begin] + new + text[end:]
    return text, min(span.line for span, _ in spans)


def formula(rendition, args):
    """What the rendition must compute, by the papers, as context and weights."""
    states, memory = args[0], args[1]
    if "batched" in rendition:
        single = rendition.replace("batched", "")
        pairs = zip(states, memory, strict=True)
        results = [formula(single, [s, H, *args[2:]]) for s, H in pairs]
        return tuple(np.array(part) for part in zip(*results, strict=True))
    keep = memory.any(axis=1) if "padding" in rendition else np.ones(len(memory), dtype=bool)
    scores = [score(rendition.split("_")[0], states, h, *args[2:]) for h in memory]
    shares = np.where(keep, np.exp(scores), 0.0)
    weights = shares / shares.sum()
    return sum(w * h for w, h in zip(weights, memory, strict=True)), weights


def score(family, s, h, *parameters):
    """The score of one encoder state."""
    if family == "dot":
        return np.einsum("d,d->", s, h)
    if family == "general":
        return np.einsum("s,sh,h->", s, parameters[0], h)
    W_a, U_a, v_a = parameters
    return np.einsum(
        "a,a->", v_a, np.tanh(np.einsum("as,s->a", W_a, s) + np.einsum("ah,h->a", U_a, h))
    )
