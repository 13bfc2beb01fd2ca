"""TensorFlow's selections of elements: by index, by rank, by band."""

from __future__ import annotations

from attncheck.frameworks.spelling import Table
from attncheck.operators import places, selection, triangles

TABLE = Table("tensorflow")

# By an index.
TABLE.add(
    "tensorflow.gather",
    selection.gather_rows,
    "params:x, indices:index, validate_indices=None, axis=None, batch_dims=0, name=None",
)
TABLE.add(
    "tensorflow.nn.embedding_lookup",
    selection.gather_rows,
    "params:x, ids:index, max_norm=None, name=None",
)
TABLE.add("tensorflow.slice", places.part, "input_:x, begin, size:sizes, name=None")

# By value.
TABLE.add(
    "tensorflow.nn.top_k tensorflow.math.top_k",
    selection.topk,
    "input:x, k:count=1, sorted=True, index_type=None, name=None",
)
_ORDER = "values:x, axis=-1, direction=ASCENDING"
TABLE.add("tensorflow.sort", selection.sort, f"{_ORDER}, name=None")
TABLE.add("tensorflow.argsort", selection.argsort, f"{_ORDER}, stable=False, name=None")

# Bands.
TABLE.add(
    "tensorflow.linalg.band_part",
    triangles.band,
    "input:x, num_lower:lower, num_upper:upper, name=None",
)
