"""Every spelling in the framework tables, held against the library it claims to describe."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")

import attncheck.frameworks
from attncheck.frameworks import lookup

from .harness import KINDS, check_call, find_real, lenient, samplers, silent, skipped

CALLS = 40
#: Their calls cost more, and most of their spellings are NumPy's, which are called often enough.
_OTHERS = ("jax.", "flax.", "keras.", "tensorflow.")
CALLS_OF_OTHERS = {"numbers": 5, "symbols": 1, "open": 3}
SPELLINGS = lookup.spellings() | lookup.layers()


@pytest.mark.parametrize("path", sorted(SPELLINGS))
@pytest.mark.parametrize("kind", KINDS)
def test_model_agrees_with_library(path: str, kind: str) -> None:
    spelling = SPELLINGS[path]
    _skip_if_not_here(path)
    for seed in range(CALLS_OF_OTHERS[kind] if path.startswith(_OTHERS) else CALLS):
        complaint = check_call(spelling, seed, kind)
        assert complaint is None, complaint


def _skip_if_not_here(path: str) -> None:
    _needs_library(path)
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


def _needs_library(path: str) -> None:
    """Skip where a library is not installed; what ``keras.backend`` had is only in TensorFlow's."""
    if path.startswith(("keras.", "tensorflow.")):
        from . import real_keras

        path = real_keras.home(path)
    pytest.importorskip(path.partition(".")[0])


@pytest.mark.parametrize("path", sorted(SPELLINGS))
def test_library_has_the_name(path: str) -> None:
    _needs_library(path)
    if path in skipped():
        pytest.skip(skipped()[path])
    find_real(path)
