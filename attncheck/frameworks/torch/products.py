"""torch's products: matmul and its relatives, einsum."""

from __future__ import annotations

from attncheck.frameworks.spelling import Table
from attncheck.operators import contraction
from attncheck.operators.einsum import einsum

TABLE = Table("torch")

TABLE.add("torch.matmul torch.linalg.matmul", contraction.matmul, "input:x, other:y, *, out=None")
TABLE.add("torch.Tensor.matmul", contraction.matmul, "self:x, other:y")
TABLE.add("torch.mm", contraction.mm, "input:x, mat2:y, *, out=None")
TABLE.add("torch.Tensor.mm", contraction.mm, "self:x, mat2:y")
TABLE.add("torch.bmm", contraction.bmm, "input:x, mat2:y, *, out=None")
TABLE.add("torch.Tensor.bmm", contraction.bmm, "self:x, mat2:y")
TABLE.add("torch.mv", contraction.mv, "input:x, vec:y, *, out=None")
TABLE.add("torch.Tensor.mv", contraction.mv, "self:x, vec:y")
TABLE.add("torch.dot", contraction.vector_dot, "input:x, tensor:y, *, out=None")
TABLE.add("torch.Tensor.dot", contraction.vector_dot, "self:x, tensor:y")
TABLE.add("torch.vdot", contraction.vector_dot, "input:x, other:y, *, out=None")
TABLE.add("torch.Tensor.vdot", contraction.vector_dot, "self:x, other:y")
TABLE.add("torch.inner", contraction.inner, "input:x, other:y, *, out=None")
TABLE.add("torch.Tensor.inner", contraction.inner, "self:x, other:y")
TABLE.add("torch.outer torch.ger", contraction.vector_outer, "input:x, vec2:y, *, out=None")
TABLE.add("torch.Tensor.outer torch.Tensor.ger", contraction.vector_outer, "self:x, vec2:y")
TABLE.add(
    "torch.addmm",
    contraction.addmm,
    "input:bias, mat1:x, mat2:y, *, beta=1, alpha=1, out=None",
)
TABLE.add("torch.Tensor.addmm", contraction.addmm, "self:bias, mat1:x, mat2:y, *, beta=1, alpha=1")
TABLE.add(
    "torch.baddbmm",
    contraction.baddbmm,
    "input:bias, batch1:x, batch2:y, *, beta=1, alpha=1, out=None",
)
TABLE.add(
    "torch.Tensor.baddbmm",
    contraction.baddbmm,
    "self:bias, batch1:x, batch2:y, *, beta=1, alpha=1",
)
TABLE.add(
    "torch.tensordot torch.functional.tensordot",
    contraction.tensordot,
    "a:x, b:y, dims:axes=2, out=None",
)
TABLE.add("torch.einsum torch.functional.einsum", einsum, "*operands")
