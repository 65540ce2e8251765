"""Graphs through the browser: archives that are read and never run, texts that are captured, and who owns the tasks."""

import io
import zipfile
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from graphs.models import Task
from graphs.samples import sample_to_json, write_sample
from submissions.actions import uploads as actions
from submissions.actions.accounts import Role
from submissions.actions.drafts import do_save_draft
from submissions.actions.runs import do_request_run
from submissions.actions.uploads import PATIENCE, do_capture, do_request_capture
from submissions.models import Draft, OwnedTask, Run, Upload
from submissions.uploading import capturing, folders
from tests.accounts import account
from tests.submissions.conftest import sample

pytestmark = pytest.mark.django_db(transaction=True)

TEXT = "import torch\n\ndef make():\n    return torch.nn.ReLU(), torch.ones(4)\n"


def zipped(files: dict[str, str]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return content.getvalue()


def folder(tmp_path: Path, name: str, **changes: str) -> dict[str, str]:
    """The files of a sample, below a folder of that name."""
    write_sample(sample(name), tmp_path / name)
    files = {f"{name}/{file.name}": file.read_text() for file in (tmp_path / name).iterdir()}
    return {**files, **{f"{name}/{file}": text for file, text in changes.items()}}


def post(client, content: bytes, name: str = "nets.zip"):
    return client.post(f"/api/uploads/archive?name={name}", content, content_type="application/zip")


@pytest.fixture
def sent(monkeypatch) -> list[tuple[str, str]]:
    """What was sent to the queue; a worker is not needed to see that."""
    messages: list[tuple[str, str]] = []
    monkeypatch.setattr(actions, "send_capture", lambda *message: messages.append(message) or True)
    return messages


def test_an_archive_becomes_tasks_that_are_their_uploader_s(author, client, tmp_path):
    answer = post(client, zipped({**folder(tmp_path, "one"), "deep/in/a/readme.txt": "nothing"}))
    assert answer.status_code == 201, answer.content
    assert [task["title"] for task in answer.json()["tasks"]] == ["one"]
    task = Task.objects.get(title="one")
    assert (task.owned.author, task.graph_count, task.origin) == (author, 1, "imported")
    assert client.get(f"/tasks/{task.slug}/").status_code == 200
    # The same again is nothing new, and stays whose it is.
    client.force_login(account("somebody").user)
    again = post(client, zipped(folder(tmp_path, "one"))).json()
    assert (again["state"], again["tasks"], again["known"]) == ("done", [], [task.slug])
    assert OwnedTask.objects.get().author == author


def test_what_can_not_be_read_is_told_with_file_and_line_and_the_rest_is_taken(author, client, tmp_path):
    bad = folder(
        tmp_path,
        "bad",
        **{"model.py": "import torch\n\nclass GraphModule(torch.nn.Module):\n    def forward(self, x:\n"},
    )
    said = post(client, zipped({**folder(tmp_path, "good"), **bad})).json()
    assert (said["state"], [task["title"] for task in said["tasks"]]) == ("done", ["good"])
    assert said["said"][0].startswith("bad/model.py:4: ")
    alone = post(client, zipped(bad))
    assert (alone.status_code, alone.json()["state"]) == (422, "failed")
    assert alone.json()["problem"].startswith("Nothing of it can be read. bad/model.py:4: ")


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"no archive", "is neither a zip nor a tar"),
        (zipped({"readme.txt": "x"}), "holds no sample"),
        (zipped({"../model.py": "x"}), "leads out of the folder"),
    ],
)
def test_what_is_no_archive_of_samples_is_refused_with_why(author, client, content, why):
    said = post(client, content)
    assert said.status_code == 422 and why in said.json()["problem"] and said.json()["file"] == "nets.zip"
    assert not Task.objects.exists()


def test_an_archive_that_takes_too_long_is_refused_with_what_to_do(author, client, tmp_path, monkeypatch):
    monkeypatch.setattr(folders, "SECONDS_FOR_ALL", -1.0)  # over before it begins: one is read, the other is not
    said = post(client, zipped({**folder(tmp_path, "one"), **folder(tmp_path, "two")}))
    assert said.status_code == 422 and "1 of 2 samples and tasks. Send it in parts." in said.json()["problem"]
    assert not Task.objects.exists()


def test_a_text_waits_for_a_worker_and_is_kept(author, client, sent):
    said = client.post("/api/uploads/module", {"title": "Mine", "text": TEXT}, "application/json")
    assert (said.status_code, said.json()["state"]) == (202, "queued")
    assert sent == [(said.json()["id"], "cpu")]
    assert client.get(f"/api/uploads/{said.json()['id']}").json()["text"] == TEXT
    for text, code in (("  ", "no_text"), ("x" * (256 << 10) + "x", "too_long")):
        assert client.post("/api/uploads/module", {"text": text}, "application/json").json()["code"] == code
    for _ in range(4):
        do_request_capture(author, "more", TEXT)
    assert client.post("/api/uploads/module", {"text": TEXT}, "application/json").json()["code"] == "too_many_uploads"


def test_one_that_no_worker_took_says_so_after_a_while(author, client, sent):
    upload = do_request_capture(author, "lost", TEXT)
    assert client.get("/api/uploads").json()["uploads"][0]["state"] == "queued"
    Upload.objects.filter(pk=upload.pk).update(created_at=timezone.now() - PATIENCE - timedelta(seconds=1))
    (said,) = client.get("/api/uploads").json()["uploads"]
    assert said["state"] == "failed" and "No worker" in said["problem"]


def test_captured_graphs_become_tasks_and_delivered_twice_is_once(author, client, sent, monkeypatch):
    answers = [{"samples": [sample_to_json(sample("net"))], "notes": ["graph break, 1 times: print"]}]
    monkeypatch.setattr(capturing, "_ask", lambda *_: __import__("json").dumps(answers.pop()).encode())
    upload = do_request_capture(author, "My net", TEXT)
    do_capture(str(upload.pk))
    do_capture(str(upload.pk))
    (said,) = client.get("/api/uploads").json()["uploads"]
    assert (said["state"], said["problem"], said["said"]) == ("done", "", ["graph break, 1 times: print"])
    (task,) = said["tasks"]
    assert task["title"] == "My net"
    assert client.get(f"/api/tasks/{task['slug']}").json()["graphs"][0]["node_count"] == 3


@pytest.mark.parametrize(
    ("answer", "problem", "line"),
    [
        (b'{"problem": "NameError: x", "line": 3}', "NameError: x", 3),
        (b'{"problem": "NameError: x", "line": "three"}', "NameError: x", None),
        (b'{"samples": [], "notes": []}', "no graph was seen", None),
        (b'{"samples": [{"name": "x"}], "notes": []}', "could not do its work", None),
        (b"[]", "could not do its work", None),
        (b"", "could not do its work", None),
    ],
)
def test_an_answer_of_the_process_is_believed_no_more_than_a_file(
    author, client, sent, monkeypatch, answer, problem, line
):
    monkeypatch.setattr(capturing, "_ask", lambda *_: answer)
    upload = do_request_capture(author, "net", TEXT)
    do_capture(str(upload.pk))
    said = client.get(f"/api/uploads/{upload.pk}").json()
    assert said["state"] == "failed" and problem in said["problem"] and said["line"] == line
    assert said["text"] == TEXT and not Task.objects.exists()


def test_a_fault_of_ours_is_shown_at_the_upload_and_told_to_the_worker(author, client, sent, monkeypatch):
    upload = do_request_capture(author, "net", TEXT)
    monkeypatch.setattr(capturing, "_ask", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        do_capture(str(upload.pk))
    said = client.get(f"/api/uploads/{upload.pk}").json()
    assert (said["state"], said["problem"], said["text"]) == ("failed", actions.FAULT, TEXT)


def test_a_module_is_really_captured_by_a_process_of_its_own(author, client, sent):
    upload = do_request_capture(author, "Just ReLU", TEXT)
    do_capture(str(upload.pk))
    said = client.get(f"/api/uploads/{upload.pk}").json()
    assert (said["state"], said["problem"]) == ("done", "")
    (task,) = said["tasks"]
    (graph,) = client.get(f"/api/tasks/{task['slug']}").json()["graphs"]
    assert graph["inputs"] == [{"name": "in_0", "shape": [4], "dtype": "float32"}]


def test_uploads_and_tasks_of_others_are_out_of_reach(author, client, tmp_path, sent):
    mine = do_request_capture(author, "mine", TEXT)
    slug = post(client, zipped(folder(tmp_path, "one"))).json()["tasks"][0]["slug"]
    client.force_login(account("somebody").user)
    assert client.get("/api/uploads").json() == {"uploads": []}
    assert client.get(f"/api/uploads/{mine.pk}").json()["code"] == "unknown_upload"
    assert client.delete(f"/api/uploads/tasks/{slug}").json()["code"] == "not_yours"
    client.force_login(account("boss", Role.ADMIN).user)
    assert client.get(f"/api/uploads/{mine.pk}").json()["text"] == TEXT
    assert client.delete(f"/api/uploads/tasks/{slug}").status_code == 204
    assert not Task.objects.filter(slug=slug).exists()


def test_a_task_that_was_worked_on_stays_and_shipped_ones_are_nobody_s(author, client, tmp_path, task):
    assert client.delete("/api/uploads/tasks/doubled-relu").json()["code"] == "not_uploaded"
    slug = post(client, zipped(folder(tmp_path, "one"))).json()["tasks"][0]["slug"]
    do_request_run(author, Task.objects.get(slug=slug), {"A.py": "x = 1\n"}, "cpu")
    assert client.delete(f"/api/uploads/tasks/{slug}").json()["code"] == "in_use"


def test_drafts_of_others_keep_a_task_and_only_an_admin_takes_it_away_with_them(author, client, tmp_path):
    slug = post(client, zipped(folder(tmp_path, "one"))).json()["tasks"][0]["slug"]
    task = Task.objects.get(slug=slug)
    do_save_draft(author, task, {"A.py": "mine"}, 0)
    do_save_draft(account("somebody"), task, {"A.py": "theirs"}, 0)
    said = client.delete(f"/api/uploads/tasks/{slug}")
    assert (said.status_code, said.json()["code"]) == (409, "in_use") and b"have drafts" in said.content
    assert Draft.objects.count() == 2
    client.force_login(account("boss", Role.ADMIN).user)
    assert client.delete(f"/api/uploads/tasks/{slug}").status_code == 204
    assert not Task.objects.filter(slug=slug).exists()


def test_whatever_else_belongs_to_a_task_keeps_it(author, client, tmp_path, task):
    slug = post(client, zipped(folder(tmp_path, "one"))).json()["tasks"][0]["slug"]
    do_request_run(author, task, {"A.py": "x = 1\n"}, "cpu")
    Run.objects.update(task=Task.objects.get(slug=slug))
    said = client.delete(f"/api/uploads/tasks/{slug}")
    assert (said.status_code, said.json()["code"]) == (409, "in_use")


def test_the_page_is_there(author, client):
    assert 'id="upload"' in client.get("/upload/").content.decode()
