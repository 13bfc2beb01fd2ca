"""The files that are measured: the same ones on every run over the same tree."""

import hashlib
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

TENSOR_LIBRARY = re.compile(
    rb"^\s*(?:from|import)\s+[\w., ]*\b"
    rb"(?:torch|numpy|jax|flax|haiku|equinox|tensorflow|keras|tf_keras|einops)\b",
    re.MULTILINE,
)
ATTENTION = re.compile(rb"softmax|attention|einsum|matmul|\bbmm\b|[\w)\]] @ [\w(]", re.IGNORECASE)


def package_folders(package_list: Path | None, cache: Path) -> Iterator[Path]:
    """The unpacked folders of a list of pinned packages."""
    if package_list is None:
        return
    for line in package_list.read_text(encoding="utf-8").splitlines():
        name, pinned, version = line.partition("#")[0].strip().partition("==")
        if not pinned:
            continue
        folder = cache / "src" / f"{name.lower().replace('_', '-')}-{version}"
        if folder.is_dir():
            yield folder
        else:
            print(f"speed.py: not in the cache: {name}=={version}", file=sys.stderr)


def python_files(paths: list[Path]) -> list[Path]:
    """The Python files under the paths, in an order that only their names decide."""
    found = set[Path]()
    for path in paths:
        found.update([path] if path.is_file() else (p for p in path.rglob("*.py") if p.is_file()))
    return sorted(found, key=lambda file: hashlib.sha1(bytes(file)).hexdigest())


def is_attention_file(path: Path) -> bool:
    """Whether the file imports a tensor library and mentions attention."""
    data = path.read_bytes()
    return bool(ATTENTION.search(data) and TENSOR_LIBRARY.search(data))


def copied(files: list[Path], folder: Path) -> Path:
    """A folder with copies of the files, so deep in a package that relative imports lead there."""
    place = folder
    for name in ("", "one", "two", "three", "four"):
        place /= name
        place.mkdir()
        if name:
            (place / "__init__.py").touch()
    for number, file in enumerate(files):
        shutil.copyfile(file, place / f"file_{number:05}.py")
    return folder
