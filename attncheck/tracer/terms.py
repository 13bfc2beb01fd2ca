"""On what terms a function is traced: what is taken to be so of its arguments."""

from __future__ import annotations

from attncheck.record import record


@record
class Terms:
    """What is taken to be so of the arguments of one function, and of the object of a method.

    ``conventional``: inputs have as many axes as their names say, or so many ``more``.
    ``optional``: whether arguments that are None by default are given; None for whichever.
    ``sparing``: what calls show of arguments counts for nothing. ``unbatched``: a parameter that is
    one item of the batch which prose speaks of. ``configured``: the object was made with its flags
    as they are by default, and without what is None by default. ``ranks``: the numbers of axes of
    parameters, and whose arrays they are, as the code itself has shown them.
    """

    conventional: bool = False
    more: int = 0
    optional: bool | None = None
    sparing: bool = False
    unbatched: str | None = None
    configured: bool = False
    ranks: tuple[tuple[str, int, str | None], ...] = ()

    @property
    def usual(self) -> bool:
        """Whether what such a trace shows holds for the function as it is."""
        special = self.more or self.sparing or self.unbatched or self.configured or self.ranks
        return self.optional is None and not special


#: Nothing is taken to be so.
USUAL = Terms()
