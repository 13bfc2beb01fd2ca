"""What the tracer computes with: tensors, sizes, containers, callables, and Unknown."""
