"""A client of a workbench for programs: one file, the standard library alone, no Django. Copy it where you need it.

    from assistant.client import Workbench
    workbench = Workbench("http://127.0.0.1:8000", token)
    print(workbench.evaluate("rms-norm", files).reward)

The token is made at /account/; the scope `evaluate` is enough for rewards, `run` for attempts. `python -m assistant`
does the same from a shell.
"""

import json
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

MOST_AT_ONCE = 200
FINAL = ("done", "cancelled", "infrastructure_error")
_BATCH_BYTES = 3 << 20  # the server takes 4 MiB
_TRIES = 8
_LONGEST_WAIT = 60.0


class WorkbenchError(Exception):
    """The workbench refused, or could not be reached. `status` is 0 where there was no answer."""

    def __init__(self, status: int, code: str, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status, self.code, self.retry_after = status, code, retry_after


@dataclass(frozen=True)
class Evaluation:
    """One set of files that is judged, or was. `reward` is None until it has ended, and where nothing can be said."""

    id: str
    key: str
    state: str
    reward: float | None
    is_floor: bool
    raw: Mapping[str, Any]

    @property
    def is_final(self) -> bool:
        return self.state in FINAL


@dataclass(frozen=True)
class Job:
    """One set of files to be judged."""

    task: str
    files: Mapping[str, str]


class Workbench:
    """Calls are safe to repeat: each evaluation has a key, so that one whose answer got lost is not judged twice. What
    is refused because too much waits (429), and a server that is away for a while, is tried again for `patience`
    seconds. Every call raises WorkbenchError."""

    def __init__(self, url: str, token: str, *, patience: float = 600.0, timeout: float = 90.0) -> None:
        self._url, self._token = url.rstrip("/"), token
        self._patience, self._timeout = patience, timeout

    def evaluate(
        self,
        task: str,
        files: Mapping[str, str],
        *,
        device: str = "cpu",
        reward: str = "shaped",
        deadline: float = 600.0,
    ) -> Evaluation:
        """Judged, or as far as it is after `deadline` seconds."""
        until = time.monotonic() + deadline
        body = {"task": task, "files": dict(files), "device": device, "reward": reward, "key": uuid.uuid4().hex}
        found = _evaluation(self.call("POST", "/api/evaluate", {**body, "wait": _wait(until)}))
        while not found.is_final and time.monotonic() < until:
            found = _evaluation(self.call("GET", f"/api/evaluate/{found.id}?wait={_wait(until)}"))
        return found

    def submit(self, jobs: Sequence[Job], *, device: str = "cpu", reward: str = "shaped") -> list[Evaluation]:
        """Queues all of them, in parts that the server takes; waits where it has no room."""
        items = [
            {"task": job.task, "files": dict(job.files), "device": device, "reward": reward, "key": uuid.uuid4().hex}
            for job in jobs
        ]
        found: list[Evaluation] = []
        for part in _parts(items):
            answer = self.call("POST", "/api/evaluate/batch", {"items": part})
            found += [_evaluation(one) for one in answer["evaluations"]]
        return found

    def look(self, ids: Iterable[str]) -> list[Evaluation]:
        """How far they are, in their order."""
        wanted, found = list(ids), []
        for first in range(0, len(wanted), MOST_AT_ONCE):
            query = urlencode({"ids": ",".join(wanted[first : first + MOST_AT_ONCE])})
            found += [_evaluation(one) for one in self.call("GET", f"/api/evaluate?{query}")["evaluations"]]
        return found

    def results(self, submitted: Sequence[Evaluation], *, every: float = 1.0) -> Iterator[Evaluation]:
        """Each one when it has ended, in the order in which they end."""
        waiting = {one.id: one for one in submitted}
        while waiting:
            for one in self.look(waiting):
                if one.is_final:
                    del waiting[one.id]
                    yield one
            if waiting:
                time.sleep(every)

    def task(self, slug: str) -> dict[str, Any]:
        """A task with its graphs."""
        return dict(self.call("GET", f"/api/tasks/{quote(slug, safe='')}"))

    def begin_attempts(self, task: str, provider: int, files: Mapping[str, str], **budget: Any) -> list[dict[str, Any]]:
        """Lets a model try by itself; `budget` are goal, device, count, steps, minutes, tokens, cost."""
        body = {"provider": provider, "files": dict(files), **budget}
        return list(self.call("POST", f"/api/assistant/tasks/{quote(task, safe='')}/attempts", body)["attempts"])

    def attempt(self, attempt_id: str) -> dict[str, Any]:
        """One attempt, as far as it is."""
        return dict(self.call("GET", f"/api/assistant/attempts/{quote(attempt_id, safe='')}"))

    def change_attempt(self, attempt_id: str, wish: str) -> dict[str, Any]:
        """`wish` is pause, resume or stop."""
        return dict(self.call("POST", f"/api/assistant/attempts/{quote(attempt_id, safe='')}/{wish}", {}))

    def trajectories(self, **filters: Any) -> Iterator[dict[str, Any]]:
        """Ended attempts, one object each; the filters of docs/assistant.md."""
        query = urlencode({name: value for name, value in filters.items() if value is not None})
        with self._open("GET", f"/api/assistant/trajectories?{query}", None) as answer:
            for line in answer:
                yield json.loads(line)

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """The JSON that the workbench answers."""
        with self._open(method, path, body) as answer:
            return json.loads(answer.read())

    def _open(self, method: str, path: str, body: Any) -> Any:
        until, tries = time.monotonic() + self._patience, 0
        while True:
            try:
                return self._once(method, path, body)
            except WorkbenchError as error:
                pause = error.retry_after or min(30.0, 0.5 * 2**tries)
                tries += 1
                away = error.status in (0, 429, 502, 503, 504)
                lost = error.status == 0 and tries >= _TRIES
                if not away or lost or time.monotonic() + pause > until:
                    raise
                time.sleep(pause)

    def _once(self, method: str, path: str, body: Any) -> Any:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        request = urllib.request.Request(self._url + path, data, headers, method=method)
        try:
            return urllib.request.urlopen(request, timeout=self._timeout)
        except urllib.error.HTTPError as error:
            raise _refusal(error) from None
        except OSError as error:
            raise WorkbenchError(0, "unreachable", f"{self._url} can not be reached: {error}") from None


def _refusal(error: urllib.error.HTTPError) -> WorkbenchError:
    waits = error.headers.get("Retry-After", "")
    retry_after = float(waits) if waits.isdigit() else None
    try:
        said = json.loads(error.read())
        return WorkbenchError(error.code, str(said["code"]), str(said["error"]), retry_after)
    except (ValueError, KeyError, TypeError):
        return WorkbenchError(error.code, "http", f"HTTP {error.code}", retry_after)


def _evaluation(said: Mapping[str, Any]) -> Evaluation:
    reward = said["reward"] or {}
    return Evaluation(
        said["id"], said["key"], said["state"], reward.get("value"), bool(reward.get("floor", False)), said
    )


def _wait(until: float) -> float:
    return round(min(_LONGEST_WAIT, max(0.0, until - time.monotonic())), 1)


def _parts(items: Sequence[Mapping[str, Any]]) -> Iterator[list[Mapping[str, Any]]]:
    part: list[Mapping[str, Any]] = []
    size = 0
    for item in items:
        length = len(json.dumps(item))
        if part and (len(part) == MOST_AT_ONCE or size + length > _BATCH_BYTES):
            yield part
            part, size = [], 0
        part.append(item)
        size += length
    if part:
        yield part


def read_files(folder: Path) -> dict[str, str]:
    """The Python and JSON files of a pass_dir. FileNotFoundError where there is no such folder."""
    if not folder.is_dir():
        raise FileNotFoundError(f"There is no folder {folder}.")
    found = sorted(path for path in folder.rglob("*") if path.suffix in (".py", ".json") and path.is_file())
    return {str(path.relative_to(folder)): path.read_text("utf-8") for path in found}
