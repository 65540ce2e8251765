"""Reports: what they count, who sees what, and that no name in them is more than text, in any form."""

import io
import re
import zipfile
from datetime import UTC, datetime
from xml.etree import ElementTree

import pytest

from submissions.actions.accounts import Role
from submissions.models import Author, ReviewItem, Submission
from submissions.reports.bars import svg
from submissions.reports.markdown import address, text
from submissions.reports.shapes import Bar, Cell, Figure
from tests.accounts import account

pytestmark = pytest.mark.django_db

AT = datetime(2026, 1, 1, tzinfo=UTC)
HOSTILE = (
    "</script><img src=x onerror=alert(1)>",
    "[a](javascript:alert(1)) ![b](http://evil/x.svg) <b>*bold*</b>",
    "\u202egnp.exe\u0000 | ]]> \"' &lt; {{ settings.SECRET_KEY }}",
)


def item(author, task, group="no_match", kind="operator", words="mean where the pattern has sum", **more):
    values = {
        "task_name": task.title if task else "far away",
        "signature": words[:32],
        "at": AT,
        "total": 2,
        "failed": 1,
    }
    return ReviewItem.objects.create(author=author, task=task, group=group, kind=kind, text=words, **{**values, **more})


@pytest.fixture
def reviewer(db, quick_passwords, client):
    found = account("rea", Role.REVIEWER)
    client.force_login(found.user)
    return found


def rows_of(page: str, title: str) -> list[list[str]]:
    """The cells of the table under a heading, without their markup."""
    part = page.split(f"<h2>{title}</h2>")[1].split("</section>")[0]
    rows = re.findall(r"<tr>(.*?)</tr>", part.split("<tbody>")[1], re.S)
    return [
        [re.sub(r"<[^>]+>", "", cell).strip() for cell in re.findall(r"<td[^>]*>(.*?)</td>", row, re.S)] for row in rows
    ]


def test_what_an_author_fails_on_and_how_often(reviewer, task, client):
    model = Author.objects.create(name="m", kind="model")
    for _ in range(3):
        newest = item(model, task)
    item(model, task, "compile", "", "SyntaxError")
    item(model, task, "integrity", "torch_compute", "torch.matmul", decision="overturn")  # no failure any more
    item(model, task, "harness", "eager_fail", "no memory")  # never the author's
    page = client.get(f"/reports/author/{model.pk}/").content.decode()
    assert rows_of(page, "What fails") == [
        ["no match: another operator", "3", "75 %", "mean where the pattern has sum"],
        ["compile", "1", "25 %", "SyntaxError"],
    ]
    assert f"item={newest.pk}" in page and "Nothing is flagged." in page
    assert rows_of(page, "Tasks it fails on")[0][:2] == [task.title, "4"]


def test_a_benchmark_says_who_is_best_what_dominates_who_cheats_and_what_nobody_solved(reviewer, task, client):
    one, two = (Author.objects.create(name=name, kind="model") for name in ("one", "two"))
    for author, scores in ((one, (1.5, 0.1)), (two, (0.9, 0.147))):
        for name, score in zip(("easy", "hard"), scores, strict=True):
            Submission.objects.create(author=author, task_name=name, hash=f"{author}{name}", files={}, reported=score)
    item(one, None, task_name="hard")
    for _ in range(2):
        item(two, None, "integrity", "output_cache", "violation: kept", task_name="easy")
    page = client.get("/reports/benchmark/handed-in/").content.decode()
    assert [row[:2] for row in rows_of(page, "Who is best by their own reports")] == [["1", "one"], ["2", "two"]]
    assert [row[:3] for row in rows_of(page, "Failures of each author")] == [
        ["two", "integrity (100 %)", "2"],
        ["one", "no match (100 %)", "1"],
    ]
    assert {row[0] for row in rows_of(page, "Flagged by the integrity check")} == {"two"}
    assert rows_of(page, "Solved by nobody, by their own reports") == [["hard", "2", "0.147", "–"]]


def test_a_task_has_its_causes_and_scores(reviewer, task, client):
    model = Author.objects.create(name="m", kind="model")
    item(model, task)
    Submission.objects.create(author=model, task=task, task_name="x", hash="h", files={}, reported=1.25)
    page = client.get(f"/reports/task/{task.slug}/").content.decode()
    assert rows_of(page, "Reported scores") == [["m", "1.250", "open"]]
    assert rows_of(page, "What fails")[0][:2] == ["no match: another operator", "1"]


def test_who_sees_whose_failures(reviewer, task, client, quick_passwords):
    eve, model = account("eve"), Author.objects.create(name="theirs", kind="model", brought_in_by=reviewer)
    item(model, task)
    client.force_login(eve.user)
    assert client.get(f"/reports/author/{model.pk}/").status_code == 404
    assert "theirs" not in client.get(f"/reports/task/{task.slug}/").content.decode()
    client.logout()
    for path in ("author/1", "benchmark/shipped", f"task/{task.slug}"):
        assert client.get(f"/reports/{path}/").status_code in (302, 401)


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_text_in_every_form(reviewer, task, client, name, settings):
    model = Author.objects.create(name=name.replace("\0", ""), kind="model", version=name.replace("\0", "")[:60])
    item(model, None, words=name.replace("\0", ""), task_name=name.replace("\0", ""))
    path = f"/reports/author/{model.pk}/"
    kept = client.get(f"{path}?format=html")
    for page in (client.get(path).content.decode(), kept.content.decode()):
        assert "<img" not in page and "<b>" not in page and "\u202e" not in page
        assert settings.SECRET_KEY not in page
        assert not re.search(r"""(?:href|src)=["']?javascript:""", page)
    assert kept.headers["Content-Disposition"] == f'attachment; filename="author-{model.pk}.html"'
    assert "<script" not in kept.content.decode()
    packed = zipfile.ZipFile(io.BytesIO(client.get(f"{path}?format=markdown").content))
    said = packed.read("report.md").decode()
    assert sorted(packed.namelist()) == ["figure-1.svg", "report.md"]
    assert (
        not re.search(r"(?<!\\)<(?!http://testserver/)", said)
        and "](javascript" not in said
        and "](http://evil" not in said
    )
    root = ElementTree.fromstring(packed.read("figure-1.svg"))
    assert {element.tag.rpartition("}")[2] for element in root.iter()} <= {"svg", "text", "rect", "path"}


def test_a_figure_is_well_formed_whatever_its_labels_say():
    bars = tuple(Bar(label, value, label) for label, value in zip((*HOSTILE, ""), (3.0, 0.0, 1.0, -2.0), strict=True))
    root = ElementTree.fromstring(svg(Figure(HOSTILE[0], HOSTILE[1], bars, rule=1.0)))
    widths = [float(element.get("width", "")) for element in root.iter() if element.tag.endswith("rect")]
    assert widths == [410.0, 0.5, 136.7, 0.5]  # 760 − 240 − 110 units are the longest one's
    assert ElementTree.fromstring(svg(Figure("nothing", "", ()))) is not None


def test_markdown_signs_and_addresses():
    assert text("a|b`c`[d](e) <i> #1") == r"a\|b\`c\`\[d\]\(e\) \<i\> \#1"
    assert address("/a b>/<c\\") == "/ab/c"
    assert Cell("two\nlines\u202e").text == "two lines\ufffd"


def test_an_unknown_form_or_place_is_refused(reviewer, client):
    for path in ("author/99", "benchmark/none", "task/none", f"author/{reviewer.pk}"):
        answer = client.get(f"/reports/{path}/?format=exe")
        assert answer.status_code == (400 if path.endswith(str(reviewer.pk)) else 404)
