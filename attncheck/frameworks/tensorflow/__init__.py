"""How TensorFlow spells the operators, one table a family."""
