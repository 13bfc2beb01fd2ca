"""Shape semantics of tensor operations, the same for every library."""
