"""The symbolic algebra of sizes and shapes: pure, without any knowledge of Python or tensors."""
