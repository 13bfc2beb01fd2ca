"""ATN302: real spectra transformed back along another axis than they were made along."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

NUMPY = """import numpy as np
def correlate(q, k):
    B, S, H, E = k.shape
    B, L, H, E = q.shape
    one, other = {}, {}
    return {}
"""
LIBRARIES = {
    "numpy": NUMPY,
    "jax": NUMPY.replace("numpy as np", "jax.numpy as np"),
    "torch": NUMPY.replace("numpy as np", "torch"),
}


def found(code):
    """(code, line, fix) of every finding but notes."""
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [(f.code, f.line, f.fix and f.fix.line) for f in findings if f.severity != "note"]


@pytest.mark.parametrize("library", ["numpy", "jax"])
@pytest.mark.parametrize(
    ("back", "right"),
    [
        (
            "np.fft.irfft(one * np.conj(other), n=L)",
            "np.fft.irfft(one * np.conj(other), n=L, axis=1)",
        ),
        (
            "np.fft.irfft(one * other.conj(), n=L, axis=2)",
            "np.fft.irfft(one * other.conj(), n=L, axis=1)",
        ),
        ("np.fft.irfft(np.abs(one) ** 2)", "np.fft.irfft(np.abs(one) ** 2, axis=1)"),
    ],
)
def test_back_along_another_axis(library, back, right):
    forward = ("np.fft.rfft(q, axis=1)", "np.fft.rfft(k, axis=1)")
    code = LIBRARIES[library].format(*forward, back)
    assert found(code) == [("ATN302", 6, f"return {right}")]
    assert found(LIBRARIES[library].format(*forward, right)) == []


def test_torch():
    code = LIBRARIES["torch"]
    forward = ("torch.fft.rfft(q, dim=1)", "torch.fft.rfft(k, dim=1)")
    wrong = "torch.fft.irfft(one * torch.conj(other), n=L, dim=-1)"
    right = wrong.replace("dim=-1", "dim=1")
    assert found(code.format(*forward, wrong)) == [("ATN302", 6, f"return {right}")]
    assert found(code.format(*forward, right)) == []


@pytest.mark.parametrize(
    ("one", "other", "back"),
    [
        ("np.fft.rfft(q, axis=-3)", "np.fft.rfft(k, axis=1)", "np.fft.irfft(one * other, axis=1)"),
        ("np.fft.rfft(q)", "np.fft.rfft(k)", "np.fft.irfft(one * np.conj(other), n=E)"),
        # moved in between, or transformed along two axes
        (
            "np.fft.rfft(q, axis=1).transpose(0, 2, 3, 1)",
            "0",
            "np.fft.irfft(one, n=L)",
        ),
        (
            "np.fft.fft(np.fft.rfft(q, axis=3), axis=1)",
            "0",
            "np.fft.irfft(np.fft.ifft(one, axis=1), axis=3)",
        ),
        ("np.fft.fft(q, axis=1)", "0", "np.fft.ifft(one, axis=2)"),
        ("np.fft.rfft(q, axis=1)", "0", "np.fft.irfft(np.ones((B, L, 5)))"),
    ],
)
def test_what_may_be_meant(one, other, back):
    assert found(NUMPY.format(one, other, back)) == []
