"""How to draw arguments for each operator, one file a family; see `tests.operators.harness`."""
