"""How numpy (and scipy, where attention code uses it) spells the operators, one table a family."""
