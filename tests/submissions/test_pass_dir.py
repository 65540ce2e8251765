"""Files as the folder that the published harness takes, with what it would refuse of them."""

import io
import json
import zipfile

import pytest

from graphs.refused import Refused
from submissions.files import ORDER_FILE
from submissions.pass_dir import pass_dir_zip

FILES = {"parts/helper.py": "z = 'ä'\n", "A.py": "from .parts import helper\n", ORDER_FILE: '["A"]'}


def test_the_folder_holds_the_files_as_they_are_whatever_their_order():
    content = pass_dir_zip(FILES)
    assert content == pass_dir_zip(dict(reversed(FILES.items())))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.namelist() == ["pass_dir/A.py", "pass_dir/parts/helper.py", f"pass_dir/{ORDER_FILE}"]
        assert {item.date_time for item in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert {item.external_attr >> 16 for item in archive.infolist()} == {0o100644}
        assert archive.read("pass_dir/parts/helper.py").decode() == "z = 'ä'\n"
        assert json.loads(archive.read(f"pass_dir/{ORDER_FILE}")) == ["A"]


@pytest.mark.parametrize(
    "names", [["../A.py"], ["/A.py"], ["a\\b.py"], ["C:A.py"], ["A.py", "a.py"], ["\u00e9.py", "e\u0301.py"]]
)
def test_names_that_would_leave_the_folder_or_meet_in_it_are_refused(names):
    with pytest.raises(Refused):
        pass_dir_zip(dict.fromkeys(names, ""))


def test_the_page_gets_findings_and_the_folder(client, task):
    def post(place: str, files: object):
        return client.post(f"/api/tasks/{task.slug}/{place}", json.dumps({"files": files}), "application/json")

    found = post("portability", FILES).json()
    assert found["problem"] == ""
    (relative,) = [one for one in found["findings"] if one["rule"] == "relative_import"]
    assert (relative["file"], relative["line"], relative["level"]) == ("A.py", 1, "fails")
    assert "from pass_dir.x import" in relative["instead"]
    answer = post("pass_dir", FILES)
    assert answer.content == pass_dir_zip(FILES) and answer.headers["Content-Type"] == "application/zip"
    assert 'filename="doubled-relu-pass_dir.zip"' in answer.headers["Content-Disposition"]
    assert post("pass_dir", {"../A.py": ""}).json()["code"] == "bad_files"
    assert client.get(f"/api/tasks/{task.slug}/revisions/9/pass_dir").status_code == 404
