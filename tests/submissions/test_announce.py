import threading

from submissions.announce import Announcer


class Heard:
    def __init__(self) -> None:
        self.news: list[tuple[str, int, str]] = []
        self.until = threading.Condition()

    def __call__(self, run_id: str, seq: int, state: str) -> None:
        with self.until:
            self.news.append((run_id, seq, state))
            self.until.notify_all()

    def wait_for(self, seq: int) -> None:
        with self.until:
            assert self.until.wait_for(lambda: any(item[1] == seq for item in self.news), timeout=20)


def test_the_first_goes_out_at_once_and_the_last_is_never_dropped():
    heard = Heard()
    announcer = Announcer(heard, interval=0.3)
    for seq in range(1, 51):
        announcer.news("run", seq, "running")
    heard.wait_for(50)
    assert heard.news[0] == ("run", 1, "running")
    assert heard.news[-1] == ("run", 50, "running")
    assert len(heard.news) < 50


def test_runs_do_not_hold_each_other_back():
    heard = Heard()
    announcer = Announcer(heard, interval=60)
    announcer.news("a", 1, "queued")
    announcer.news("b", 1, "queued")
    assert heard.news == [("a", 1, "queued"), ("b", 1, "queued")]


def test_an_older_number_does_not_replace_a_newer_one():
    heard = Heard()
    announcer = Announcer(heard, interval=0.2)
    announcer.news("run", 1, "running")
    announcer.news("run", 3, "done")
    announcer.news("run", 2, "running")
    heard.wait_for(3)
    assert heard.news[-1] == ("run", 3, "done")


def test_quiet_runs_are_forgotten():
    announcer = Announcer(Heard(), interval=0)
    for number in range(3000):
        announcer.news(str(number), 1, "queued")
    assert len(announcer._sent_at) <= 1002
