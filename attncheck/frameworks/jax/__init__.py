"""How jax spells the operators: NumPy's tables under its own names, and what it adds."""
