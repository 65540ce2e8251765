"""Records of what was verified: their keys, and what reading refuses."""

import pytest

from passnet_runtime.record import BadRecord, Call, Record, from_json, judged, merged, without_sizes


def test_sizes_are_blanked_and_dtypes_ranks_and_gaps_stay():
    assert without_sizes("float32 [4, 8]") == "float32 [·, ·]"
    assert without_sizes("float16 [s0, 8] strides [1, s0]") == "float16 [·, ·] strides [·, ·]"
    assert without_sizes("float32 []") == "float32 []"
    assert without_sizes("(float32 [4]; 3)") == "(float32 [·]; 3)"


def test_a_key_is_the_pass_its_inputs_and_autocast_and_not_where_it_was_seen():
    one = Call("Fuse", {"x": "float32 [4]", "a": "2"}, graph="g", device="cpu")
    assert one.key() == ("Fuse", "", "a: 2", "x: float32 [4]")
    assert one.key() == Call("Fuse", {"a": "2", "x": "float32 [4]"}, device="NVIDIA H200").key()
    assert one.key() != Call("Fuse", {"x": "float32 [4]", "a": "2"}, "cpu bfloat16").key()
    assert one.key(sizes=False) == ("Fuse", "", "a: 2", "x: float32 [·]")


def test_the_same_call_is_kept_once_for_each_device():
    calls = [Call("A", {"x": "1"}, graph="first"), Call("A", {"x": "1"}, graph="second"), Call("B", {"x": "1"})]
    assert [(call.pass_name, call.graph) for call in merged(calls)] == [("A", "first"), ("B", "")]


def test_a_record_survives_json_and_nonsense_is_refused():
    record = Record("ab12", "me", (Call("A", {"x": "float32 [2]"}, speedup={"e2e": 1.5}),))
    assert from_json(record.to_json()) == record
    for broken in (
        [],
        {},
        {**record.to_json(), "calls": [1]},
        {**record.to_json(), "calls": [{"inputs": {}, "no": 1}]},
    ):
        with pytest.raises(BadRecord):
            from_json(broken)


def test_a_judge_s_result_adds_speed_and_takes_away_what_it_found_wrong():
    record = Record("ab12", "me", (Call("A", {"x": "1"}, graph="one"), Call("A", {"x": "2"}, graph="two")))
    graphs = {
        "graphs/one": {"status": "correct", "speedup": {"e2e": 1.5}},
        "graphs/two": {"status": "accuracy", "speedup": None},
    }
    result = {"verdict": "clean", "device": "NVIDIA H200", "graphs": graphs}
    (call,) = judged(record, result, "a judge").calls
    assert (call.graph, call.speedup, call.device) == ("one", {"e2e": 1.5}, "NVIDIA H200")
    for verdict in ("suspicious", "violation", None):
        with pytest.raises(BadRecord, match="not 'clean'"):
            judged(record, {**result, "verdict": verdict}, "a judge")
