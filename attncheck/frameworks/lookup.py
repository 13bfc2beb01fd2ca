"""Finding the spelling of a full name, over the tables of all libraries."""

from __future__ import annotations

import functools
import importlib
import re

from attncheck.frameworks.spelling import LayerSpelling, Spelling, Table

#: The table modules of each library: no walk over the folders, which costs more at start-up than
#: importing them; a test holds the list against the folders.
_SHARED = (
    "products",
    "elementwise",
    "reductions",
    "shaping",
    "indexing",
    "creation",
    "joining",
    "queries",
)
MODULES = {
    "torch": (
        *_SHARED,
        "functional",
        "layers",
        "normalising",
        "convolution",
        "pooling",
        "losses",
        "transforms",
        "recurrent",
        "transformers",
    ),
    "numpy": (*_SHARED, "transforms"),
    "einops": ("functions", "layers"),
    "jax": ("arrays", "nn", "random", "lax", "linen", "nnx"),
    "tensorflow": _SHARED,
    "keras": ("ops", "backend", "layers", "merging", "recurrent", "attention"),
}


#: Libraries whose functions stand in another one's tables.
_GUESTS = {"scipy": "numpy", "flax": "jax"}
#: Libraries under another name: Keras of before its third version.
_ALIASES = frozenset(["tf_keras"])


def is_modelled(name: str) -> bool:
    """Whether a top-level module of that name is a library with tables here."""
    return name in MODULES or name in _GUESTS or name in _ALIASES


def tables() -> tuple[Table, ...]:
    """Every table of every library."""
    return tuple(table for library in MODULES for table in tables_of(library))


@functools.cache
def tables_of(library: str) -> tuple[Table, ...]:
    """The tables of one library, imported on first use: most files need but one."""
    names = MODULES.get(_GUESTS.get(library, library), ())
    home = _GUESTS.get(library, library)
    return tuple(
        importlib.import_module(f"attncheck.frameworks.{home}.{name}").TABLE for name in names
    )


def spellings() -> dict[str, Spelling]:
    """Every spelling of every library by its full name."""
    return {path: spelling for table in tables() for path, spelling in table.spellings.items()}


def layers() -> dict[str, LayerSpelling]:
    """Every layer of every library by the full name of its class."""
    return {path: layer for table in tables() for path, layer in table.layers.items()}


@functools.cache
def _layers_of(library: str) -> dict[str, LayerSpelling]:
    return {path: layer for table in tables_of(library) for path, layer in table.layers.items()}


#: Where libraries keep what their public modules have: ``torch.nn.modules.linear.Linear``.
_HOME = re.compile(
    r"(torch\.nn)\.modules\.\w+\.|(flax\.nnx)\.nn\.\w+\."
    r"|(flax\.linen)\.(?:activation|attention|linear|module|normalization|recurrent|stochastic)\."
)


#: Where else Keras and TensorFlow are found: ``tensorflow.keras.layers.Dense``.
_ELSEWHERE = (
    (re.compile(r"tensorflow\.(?:compat\.v[12]|_api\.v2)\."), "tensorflow."),
    (re.compile(r"tensorflow\.(?:python\.)?keras(?:\.api|\.src)?(?=\.|$)"), "keras"),
    (re.compile(r"tf_keras(?:\.api|\.src)?(?=\.|$)|keras\.(?:api|src|legacy)(?=\.|$)"), "keras"),
    (
        re.compile(r"keras\.layers\.(?:experimental\.)?[a-z_]+\.(?:[a-z_0-9]+\.)*(?=[A-Z])"),
        "keras.layers.",
    ),
    (re.compile(r"keras\.ops\.(?:numpy|nn|core|math|linalg)\."), "keras.ops."),
    (re.compile(r"keras\.(?:models|engine\.training|engine)\.(?=Model$)"), "keras."),
    (re.compile(r"keras\.(?:models)\.(?=Sequential$)"), "keras."),
    (
        re.compile(r"keras\.(?:engine\.topology|engine\.base_layer|engine)\.(?=Layer$)"),
        "keras.layers.",
    ),
    (re.compile(r"keras\.(?=(?:Layer|Input)$)"), "keras.layers."),
)


@functools.lru_cache(maxsize=4096)
def public(path: str) -> str:
    """The full name by which a library's documentation calls what stands under `path`."""
    found = _HOME.match(path)
    if found is not None:
        return f"{found[found.lastindex or 0]}.{path[found.end() :]}"
    if path.startswith(("tensorflow.", "keras.", "tf_keras")):
        for form, own in _ELSEWHERE:
            place = form.match(path)
            path = path if place is None else own + path[place.end() :]
    return path


@functools.lru_cache(maxsize=4096)
def find_layer(path: str) -> LayerSpelling | None:
    """The layer class of a full name (``torch.nn.Linear``), or None if it is not modelled."""
    path = public(path)
    return _layers_of(path.partition(".")[0]).get(path)


@functools.cache
def _spellings_of(library: str) -> dict[str, Spelling]:
    merged: dict[str, Spelling] = {}
    for table in tables_of(library):
        merged.update(table.spellings)
    return merged


@functools.cache
def members(module: str) -> tuple[str, ...]:
    """The names of the functions and layers that a library's module has."""
    library = public(f"{module}.x").partition(".")[0]
    known = _spellings_of(library).keys() | _layers_of(library).keys()
    names = {path.rpartition(".")[2] for path in known}
    return tuple(sorted(name for name in names if public(f"{module}.{name}") in known))


@functools.cache
def _properties_of(library: str) -> frozenset[str]:
    return frozenset().union(*(table.properties for table in tables_of(library)))


@functools.lru_cache(maxsize=4096)
def find(path: str) -> Spelling | None:
    """The spelling of a full name (``torch.Tensor.bmm``), or None if it is not modelled."""
    path = public(path)
    return _spellings_of(path.partition(".")[0]).get(path)


@functools.lru_cache(maxsize=4096)
def is_property(path: str) -> bool:
    """Whether a full name is read like an attribute: ``numpy.ndarray.T``."""
    return path in _properties_of(path.partition(".")[0])
