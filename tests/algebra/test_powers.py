"""Powers of sizes: products cancel, roots stay exact, and the text is what a person writes."""

import pytest

from attncheck.algebra.powers import Powers, power_of
from attncheck.algebra.size import ONE, Symbol, const, of

D, H = of(Symbol("d")), of(Symbol("h"))
ROOT = power_of(D).to(0.5)


def test_a_root_times_its_inverse_is_one():
    assert ROOT * ROOT.to(-1.0) == Powers()
    assert Powers().over(ROOT) == Powers(((D, -0.5),))
    assert power_of(D) == ROOT * ROOT
    assert power_of(ONE) == Powers()


def test_roots_are_exact_or_unknown():
    assert ROOT.to(0.5) == Powers(((D, 0.25),))
    assert ROOT.to(0.25) is None
    assert power_of(D).to(1 / 3) is None


def test_products_of_many_sizes_are_unknown():
    names = [of(Symbol(name)) for name in "abcde"]
    total = Powers()
    for size in names[:4]:
        total = total * power_of(size)
    assert len(total.factors) == 4
    assert total * power_of(names[4]) is None


@pytest.mark.parametrize(
    "powers, whole",
    [
        (power_of(D).over(power_of(H)), D // H),
        (power_of(D) * power_of(H), D * H),
        (Powers(), ONE),
        (ROOT, None),
        (Powers(((D, 1.0), (H, -2.0))), None),
    ],
)
def test_whole_is_what_rounding_down_gives(powers, whole):
    assert powers.whole == whole


@pytest.mark.parametrize(
    "powers, text",
    [
        (ROOT, "sqrt(d)"),
        (ROOT.to(-1.0), "1/sqrt(d)"),
        (ROOT.to(-0.5), "1/d**0.25"),
        (Powers(((D, 0.5), (H, -1.0))), "sqrt(d)/h"),
        (Powers(((D, -0.5), (H, -0.5))), "1/(sqrt(d)*sqrt(h))"),
        (power_of(D + const(2)).to(-1.0), "1/(d + 2)"),
        (Powers(), "1"),
    ],
)
def test_text(powers, text):
    assert str(powers) == text
