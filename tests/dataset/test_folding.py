"""Folding, on sequences that a person folds with a pencil."""

from dataset.folding import Window, fold


def test_a_pair_that_repeats_is_one_window():
    # ab saves 1·2; aba overlaps itself and occurs once
    assert fold("abababc") == [Window(2, 3, ((0, 2), (2, 4), (4, 6)))]


def test_nothing_repeats():
    assert fold("abcd") == []
    assert fold("") == []
    assert fold("aba") == []  # a single operator is no window


def test_the_longer_window_goes_first_and_the_shorter_is_found_inside_it():
    # xababy twice saves 5·1, ab four times 1·3; inside xababy, ab is left twice
    assert fold("xababyxababy") == [
        Window(6, 2, ((0, 6), (6, 12))),
        Window(2, 2, ((1, 3), (3, 5), (7, 9), (9, 11))),
    ]


def test_the_more_frequent_window_goes_first_and_becomes_a_symbol_of_the_next():
    # ab six times saves 1·5, abababc twice 6·1: that is more
    assert fold("abababcabababc")[0] == Window(7, 2, ((0, 7), (7, 14)))
    # ab five times saves 1·4, abq twice 2·1; then P = ab: Pq twice saves 1·1 (as does PP, which occurs once only)
    assert fold("abqabqababab") == [
        Window(2, 5, ((0, 2), (3, 5), (6, 8), (8, 10), (10, 12))),
        Window(2, 2, ((0, 3), (3, 6))),
    ]


def test_windows_are_as_long_as_allowed():
    # abcd twice saves 3; with at most 2 symbols ab and cd save 1 each: the earlier first, then (ab)c saves 1
    assert fold("abcdabcd") == [Window(4, 2, ((0, 4), (4, 8)))]
    assert fold("abcdabcd", longest=2) == [
        Window(2, 2, ((0, 2), (4, 6))),
        Window(2, 2, ((0, 3), (4, 7))),
        Window(2, 2, ((0, 4), (4, 8))),
    ]


def test_a_run_of_the_same_operator_does_not_overlap_itself():
    # aaaaaa: aa three times saves 1·2, aaa twice 2·1: equal, the longer one counts; inside aaa, aa fits once
    assert fold("aaaaaa") == [Window(3, 2, ((0, 3), (3, 6)))]
