"""How Keras spells the operators, one table a family; its arrays are TensorFlow's."""
