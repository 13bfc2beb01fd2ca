"""NumPy's Fourier transforms and the parts of complex arrays."""

from __future__ import annotations

from attncheck.frameworks.spelling import Table
from attncheck.operators import transforms

TABLE = Table("numpy")

_ALONG = "a:x, n:count=None, axis=-1, norm=None, out=None"
TABLE.add("numpy.fft.fft numpy.fft.ifft", transforms.transform, _ALONG)
TABLE.add("numpy.fft.rfft", transforms.transform_real, _ALONG)
TABLE.add("numpy.fft.irfft", transforms.restore_real, _ALONG)
TABLE.add("numpy.conj numpy.conjugate", transforms.part, "x")
TABLE.add("numpy.ndarray.conj numpy.ndarray.conjugate", transforms.part, "self:x")
