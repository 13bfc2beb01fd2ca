"""What the program text says about shapes, apart from the operations themselves."""
