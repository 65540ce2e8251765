"""Index formulas, worked out by hand."""

from assistant.drafter.sizes import ZERO, Coord, Divided, Facts, Index, Size, Space, coord

H, W, C = (Size(1, (name,)) for name in ("H", "W", "C"))


def space():
    """Coordinates (h, w, c) of a tensor of 4 × 6 × 5."""
    return Space(Facts({"H": (4,), "W": (6,), "C": (5,)}), (H, W, C))


def test_sizes_multiply_and_divide():
    assert Size(2, ("H",)) * Size(3, ("W",)) == Size(6, ("H", "W"))
    assert Size(6, ("H", "W")).divided(Size(2, ("W",))) == Size(3, ("H",))
    assert Size(6, ("H",)).divided(W) is None
    assert Size(6).divided(Size(4)) is None


def test_a_place_is_taken_apart_again_for_every_size():
    here = space()
    place = here.linear([coord(0), coord(1), coord(2)], [H, W, C])
    assert here.quotient(place, W * C) == coord(0)
    assert here.remainder(here.quotient(place, C), W) == coord(1)
    assert here.remainder(place, C) == coord(2)
    assert here.facts.pinned == set()


def test_what_holds_for_the_sizes_at_hand_alone_pins_them():
    here = space()
    # h + 1 stays below W because H is 4 and W is 6; for other sizes it need not.
    index = here.plus(coord(0), here.constant(1))
    assert here.remainder(index, W) == index
    assert here.facts.pinned == {"H", "W"}


def test_a_remainder_that_is_needed_stays():
    here = space()
    index = here.plus(coord(1), here.constant(3))
    assert here.remainder(index, W) == Index(((Size(), Divided(index, W, rest=True)),))


def test_the_remainder_of_something_negative_keeps_what_makes_it_positive():
    here = space()
    # (h + H - 1) % H: the H may not be dropped, -1 % H is negative in Triton.
    index = here.plus(coord(0), here.constant(H), here.constant(-1))
    assert here.remainder(index, H) == Index(((Size(), Divided(index, H, rest=True)),))


def test_terms_that_cancel_are_gone():
    here = space()
    assert here.plus(coord(0), here.times(coord(0), Size(-1))) == ZERO
    assert here.plus(coord(2), coord(2)).terms == ((Size(2), Coord(2)),)
