"""How each library spells the operators: names and parameters only, no shape knowledge."""
