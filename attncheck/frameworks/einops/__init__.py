"""How einops spells the operators; its functions take tensors of any library."""
