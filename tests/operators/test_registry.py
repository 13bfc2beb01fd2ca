"""Every spelling in the framework tables, held against the library it claims to describe."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")

import attncheck.frameworks
from attncheck.frameworks import lookup

from .harness import KINDS, check_call, find_real, lenient, samplers, silent, skipped

CALLS = 40
#: Tracing jax costs more, and most of its spellings are NumPy's, which are called often enough.
CALLS_OF_JAX = {"numbers": 5, "symbols": 1, "open": 3}
SPELLINGS = lookup.spellings() | lookup.layers()


@pytest.mark.parametrize("path", sorted(SPELLINGS))
@pytest.mark.parametrize("kind", KINDS)
def test_model_agrees_with_library(path: str, kind: str) -> None:
    spelling = SPELLINGS[path]
    _skip_if_not_here(path)
    for seed in range(CALLS_OF_JAX[kind] if path.startswith(("jax.", "flax.")) else CALLS):
        complaint = check_call(spelling, seed, kind)
        assert complaint is None, complaint


def _skip_if_not_here(path: str) -> None:
    pytest.importorskip(path.partition(".")[0])
    if path in skipped():
        pytest.skip(skipped()[path])


def test_every_operator_has_a_sampler() -> None:
    missing = {s.operator.__name__ for s in SPELLINGS.values() if s.operator not in samplers()}
    assert not missing


def test_every_silence_names_a_spelling() -> None:
    assert set(silent()) | set(skipped()) | set(lenient()) <= set(SPELLINGS)


def test_every_table_is_listed() -> None:
    root = Path(attncheck.frameworks.__path__[0])
    for library, modules in lookup.MODULES.items():
        files = {file.stem for file in (root / library).glob("*.py")} - {"__init__"}
        assert files == set(modules)


@pytest.mark.parametrize("path", sorted(SPELLINGS))
def test_library_has_the_name(path: str) -> None:
    pytest.importorskip(path.partition(".")[0])
    find_real(path)
