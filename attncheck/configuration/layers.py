"""What several sources say, laid on each other: the nearest wins, and each value keeps its source.

A file that another one extends lies below it, and the command line above both. Lists that begin
anew (``select``, ``exclude``) take the place of what lies below; all else is added to it, table by
table and key by key.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from attncheck.configuration import values
from attncheck.configuration.values import Place
from attncheck.record import record
from attncheck.settings import (
    Choice,
    Overrides,
    Pairs,
    Patterns,
    Said,
    Settings,
    SettingsError,
)

#: What a key that begins anew takes the place of, itself apart.
_REPLACED: Final = {
    "select": ("extend-select", "ignore", "extend-ignore"),
    "exclude": ("extend-exclude",),
}
#: Keys whose entries stand beside those of other sources.
_ADDED: Final = ("extend-select", "ignore", "extend-ignore", "per-file-ignores", "extend-exclude")


@record
class Layer:
    """What one source says: values that have been checked, by their key.

    ``root`` is the folder that its patterns are relative to; ``place`` is a file's table, and None
    for the command line, where each key has an option of its own.
    """

    root: str
    values: Mapping[str, Any]
    place: Place | None = None

    def source(self, key: str) -> str:
        """Where a key was set, in a word: the file or the option."""
        return _OPTIONS[key] if self.place is None else self.place.source

    def entry(self, key: str, name: str) -> Place:
        """The place of one entry of a table."""
        at = Place(_OPTIONS[key]) if self.place is None else self.place[key]
        return at.entry(name, self.values[key][name])


_OPTIONS: Final = {
    "select": "--select",
    "extend-select": "--extend-select",
    "ignore": "--ignore",
    "extend-ignore": "--extend-ignore",
    "per-file-ignores": "--per-file-ignores",
    "severity": "--severity",
    "exclude": "--exclude",
    "extend-exclude": "--extend-exclude",
    "dims": "--dim",
    "tensors": "--tensor",
}
#: Options whose words are NAME=VALUE, with an example.
_PAIRS: Final = {
    "severity": "unchecked-equality=error",
    "dims": "d_s=256",
    "tensors": "encoder_states=T_enc d_h",
}


def command_line(said: Overrides) -> Layer:
    """The layer of the command line. Raises `SettingsError`."""
    found = {}
    for key, option in _OPTIONS.items():
        words = getattr(said, option.removeprefix("--").replace("-", "_"))
        if words:
            found[key] = values.KEYS[key](Place(option), _written(key, option, words))
    return Layer(os.getcwd(), found)


def _written(key: str, option: str, words: tuple[str, ...]) -> object:
    """The words of an option in the form that a file would have them in."""
    if key == "per-file-ignores":
        return _per_file(option, words)
    if key not in _PAIRS:
        return list(words)
    pairs = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise SettingsError(f"{option} {word}: expected NAME=VALUE, such as {_PAIRS[key]}")
        pairs[name.strip()] = value.strip()
    return pairs


def _per_file(option: str, words: tuple[str, ...]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for word in words:
        pattern, colon, selector = word.rpartition(":")
        if not colon or not pattern.strip() or not selector.strip():
            example = "tests/*:outer-broadcast"
            raise SettingsError(f"{option} {word}: expected PATTERN:RULE, such as {example}")
        found.setdefault(pattern.strip(), []).append(selector.strip())
    return found


def settings_of(layers: Sequence[Layer]) -> Settings:
    """The settings that layers come to, the nearest one last. Raises `SettingsError`."""
    settings = Settings()
    for layer in layers:
        settings = _with(settings, layer)

    def place_of(name: str) -> Place:
        return next(
            layer.entry("dims", name)
            for layer in reversed(layers)
            if name in layer.values.get("dims", {})
        )

    values.check_sizes(settings.dims, place_of)
    files = [layer.place.source for layer in reversed(layers) if layer.place is not None]
    return replace(settings, files=tuple(files))


def _with(settings: Settings, layer: Layer) -> Settings:
    """`settings` with a nearer layer on top."""
    get = layer.values.get
    choice = Choice(
        get("select"), get("extend-select", ()), get("ignore", ()) + get("extend-ignore", ())
    )
    choices = settings.choices if choice.select is None else ()
    if choice != Choice():
        choices = (*choices, choice)
    excluded = () if "exclude" in layer.values else settings.exclude
    if lines := get("exclude", ()) + get("extend-exclude", ()):
        excluded = (*excluded, Patterns(layer.root, lines))
    severities = settings.severities
    if pairs := tuple(get("severity", {}).items()):
        severities = (*severities, pairs)
    return replace(
        settings,
        choices=choices,
        severities=severities,
        per_file_ignores=settings.per_file_ignores
        + tuple(
            (Patterns(layer.root, (pattern,)), rules)
            for pattern, rules in get("per-file-ignores", {}).items()
        ),
        exclude=excluded,
        dims=_merged(settings.dims, get("dims", {})),
        tensors=_merged(settings.tensors, get("tensors", {})),
        convention=get("convention", settings.convention),
        said=tuple(_said(settings.said, layer)),
    )


def _merged(old: Pairs, new: Mapping[str, str]) -> Pairs:
    return tuple({**dict(old), **new}.items())


def _said(old: tuple[Said, ...], layer: Layer) -> Iterator[Said]:
    """What is in force of what was said before, then what the layer says."""
    new = [said for key, value in layer.values.items() for said in _rows(key, value, layer)]
    gone = {said.key for said in new if said.key.partition(".")[0] not in _ADDED}
    gone |= {key for said in new for key in _REPLACED.get(said.key, ())}
    yield from (said for said in old if said.key not in gone)
    yield from new


def _rows(key: str, value: Any, layer: Layer) -> Iterator[Said]:
    if not isinstance(value, Mapping):
        yield Said(key, value, layer.source(key))
        return
    for name, entry in value.items():
        yield Said(f"{key}.{name}", entry, layer.source(key))
