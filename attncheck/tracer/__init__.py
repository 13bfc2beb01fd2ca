"""An abstract interpreter over libcst: runs code on shapes and records tensor operations."""
