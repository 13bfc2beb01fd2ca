"""Other files of the project, as far as a traced file looks into what it imports from them.

An import makes an `Imported` value and reads nothing. When the name is read, the other file's
outline says whether it is a function or class (then it stays as it is until it is called, looked
into, or made a base) or anything else, whose statements are run at once. Only the statements that
bind the name are run, in their order, each once, as the module of that file: on a machine of its
own, so that nothing it learns reaches the checked file. A name that is asked for while its own
statements run, in a cycle of imports say, is unknown.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from attncheck.graph import Place
from attncheck.modules import Modules
from attncheck.outline import Outline, Part, outline_of
from attncheck.source import SourceError
from attncheck.tracer.machine import Environment, Frame, Machine, OutOfBudget
from attncheck.values.value import UNKNOWN, Const, Imported, Mapping, Sequence, Value

#: How many files are read for one checked file, and how many of their characters altogether.
MOST_FILES: Final = 32
MOST_OUTLINED: Final = 600_000
#: How much of them is parsed: so much in any case, and for a larger file half as much as itself.
MOST_PARSED: Final = 24_000
#: How many files wait for one another: each is a few dozen calls deep.
MOST_NESTED: Final = 12
#: How many statements and calls their module code may take.
MOST_STEPS: Final = 6_000


@dataclass(slots=True, eq=False)
class Module:
    """One file that is followed, with what has been run of it."""

    path: str
    outline: Outline
    environment: Environment
    machine: Machine
    done: set[int] = field(default_factory=set)
    running: list[int] = field(default_factory=list)
    #: whether it was left in the middle of something: nothing more is known of it then
    broken: bool = False


class Project:
    """The other files of one checked file's project.

    ``path`` is the checked file, or empty where nothing is to be followed; ``size`` the length of
    its text. ``machine`` makes the machine that a file runs on; ``followed`` collects the files
    that are read.
    """

    def __init__(
        self,
        path: str,
        size: int,
        own: Environment,
        machine: Callable[[], Machine],
        followed: set[str],
    ) -> None:
        self._path = os.path.abspath(path) if path else ""
        self._own = own
        self._machine = machine
        self._followed = followed
        self._paths = Modules(path) if path else None
        self._modules: dict[str, Module | None] = {}
        self._asked: set[Imported] = set()
        self._files = MOST_FILES
        self._outlined = MOST_OUTLINED
        self._parsed = MOST_PARSED + size // 2
        self._steps = MOST_STEPS

    # -- paths ---------------------------------------------------------------------------------

    def find(self, importer: str, level: int, name: str) -> str | None:
        """The file or folder that an import means; `importer` is empty for the checked file."""
        if self._paths is None:
            return None
        if level:
            return self._paths.relative(importer or self._path, level, name)
        return self._paths.absolute(name)

    def of_package(self, importer: str, path: str, name: str) -> Imported | None:
        """The module `name` of a package, where the package's own `importer` asks for it."""
        if self._paths is None or path != (importer or self._path):
            return None
        below = self._paths.below(path, name)
        return None if below is None else Imported(below)

    def public(self, path: str) -> Iterator[tuple[str, Value]]:
        """What ``import *`` takes from a file."""
        module = self._module(path)
        if module is None:
            return
        names = module.outline.public()
        for name in module.outline.by_name if names is None else names:
            yield name, UNKNOWN if names is None else Imported(path, name)

    # -- values --------------------------------------------------------------------------------

    def look(self, value: Imported) -> Value:
        """What an imported name stands for; a function or class stays `Imported`."""
        return self.member(value.path, value.name) if value.name else value

    def resolved(self, value: Imported) -> Value:
        """What an imported name stands for; only a module stays `Imported`."""
        return self.member(value.path, value.name, whole=True) if value.name else value

    def member(self, path: str, name: str, *, whole: bool = False) -> Value:
        """The value of a name in a file; a function or class stays `Imported` unless `whole`."""
        asked = Imported(path, name)
        if asked in self._asked or len(self._asked) >= MOST_NESTED:
            return UNKNOWN
        self._asked.add(asked)
        try:
            found = self._find_member(path, name, whole)
            if type(found) is Imported and found != asked:
                found = self.resolved(found) if whole else self.look(found)
        finally:
            self._asked.discard(asked)
        return UNKNOWN if found is None else found

    def forget(self, path: str, name: str) -> None:
        """A name of a module was given a value from outside."""
        module = self._module(path)
        if module is not None:
            module.environment.names[name] = UNKNOWN

    def _find_member(self, path: str, name: str, whole: bool) -> Value | None:
        if path == self._path:
            return self._own.names.get(name)
        module = self._module(path)
        if module is not None:
            found = self._bound(module, name, whole)
            if found is not None:
                return found
        below = None if self._paths is None else self._paths.below(path, name)
        return None if below is None or below == path else Imported(below)

    def _bound(self, module: Module, name: str, whole: bool) -> Value | None:
        """The value that a module's own statements give a name; None if they do not."""
        outline = module.outline
        numbers = outline.by_name.get(name, [])
        if module.broken or (numbers and not outline.is_steady(name)):
            return UNKNOWN
        if name not in module.environment.names:
            if len(numbers) == 1 and outline.parts[numbers[0]].defines and not whole:
                return Imported(module.path, name)
            if module.running and any(number >= module.running[-1] for number in numbers):
                return UNKNOWN
            self._run(module, numbers or outline.stars)
        found = module.environment.names.get(name)
        if found is None:
            return UNKNOWN if numbers else None
        return _opened(found)

    # -- files ---------------------------------------------------------------------------------

    def _module(self, path: str) -> Module | None:
        if path not in self._modules:
            self._modules[path] = self._opened_module(path)
        return self._modules[path]

    def _opened_module(self, path: str) -> Module | None:
        if self._files <= 0 or self._outlined <= 0 or not path.endswith(".py"):
            return None
        self._files -= 1
        self._followed.add(path)
        outline = outline_of(path)
        if outline is None:
            return None
        self._outlined -= len(outline.text)
        machine = self._machine()
        environment = Environment()
        environment.names["__name__"] = Const(path)
        environment.file = machine.own.elsewhere(path, outline.text)
        module = Module(path, outline, environment, machine)
        environment.supply = lambda name: self._bound(module, name, whole=False)
        return module

    def _run(self, module: Module, numbers: list[int]) -> None:
        """Run parts of a module that have not been run, while there is a budget for it."""
        for number in numbers:
            if number in module.done or module.broken:
                continue
            module.done.add(number)
            part = module.outline.parts[number]
            self._parsed -= len(part.text)
            if self._parsed >= 0:
                module.running.append(number)
                self._execute(module, part)
                module.running.pop()

    def _execute(self, module: Module, part: Part) -> None:
        machine = module.machine
        machine.steps = self._steps
        try:
            with machine.running(Frame(module.environment, Place("", None))):
                machine.execute(part.source().module.body)
        except SourceError:
            return
        except (OutOfBudget, RecursionError):
            # Its names are then those of the way on which it was left.
            module.broken = True
            module.environment.names = dict.fromkeys(module.outline.by_name, UNKNOWN)
        self._steps = min(self._steps, machine.steps)


def _opened(value: Value) -> Value:
    """An empty list or dict of a module as one of unknown contents: it is there to be filled."""
    if type(value) is Sequence and value.mutable and value.items == ():
        return Sequence(None, True)
    return Mapping((), open=True) if value == Mapping(()) else value
