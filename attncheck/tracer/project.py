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
from collections.abc import Sequence as AbstractSequence
from dataclasses import dataclass, field
from typing import Final

import libcst as cst

from attncheck.frameworks.lookup import find, find_layer, is_modelled
from attncheck.graph import Place
from attncheck.modules import Modules
from attncheck.outline import LeftOut, Outline, Part, Target, outline_of
from attncheck.tracer.builtins import CONSTANTS
from attncheck.tracer.machine import Environment, Frame, Machine, OutOfBudget
from attncheck.values.value import UNKNOWN, Const, Imported, Library, Mapping, Sequence, Value

#: How many files are read for one checked file, and how many of their characters altogether.
MOST_FILES: Final = 32
MOST_OUTLINED: Final = 600_000
#: How much of them is parsed: so much in any case, and of a larger file a quarter of its length;
#: and no more of one statement.
MOST_PARSED: Final = 8_000
MOST_OF_A_PART: Final = 6_000
#: How many files wait for one another: each is a few dozen calls deep.
MOST_NESTED: Final = 12
#: How many steps a call of a function of another file may take, and all such calls together.
MOST_STEPS_OF_A_VISIT: Final = 600
MOST_STEPS_OF_VISITS: Final = 12_000
#: With more stars a file is a list of everything; which of them has a name is not looked for.
MOST_STARS: Final = 8
#: How many statements and calls their module code may take.
MOST_STEPS: Final = 6_000


#: Files that nearly every other one asks for something, and that say nothing of shapes.
_ASIDE: Final = frozenset({"logging", "logger", "log"})
#: What a function does that says it returns one of these is not looked at.
_SCALARS: Final[dict[str | None, Value]] = {
    name: Library(f"builtins.{name}") for name in ("bool", "str")
}


@dataclass(slots=True, eq=False)
class Module:
    """One file that is followed, with what has been run of it."""

    path: str
    outline: Outline
    environment: Environment
    machine: Machine
    done: set[int] = field(default_factory=set)
    running: list[int] = field(default_factory=list)
    #: the names that its stars bind, once they were asked for
    starred: dict[str, Value] | None = None
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
        #: what was found, by file, name and whether functions were wanted too
        self._known: dict[tuple[str, str, bool], Value] = {}
        self._files = MOST_FILES
        self._outlined = MOST_OUTLINED
        self._parsed = MOST_PARSED + size // 4
        self._steps = MOST_STEPS
        self._visits = MOST_STEPS_OF_VISITS
        self._left_out: dict[cst.CSTNode, LeftOut] = {}
        self._charged: set[cst.CSTNode] = set()

    @property
    def missed(self) -> set[str]:
        """Files that imports would have led to, had they been there."""
        return set() if self._paths is None else self._paths.missed

    # -- paths ---------------------------------------------------------------------------------

    def imported(self, importer: str, target: Target) -> Value:
        """What an import gives, in the file `importer` (empty for the checked one)."""
        path = self._find(importer, target)
        modelled = None if path is None else self._modelled(path, target)
        if modelled is not None:
            return modelled
        if path is not None and target.name:
            # A package that takes something out of itself means one of its own files.
            own = path == (importer or self._path)
            below = self._paths.below(path, target.name) if own and self._paths else None
            return Imported(path, target.name) if below is None else Imported(below)
        if path is not None:
            return Imported(path)
        full = "." * bool(target.level) + ".".join(filter(None, (target.module, target.name)))
        return CONSTANTS.get(full, Library(full))

    def _modelled(self, path: str, target: Target) -> Library | None:
        """What a library that is modelled takes out of itself, where it is modelled by itself."""
        if not target.level or not target.name or self._paths is None:
            return None
        module = self._paths.dotted(path)
        if not is_modelled(module.partition(".")[0]):
            return None
        full = f"{module}.{target.name}"
        return Library(full) if find(full) or find_layer(full) else None

    def this(self, importer: str) -> Value:
        """The module of the file `importer` (empty for the checked one)."""
        return Imported(importer or self._path)

    def public(self, importer: str, star: Target) -> Iterator[tuple[str, Value]]:
        """The names that ``import *`` binds in the file `importer`."""
        waiting, seen = [(importer, star)], set[str]()
        while waiting:
            importer, star = waiting.pop()
            path = self._find(importer, star)
            module = None if path is None or path in seen else self._module(path)
            if module is None:
                continue
            seen.add(module.path)
            names = module.outline.public()
            for name in module.outline.by_name if names is None else names:
                yield name, UNKNOWN if names is None else Imported(module.path, name)
            if "__all__" not in module.outline.by_name and len(module.outline.stars) <= MOST_STARS:
                waiting += [(module.path, inner) for inner in module.outline.stars]

    def _find(self, importer: str, target: Target) -> str | None:
        """The file or folder of a module; what is modelled as a library is none of the project."""
        if self._paths is None:
            return None
        if target.level:
            return self._paths.relative(importer or self._path, target.level, target.module)
        first = target.module.partition(".")[0]
        return None if is_modelled(first) else self._paths.absolute(target.module)

    # -- values --------------------------------------------------------------------------------

    def look(self, value: Imported) -> Value:
        """What an imported name stands for; a function or class stays `Imported`."""
        return self.member(value.path, value.name) if value.name else value

    def resolved(self, value: Imported) -> Value:
        """What an imported name stands for; only a module stays `Imported`."""
        return self.member(value.path, value.name, whole=True) if value.name else value

    def member(self, path: str, name: str, *, whole: bool = False) -> Value:
        """The value of a name in a file; a function or class stays `Imported` unless `whole`."""
        known = self._known.get((path, name, whole))
        if known is not None:
            return known
        asked = Imported(path, name)
        if asked in self._asked or len(self._asked) >= MOST_NESTED:
            return UNKNOWN
        self._asked.add(asked)
        try:
            found = self._find_member(path, name, whole)
            if type(found) is Imported and found != asked:
                found = self.resolved(found) if whole else self.look(found)
            elif found is None or (found == asked and whole):  # it leads to itself
                found = UNKNOWN
        finally:
            self._asked.discard(asked)
        if not self._asked and path != self._path:
            self._known[path, name, whole] = found
        return found

    def forget(self, path: str, name: str) -> None:
        """A name of a module was given a value from outside."""
        self._known.clear()
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
        outline, names = module.outline, module.environment.names
        numbers = outline.by_name.get(name)
        if numbers is None:
            return names.get(name) or self._starred(module).get(name)
        if not outline.is_steady(name):
            return UNKNOWN
        if name not in names:
            alias = outline.alias(name)
            if alias is not None:
                names[name] = self.imported(module.path, alias)
            elif len(numbers) == 1 and outline.parts[numbers[0]].defines and not whole:
                return Imported(module.path, name)
            elif len(numbers) == 1 and (scalar := _SCALARS.get(outline.parts[numbers[0]].returns)):
                names[name] = scalar
            elif module.running and numbers[-1] >= module.running[-1]:
                return UNKNOWN
            else:
                self._run(module, numbers)
        return _opened(module.environment.names.get(name, UNKNOWN))

    def _starred(self, module: Module) -> dict[str, Value]:
        """The names that a file's stars bind; the last of them wins."""
        if module.starred is None:
            module.starred = {}
            stars = module.outline.stars
            for star in stars if len(stars) <= MOST_STARS else ():
                module.starred.update(self.public(module.path, star))
        return module.starred

    # -- files ---------------------------------------------------------------------------------

    def _module(self, path: str) -> Module | None:
        if path not in self._modules:
            self._modules[path] = self._opened_module(path)
        return self._modules[path]

    def _opened_module(self, path: str) -> Module | None:
        name, suffix = os.path.splitext(os.path.basename(path))
        if self._files <= 0 or self._outlined <= 0 or suffix != ".py" or name in _ASIDE:
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
            statements = self._statements(part)
            if statements:
                module.running.append(number)
                self._execute(module, statements)
                module.running.pop()

    def _statements(self, part: Part) -> AbstractSequence[cst.CSTNode]:
        """The statements of a part; none if too much has been parsed already."""
        if part.size > min(self._parsed, MOST_OF_A_PART):
            return ()
        self._parsed -= part.size
        tree = part.tree()
        self._left_out |= tree.left_out
        return tree.statements

    def _execute(self, module: Module, statements: AbstractSequence[cst.CSTNode]) -> None:
        machine = module.machine
        machine.steps = self._steps
        try:
            with machine.running(Frame(module.environment, Place("", None))):
                machine.execute(statements)
        except (OutOfBudget, RecursionError):
            # Its names are then those of the way on which it was left.
            module.broken = True
            module.environment.names = dict.fromkeys(module.outline.by_name, UNKNOWN)
        self._steps = min(self._steps, machine.steps)

    def visit(self, machine: Machine, run: Callable[[], Value]) -> Value:
        """Run a function of another file for the checked one.

        It may take so many steps and no more: if it wants more, what it did is undone, and its
        result is not known.
        """
        steps = max(min(machine.steps, MOST_STEPS_OF_A_VISIT, self._visits), 0)
        rest = machine.steps - steps
        machine.steps = steps
        mark, journal, supposing = machine.facts.mark(), len(machine.journal), machine.supposing
        try:
            return run()
        except OutOfBudget:
            machine.facts.undo(mark)
            machine.roll_back(journal)
            machine.supposing = supposing
            return UNKNOWN
        finally:
            left = max(machine.steps, 0)
            self._visits -= steps - left
            machine.steps = rest + left

    def whole(self, node: cst.FunctionDef) -> cst.FunctionDef | None:
        """A function with its body, which may be left out until it is called.

        None if it cannot be parsed, or too much has been already.
        """
        left = self._left_out.get(node)
        if left is None:
            return node
        if node not in self._charged:
            self._charged.add(node)
            self._parsed -= len(left.text)
        return None if self._parsed < 0 else left.whole()


def _opened(value: Value) -> Value:
    """An empty list or dict of a module as one of unknown contents: it is there to be filled."""
    if type(value) is Sequence and value.mutable and value.items == ():
        return Sequence(None, True)
    return Mapping((), open=True) if value == Mapping(()) else value
