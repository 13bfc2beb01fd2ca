"""Which configuration file counts for a folder, and the settings that hold there.

The nearest `attncheck.toml`, or `pyproject.toml` with a table ``[tool.attncheck]``, counts, alone:
what a folder above says holds only if the nearer file extends it. What reads such files is imported
only where there is one.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from attncheck.settings import Overrides, Settings

OWN: Final = "attncheck.toml"
PYPROJECT: Final = "pyproject.toml"


class SettingsFinder:
    """The settings of each folder: those of the nearest configuration file, then the command line.

    `config` names one file for all folders instead; with `isolated` none is read.
    """

    def __init__(
        self, overrides: Overrides, config: Path | None = None, *, isolated: bool = False
    ) -> None:
        self._overrides = overrides
        self._config = config
        self._isolated = isolated
        self._by_file: dict[Path | None, Settings] = {}
        self._nearest: dict[Path, Path | None] = {}

    def settings(self, folder: str) -> Settings:
        """The settings in force in `folder`. Raises `SettingsError`."""
        file = self._config if self._config or self._isolated else self._find(Path(folder))
        if file not in self._by_file:
            self._by_file[file] = _settings(file, self._overrides)
        return self._by_file[file]

    def _find(self, folder: Path) -> Path | None:
        folder = Path(os.path.abspath(folder))
        passed = []
        found: Path | None = None
        for place in (folder, *folder.parents):
            if place in self._nearest:
                found = self._nearest[place]
                break
            passed.append(place)
            found = next((place / name for name in (OWN, PYPROJECT) if _counts(place / name)), None)
            if found is not None:
                break
        self._nearest |= dict.fromkeys(passed, found)
        return found


def _settings(file: Path | None, overrides: Overrides) -> Settings:
    if file is None and overrides == Overrides():
        return Settings()
    from attncheck.configuration.files import read_layers
    from attncheck.configuration.layers import command_line, settings_of

    layers = [] if file is None else read_layers(file)
    return settings_of([*layers, command_line(overrides)])


def _counts(file: Path) -> bool:
    """Whether a file is there and is one of attncheck's. Raises `SettingsError`."""
    if not os.path.isfile(file):
        return False
    if file.name == PYPROJECT:
        try:
            if b"attncheck" not in file.read_bytes():
                return False
        except OSError:  # whatever it says, it is not for us
            return False
    from attncheck.configuration.files import has_table

    return has_table(file)
