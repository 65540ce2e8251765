from hypothesis import given
from hypothesis import strategies as st

from submissions.hashing import files_hash

texts = st.text(st.characters(), max_size=20)  # lone surrogates and NUL included


def test_known_value():
    # printf of the eight-byte lengths, names and texts through sha256sum
    wanted = "05ca9318ef069f5a97d96e83b977fb1f86f48fb4b563f1dfdd4105ffe96a650a"
    assert files_hash({"B.py": "", "A.py": "x = 1"}) == wanted


def test_moving_a_character_from_name_to_text_changes_the_hash():
    assert files_hash({"a": "bc"}) != files_hash({"ab": "c"})
    assert files_hash({"a": "b", "c": "d"}) != files_hash({"a": "bcd"})


@given(st.dictionaries(texts, texts, max_size=5))
def test_order_does_not_matter(files):
    assert files_hash(files) == files_hash(dict(reversed(files.items())))


@given(st.dictionaries(texts, texts, max_size=3), st.dictionaries(texts, texts, max_size=3))
def test_other_files_have_another_hash(one, other):
    assert (files_hash(one) == files_hash(other)) == (one == other)
