"""TensorFlow's joins, splits and paddings."""

from __future__ import annotations

from attncheck.frameworks.spelling import Table
from attncheck.operators import joining, padding, splitting

TABLE = Table("tensorflow")

# Joining.
TABLE.add("tensorflow.concat", joining.concatenate, "values:xs, axis, name=concat")
TABLE.add("tensorflow.stack", joining.stack, "values:xs, axis=0, name=stack")

# Splitting: a number of parts, or their sizes.
TABLE.add(
    "tensorflow.split",
    splitting.parts_or_sizes,
    "value:x, num_or_size_splits:parts, axis=0, num=None, name=split",
)
TABLE.add("tensorflow.unstack", splitting.unbind, "value:x, num=None, axis=0, name=unstack")

# Padding.
TABLE.add(
    "tensorflow.pad",
    padding.pad_axes,
    "tensor:x, paddings:widths, mode=CONSTANT, constant_values=0, name=None",
)
