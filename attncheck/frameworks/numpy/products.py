"""numpy's products: dot, matmul and their relatives, einsum."""

from __future__ import annotations

from attncheck.frameworks.spelling import Table
from attncheck.operators import contraction
from attncheck.operators.einsum import einsum

TABLE = Table("numpy")

TABLE.add("numpy.matmul", contraction.matmul, "x1:x, x2:y, out=None, *, dtype=None")
TABLE.add("numpy.linalg.matmul", contraction.matmul, "x1:x, x2:y")
TABLE.add("numpy.dot", contraction.dot, "a:x, b:y, out=None")
TABLE.add("numpy.ndarray.dot", contraction.dot, "self:x, b:y, out=None")
TABLE.add("numpy.inner", contraction.inner, "a:x, b:y")
TABLE.add("numpy.vdot", contraction.flat_dot, "a:x, b:y")
TABLE.add("numpy.outer", contraction.flat_outer, "a:x, b:y, out=None")
TABLE.add("numpy.linalg.outer", contraction.vector_outer, "x1:x, x2:y")
TABLE.add("numpy.tensordot", contraction.tensordot, "a:x, b:y, axes=2")
TABLE.add("numpy.linalg.tensordot", contraction.tensordot, "x1:x, x2:y, *, axes=2")
TABLE.add(
    "numpy.einsum",
    einsum,
    "*operands, out=None, dtype=None, order=K, casting=safe, optimize=False",
)
