"""torch's Fourier transforms, complex tensors and linear algebra."""

from __future__ import annotations

from attncheck.frameworks.spelling import Table
from attncheck.operators import matrices, transforms

TABLE = Table("torch")

# Fourier.
_ALONG = "input:x, n:count=None, dim:axis=-1, norm=None, *, out=None"
TABLE.add("torch.fft.fft torch.fft.ifft", transforms.transform, _ALONG)
TABLE.add("torch.fft.rfft", transforms.transform_real, _ALONG)
TABLE.add("torch.fft.irfft", transforms.restore_real, _ALONG)
_FRAMED = (
    "n_fft:window, hop_length:hop=None, win_length=None, window:taper=None, center=True, "
    "pad_mode=reflect, normalized=False, onesided=None, return_complex:as_complex=None"
)
TABLE.add("torch.stft", transforms.short_time, f"input:x, {_FRAMED}")
TABLE.add("torch.Tensor.stft", transforms.short_time, f"self:x, {_FRAMED}")

# Complex numbers.
TABLE.add("torch.polar", transforms.make_complex, "abs:x, angle:y, *, out=None")
TABLE.add("torch.complex", transforms.make_complex, "real:x, imag:y, *, out=None")
TABLE.add("torch.view_as_real", transforms.as_pairs, "input:x")
TABLE.add("torch.view_as_complex", transforms.from_pairs, "input:x")
TABLE.add("torch.real torch.imag torch.conj torch.resolve_conj", transforms.part, "input:x")
TABLE.add("torch.Tensor.conj", transforms.part, "self:x")
TABLE.add_property("torch.Tensor.real torch.Tensor.imag", transforms.part)

# Linear algebra.
TABLE.add("torch.inverse", matrices.square, "input:x, *, out=None")
TABLE.add("torch.linalg.inv torch.linalg.matrix_exp", matrices.square, "A:x")
TABLE.add("torch.linalg.cholesky", matrices.square, "A:x, *, upper=False, out=None")
TABLE.add("torch.matrix_exp torch.cholesky", matrices.square, "input:x")
TABLE.add("torch.Tensor.inverse torch.Tensor.cholesky", matrices.square, "self:x")
TABLE.add("torch.linalg.det", matrices.determinant, "A:x, *, out=None")
TABLE.add("torch.det torch.logdet", matrices.determinant, "input:x")
TABLE.add("torch.Tensor.det torch.Tensor.logdet", matrices.determinant, "self:x")
TABLE.add("torch.linalg.eigh", matrices.eigen, "A:x, UPLO=L, *, out=None")
TABLE.add("torch.linalg.pinv", matrices.pseudo_inverse, "A:x, *, rtol=None, hermitian=False")
TABLE.add("torch.pinverse", matrices.pseudo_inverse, "input:x, rcond=1e-15")
TABLE.add(
    "torch.linalg.solve_triangular",
    matrices.solve,
    "A:x, B:y, *, upper, left=True, unitriangular=False",
)
