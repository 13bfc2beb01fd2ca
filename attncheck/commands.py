"""The commands and their options as Typer shows and parses them; `attncheck.session` does the work.

Imported only for a command line that has options or names a command (see `attncheck.cli`).
"""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
import typer.core

from attncheck import __version__, session
from attncheck.report.screen import Screen
from attncheck.settings import Overrides


class Format(StrEnum):
    """How findings are written."""

    FULL = "full"
    CONCISE = "concise"
    JSON = "json"


class ListFormat(StrEnum):
    """How everything else is written."""

    TEXT = "text"
    JSON = "json"


class Color(StrEnum):
    """When to colour."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


class _Group(typer.core.TyperGroup):
    """Commands of which ``check`` need not be named: ``attncheck PATH`` checks PATH."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        own = {option for each in self.get_params(ctx) for option in each.opts}
        if args and args[0] not in session.COMMANDS and args[0] not in own:
            args = ["check", *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """What a word may become: a command, or an option here or of ``check``."""
        found = super().shell_complete(ctx, incomplete)
        check = self.get_command(ctx, "check")
        if check is None or not incomplete.startswith("-"):
            return found
        within = check.make_context("check", [], parent=ctx, resilient_parsing=True)
        return [*found, *check.shell_complete(within, incomplete)]


#: Shown as they stand, and run by a test.
_EXAMPLES = """\b
Examples:
  attncheck src notebook.ipynb                    check a folder and a notebook
  attncheck . --select ATN1,softmax-axis          some rules only
  attncheck . --output-format json --exit-zero    findings for another program
  attncheck attn.py --dim d_s=256                 say how large a size is
  attncheck shapes attn.py                        what was traced, beside each line
  attncheck explain softmax-axis                  what a rule is about

`attncheck PATH...` is short for `attncheck check PATH...`."""


def _rule_words(incomplete: str) -> list[str]:
    """What the shell may complete the last of some rules to: names, and codes if one is begun."""
    from attncheck.rule import all_rules

    before, comma, begun = incomplete.rpartition(",")
    kind = "code" if begun.startswith("A") else "name"
    words = (getattr(rule, kind) for rule in all_rules())
    return [before + comma + word for word in words if word.startswith(begun)]


app = typer.Typer(
    cls=_Group,
    help="Follow tensor shapes through attention code, without running it.",
    epilog=_EXAMPLES,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

Words = list[str] | None
Paths = Annotated[list[str], typer.Argument(metavar="PATH...", help="Files, notebooks, folders.")]
Select = Annotated[
    Words,
    typer.Option(metavar="RULES", help="Run these rules only.", autocompletion=_rule_words),
]
ExtendSelect = Annotated[
    Words,
    typer.Option(metavar="RULES", help="Run these rules as well.", autocompletion=_rule_words),
]
Ignore = Annotated[
    Words,
    typer.Option(metavar="RULES", help="Do not run these rules.", autocompletion=_rule_words),
]
Exclude = Annotated[Words, typer.Option(metavar="PATTERN", help="Leave out such paths.")]
Dim = Annotated[Words, typer.Option(metavar="NAME=SIZE", help="A size, such as d_s=256.")]
Tensor = Annotated[Words, typer.Option(metavar="NAME=SHAPE", help="A shape: 'keys=T_enc d_k'.")]
Config = Annotated[Path | None, typer.Option(metavar="FILE", help="Read this pyproject.toml.")]
NoConfig = Annotated[bool, typer.Option("--no-config", help="Read no pyproject.toml.")]
StdinName = Annotated[str | None, typer.Option(metavar="PATH", help="The name to give to -.")]
Jobs = Annotated[int | None, typer.Option("--jobs", "-j", min=1, help="Worker processes.")]
Timeout = Annotated[
    float | None, typer.Option(metavar="SECONDS", min=1, help="Most time for one file (30).")
]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Use no results of earlier runs.")]
Watch = Annotated[bool, typer.Option("--watch", "-w", help="Check again after every change.")]
CacheDir = Annotated[Path | None, typer.Option(metavar="FOLDER", help="Keep results there.")]
OutputFile = Annotated[Path | None, typer.Option(metavar="FILE", help="Write the report there.")]
ColorOption = Annotated[Color, typer.Option("--color", help="When to colour.")]
FormatOption = Annotated[Format, typer.Option("--output-format", help="How to report.")]
ListOption = Annotated[ListFormat, typer.Option("--output-format", help="How to print.")]
ExitZero = Annotated[bool, typer.Option("--exit-zero", help="Exit 0 despite findings.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Leave out the closing line.")]
Statistics = Annotated[bool, typer.Option("--statistics", help="Count findings by rule.")]


def _version(wanted: bool) -> None:
    if wanted:
        print(f"attncheck {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Options that stand before a command."""


@app.command()
def check(  # noqa: PLR0913, PLR0917  # every option is a parameter
    paths: Paths,
    select: Select = None,
    extend_select: ExtendSelect = None,
    ignore: Ignore = None,
    exclude: Exclude = None,
    dim: Dim = None,
    tensor: Tensor = None,
    output_format: FormatOption = Format.FULL,
    output_file: OutputFile = None,
    exit_zero: ExitZero = False,
    quiet: Quiet = False,
    statistics: Statistics = False,
    color: ColorOption = Color.AUTO,
    config: Config = None,
    no_config: NoConfig = False,
    jobs: Jobs = None,
    timeout: Timeout = None,
    no_cache: NoCache = False,
    cache_dir: CacheDir = None,
    watch: Watch = False,
    stdin_filename: StdinName = None,
) -> int:
    """Check files and folders (- is standard input). The command that need not be named."""
    said = Overrides(
        select=_split(select) or None,
        extend_select=_split(extend_select),
        ignore=_split(ignore),
        exclude=_split(exclude),
        dims=tuple(dim or ()),
        tensors=tuple(tensor or ()),
    )
    options = session.Options(
        overrides=said,
        config=config,
        no_config=no_config,
        stdin_filename=stdin_filename,
        color=color.value,
        output_format=output_format.value,
        output_file=output_file,
        exit_zero=exit_zero,
        quiet=quiet,
        statistics=statistics,
        jobs=jobs,
        timeout=timeout,
        no_cache=no_cache,
        cache_dir=cache_dir,
    )
    return session.watch(paths, options) if watch else session.check(paths, options)


@app.command()
def shapes(
    paths: Paths,
    dim: Dim = None,
    tensor: Tensor = None,
    output_format: ListOption = ListFormat.TEXT,
    color: ColorOption = Color.AUTO,
    config: Config = None,
    no_config: NoConfig = False,
    stdin_filename: StdinName = None,
) -> int:
    """Print the source with every traced shape beside its line."""
    options = session.Options(
        overrides=Overrides(dims=tuple(dim or ()), tensors=tuple(tensor or ())),
        config=config,
        no_config=no_config,
        stdin_filename=stdin_filename,
        color=color.value,
        output_format=output_format.value,
    )
    return session.shapes(paths, options)


@app.command()
def explain(
    rule: Annotated[
        str,
        typer.Argument(metavar="RULE", help="A rule's name or code.", autocompletion=_rule_words),
    ],
    color: ColorOption = Color.AUTO,
) -> None:
    """Print a rule's page."""
    from attncheck.pages import page
    from attncheck.rule import all_rules, find_rule
    from attncheck.settings import nearest

    found = find_rule(rule)
    if found is None:
        names = [word for each in all_rules() for word in (each.name, each.code)]
        hint = nearest(rule, names, listed=False) or "; `attncheck rules` lists them"
        raise session.Failure(f"there is no rule `{rule}`{hint}")
    text = page(found)
    if text is None:
        raise session.Failure(
            f"the page of {found.name} ({found.code}) is missing here: {found.finds}"
        )
    Screen.open(color.value).markdown(text)


@app.command()
def rules(output_format: ListOption = ListFormat.TEXT) -> None:
    """List the rules."""
    from attncheck.rule import all_rules

    found = all_rules()
    if output_format is ListFormat.JSON:
        keys = ("code", "name", "severity", "finds", "fix", "since", "default")
        _print_json({"rules": [{key: getattr(rule, key) for key in keys} for rule in found]})
        return
    name_width = max(len(rule.name) for rule in found)
    for rule in found:
        mark = "" if rule.default else " (off by default)"
        print(f"{rule.name:{name_width}}  {rule.code}  {rule.severity:7}  {rule.finds}{mark}")


@app.command()
def dims(
    path: Annotated[str, typer.Argument(metavar="[PATH]", help="A file or a folder.")] = ".",
    dim: Dim = None,
    tensor: Tensor = None,
    output_format: ListOption = ListFormat.TEXT,
    config: Config = None,
    no_config: NoConfig = False,
) -> None:
    """Print the dimension table in force, and where each entry comes from."""
    from attncheck.settings import table_rows

    if not os.path.exists(path):
        raise session.Failure(f"{path}: no such file or folder")
    said = Overrides(dims=tuple(dim or ()), tensors=tuple(tensor or ()))
    options = session.Options(overrides=said, config=config, no_config=no_config)
    folder = path if os.path.isdir(path) else os.path.dirname(path) or "."
    rows = table_rows(session.finder(options).settings(folder))
    if output_format is ListFormat.JSON:
        keys = ("kind", "name", "value", "meaning", "origin")
        _print_json({"dims": [dict(zip(keys, row, strict=True)) for row in rows]})
        return
    shown = [(name, value or "", origin, meaning) for _, name, value, meaning, origin in rows]
    widths = [max(len(row[column]) for row in shown) for column in range(3)]
    for row in shown:
        cells = (f"{cell:{width}}" for cell, width in zip(row, widths, strict=False))
        print("  ".join((*cells, row[3])).rstrip())


def _split(words: Words) -> tuple[str, ...]:
    """The words of a repeatable option, each of which may be a list with commas."""
    return tuple(part.strip() for word in words or () for part in word.split(",") if part.strip())


def _print_json(value: object) -> None:
    import json

    print(json.dumps(value, indent=2))
