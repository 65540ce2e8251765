"""Hunks of an edit, and putting some of them into a text that has changed meanwhile."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.hunks import BETWEEN, MINE, THEIRS, Conflict, hunks_of, merged, with_marks

BEFORE = "a\nb\nc\nd\ne\n"
AFTER = "a\nB\nc\nd\nnew\ne\n"  # line 1 is replaced, a line comes before line 4


def test_hunks_are_numbered_in_the_order_of_lines():
    one, two = hunks_of(BEFORE, AFTER)
    assert (one.number, one.first, one.last, one.old, one.new) == (0, 1, 2, ("b\n",), ("B\n",))
    assert (two.number, two.first, two.last, two.old, two.new) == (1, 4, 4, (), ("new\n",))


def test_some_hunks_and_not_others():
    assert merged(BEFORE, AFTER, {0}, BEFORE) == "a\nB\nc\nd\ne\n"
    assert merged(BEFORE, AFTER, {1}, BEFORE) == "a\nb\nc\nd\nnew\ne\n"
    assert merged(BEFORE, AFTER, {0, 1}, BEFORE) == AFTER
    assert merged(BEFORE, AFTER, set(), BEFORE) == BEFORE


def test_what_the_person_changed_elsewhere_stays():
    assert merged(BEFORE, AFTER, {0, 1}, "top\na\nb\nc\nD\nd\ne\n") == "top\na\nB\nc\nD\nd\nnew\ne\n"


@pytest.mark.parametrize(
    ("current", "hunk"),
    [
        ("a\nmine\nc\nd\ne\n", 0),  # the same line
        ("a\nc\nd\ne\n", 0),  # it is gone
        ("a\nb\nc\nd\nmine\ne\n", 1),  # another line came in the same place
        ("", 0),
    ],
)
def test_nobody_s_work_is_overwritten(current, hunk):
    with pytest.raises(Conflict) as conflict:
        merged(BEFORE, AFTER, {hunk}, current)
    assert conflict.value.numbers == [hunk]


def test_a_hunk_that_is_there_already_is_no_conflict():
    current = merged(BEFORE, AFTER, {0}, BEFORE)
    assert merged(BEFORE, AFTER, {0, 1}, current) == AFTER


def test_a_new_file_and_one_without_a_last_line_end():
    assert merged("", "x\ny", {0}, "") == "x\ny"
    assert merged("x\ny", "x\ny\n", {0}, "x\ny") == "x\ny\n"
    with pytest.raises(Conflict):
        merged("", "x\n", {0}, "mine\n")


def test_a_hunk_with_a_person_s_own_text():
    assert merged(BEFORE, AFTER, {0}, BEFORE, {0: "mine\nand more"}) == "a\nmine\nand morec\nd\ne\n"
    assert merged(BEFORE, AFTER, {0, 1}, BEFORE, {0: "mine\n"}) == "a\nmine\nc\nd\nnew\ne\n"
    assert merged(BEFORE, AFTER, {0}, BEFORE, {0: ""}) == "a\nc\nd\ne\n"


def test_both_texts_stand_where_a_person_has_changed_the_same_line():
    current = "top\na\nmine\nc\nd\ne\n"
    merged_text = f"top\na\n{MINE}mine\n{BETWEEN}B\n{THEIRS}c\nd\nnew\ne\n"  # the second hunk has no conflict
    assert with_marks(BEFORE, AFTER, {0, 1}, current) == merged_text
    assert with_marks(BEFORE, AFTER, {0}, current, {0: "own"}) == f"top\na\n{MINE}mine\n{BETWEEN}own\n{THEIRS}c\nd\ne\n"
    assert with_marks(BEFORE, AFTER, {0, 1}, BEFORE) == AFTER  # no conflict, no mark
    assert with_marks(BEFORE, AFTER, {0}, "a\nc\nd\ne\n") == f"a\n{MINE}{BETWEEN}B\n{THEIRS}c\nd\ne\n"
    assert with_marks("x", "y", {0}, "z") == f"{MINE}z\n{BETWEEN}y\n{THEIRS}"


TEXTS = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n"]), max_size=8).map("".join)


@given(TEXTS, TEXTS)
def test_all_hunks_together_are_the_edit(before, after):
    assert merged(before, after, {hunk.number for hunk in hunks_of(before, after)}, before) == after


@given(TEXTS, TEXTS, TEXTS)
def test_no_line_of_the_current_text_is_lost_between_marks(before, after, current):
    """Without what the marks bring in, the lines that no hunk has replaced are all there, in their order."""
    numbers = {hunk.number for hunk in hunks_of(before, after)}
    text = with_marks(before, after, numbers, current)
    if MINE not in text:
        assert text == merged(before, after, numbers, current)
        return
    inside = text.split(MINE)[1].partition(BETWEEN)[0]
    assert inside in current
