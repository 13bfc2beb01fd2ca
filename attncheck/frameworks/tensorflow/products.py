"""TensorFlow's products: matmul with its transposes, tensordot, einsum."""

from __future__ import annotations

from attncheck.frameworks.spelling import Table
from attncheck.operators import contraction, turned
from attncheck.operators.einsum import einsum

TABLE = Table("tensorflow")

_TURNED = "transpose_a=False, transpose_b=False, adjoint_a=False, adjoint_b=False"
_SPARSE = "a_is_sparse=False, b_is_sparse=False, output_type=None"
TABLE.add(
    "tensorflow.matmul tensorflow.linalg.matmul",
    turned.turned_matmul,
    f"a:x, b:y, {_TURNED}, {_SPARSE}, grad_a=False, grad_b=False, name=None",
)
TABLE.add(
    "tensorflow.linalg.matvec",
    turned.turned_matvec,
    "a:x, b:y, transpose_a=False, adjoint_a=False, a_is_sparse=False, b_is_sparse=False, name=None",
)
TABLE.add(
    "tensorflow.tensordot tensorflow.linalg.tensordot",
    contraction.tensordot,
    "a:x, b:y, axes, name=None",
)
TABLE.add("tensorflow.einsum tensorflow.linalg.einsum", einsum, "*operands, name=None, optimize=x")
