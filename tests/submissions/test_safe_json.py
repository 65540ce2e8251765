import json

from hypothesis import given
from hypothesis import strategies as st

from submissions.safe_json import safe_json

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters()), inner, max_size=4),
    max_leaves=20,
)


def test_what_databases_refuse_is_replaced():
    assert safe_json({"a\x00": ["\ud800b", float("inf"), float("-inf"), float("nan"), 1.5, None, True]}) == {
        "a�": ["�b", "inf", "-inf", "nan", 1.5, None, True]
    }


def test_depth_is_bounded():
    deep: list = []
    for _ in range(500):
        deep = [deep]
    assert "…" in json.dumps(safe_json(deep), ensure_ascii=False)


@given(values)
def test_the_result_is_strict_json_in_utf8(value):
    text = json.dumps(safe_json(value), allow_nan=False, ensure_ascii=False)
    assert "\\u0000" not in text.replace("\\\\", "")
    assert json.loads(text.encode("utf-8")) == safe_json(value)


@given(values)
def test_making_safe_twice_changes_nothing(value):
    once = safe_json(value)
    assert safe_json(once) == once
