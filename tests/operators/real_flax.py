"""Layers of flax as the harness calls them: made, given parameters, and called."""

from __future__ import annotations

from typing import Any

import jax

LINEN, NNX = "flax.linen.", "flax.nnx."


def call_layer(made: Any, positional: list[Any], keywords: dict[str, Any]) -> Any:
    """What a layer of either kind gives; a module of linen gets its parameters on the way."""
    if not hasattr(made, "init_with_output"):
        return made(*positional, **keywords)
    keys = {"params": jax.random.key(0), "dropout": jax.random.key(1)}
    return made.init_with_output(keys, *positional, **keywords)[0]


def more_settings(path: str) -> dict[str, Any]:
    """What a layer is made with besides sizes: without randomness, and with keys."""
    settings: dict[str, Any] = {}
    if path.startswith(NNX):
        from flax import nnx

        settings["rngs"] = nnx.Rngs(0)
    if path.endswith(("Dropout", "Attention")):
        settings["deterministic"] = True
    if path.endswith("nnx.MultiHeadAttention"):
        settings["decode"] = False
    return settings
