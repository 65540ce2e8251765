"""A board's history and what its results have cost: worked out by hand."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.test import Client

from submissions import spending
from submissions.actions.run_folders import Described, do_get_author
from submissions.boards.board import BoardTask, Entrant, put_together, row_of
from submissions.boards.history import curves
from submissions.boards.history_shown import drawing
from submissions.boards.outcome import Outcome
from submissions.boards.stored import Context, Scored
from submissions.spending import Spent, Trajectory
from tests.accounts import account
from tests.submissions.test_boards import graph, run, store_task

DAY = datetime(2026, 11, 1, tzinfo=UTC)
HERE = Context("cuda:H200", "2.13.0", "test", "precise", "here")
TASKS = (BoardTask("one", "One", 2, 1, "one"), BoardTask("two", "Two", 2, 2, "two"))


def scored(day: int, task: int, score: float | None, correct: int = 2, *, exploit: bool = False) -> Scored:
    return Scored(7, task, HERE, Outcome(score, 2, correct, exploit=exploit), DAY + timedelta(days=day))


def board(*, timed: bool):
    entrant = Entrant("author-7", "ada", "person", author=7)
    return put_together(TASKS, [row_of(entrant, TASKS, {0: Outcome(1.0, 2, 2)}, 0, timed=timed)], timed=timed)


def test_a_curve_moves_when_a_run_is_better():
    """Two tasks, 0.1 each before: 4 and 0.1 come to √0.4; a worse run and an exploit change nothing; 0.4 on the other
    makes √1.6."""
    runs = [scored(0, 1, 4.0), scored(1, 1, 2.0), scored(2, 1, 9.0, exploit=True), scored(3, 2, 0.4)]
    (curve,) = curves(board(timed=True), runs)
    assert [at.day for at, _ in curve.points] == [1, 4]
    assert [value for _, value in curve.points] == pytest.approx([0.4**0.5, 1.6**0.5])
    (untimed,) = curves(board(timed=False), [scored(0, 1, None, 1), scored(1, 2, None, 2)])
    assert [value for _, value in untimed.points] == [0.25, 0.75]
    assert curves(board(timed=True), []) == [] and drawing([], timed=True) is None


def test_a_drawing_has_steps_and_marks():
    found = drawing(curves(board(timed=True), [scored(0, 1, 4.0), scored(3, 2, 0.4)]), timed=True)
    assert found is not None and found.lines[0].changes == 1
    assert [text for text, _ in found.ticks] == ["0.00", "0.50", "1.00", "1.50"]
    assert found.lines[0].path.startswith("M0.0 ") and found.lines[0].path.endswith("H720")
    huge = drawing(curves(board(timed=True), [scored(0, 1, 4.0), scored(1, 2, 90000.0)]), timed=True)
    assert huge is not None and len(huge.ticks) <= 7


@pytest.mark.django_db
def test_costs_and_history_stand_on_the_board(settings, tmp_path, monkeypatch):
    settings.CAPTURED = tmp_path
    person = account("reader")
    client = Client()
    client.force_login(person.user)
    model = do_get_author("model", Described(), None)
    task, other = store_task("one", 3), store_task("two", 4)
    counted = run(model, task, graph(speed=2.0, first_t=-10))
    run(model, task, graph(speed=1.0, first_t=-10))
    run(model, other, graph(speed=1.0, first_t=-10))
    spent = Spent(5, 1200, {"USD": Decimal("0.42")})

    class Ledger:
        def trajectories(self, runs):
            assert len(list(runs)) == 2  # those that count
            return {counted.pk: Trajectory(3, "solved", spent)}

    monkeypatch.setattr(spending, "_ledgers", [Ledger()])
    found = client.get("/api/boards", {"benchmark": "shipped"}).json()
    row = next(row for row in found["rows"] if row["author"] == "model")
    assert row["spent"] == {"steps": 5, "tokens": 1200, "cost": "0.42 USD"}
    assert row["outcomes"][0]["attempt"] == {"step": 3, "steps": 5, "cost": "0.42 USD"}
    page = client.get("/boards/", {"benchmark": "shipped"}).content.decode()
    assert "0.42 USD" in page and "step 3 of 5" in page and "History: AS" in page
    text = client.get("/api/boards/figures", {"benchmark": "shipped"}).content.decode()
    assert "0.42 USD" in text and text.splitlines()[0].endswith("steps,tokens,cost")
    (curve,) = client.get("/api/boards/history", {"benchmark": "shipped"}).json()
    assert [point["value"] for point in curve["points"]] == pytest.approx([0.2**0.5, 2.0**0.5])
    settings.PUBLIC_READ = True
    assert "0.42 USD" not in Client().get("/boards/", {"benchmark": "shipped"}).content.decode()
