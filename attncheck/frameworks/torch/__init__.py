"""How torch spells the operators, one table a family."""
