"""A submission as a folder that the published harness takes: `pass_dir/` with the passes and their order."""

import io
import unicodedata
import zipfile
from collections.abc import Mapping

from graphs.refused import Refused
from submissions.files import check_files, check_texts

FOLDER = "pass_dir"
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the same files give the same bytes
_PLAIN_FILE = 0o100644 << 16


def pass_dir_zip(files: Mapping[str, str]) -> bytes:
    """The bytes of the zip. Raises Refused for names that can not lie side by side in a folder everywhere."""
    check_files(files)
    check_texts(files)
    _check_apart(files)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(files):
            item = zipfile.ZipInfo(f"{FOLDER}/{name}", _EPOCH)
            item.create_system = 3  # else it names the system that packed it
            item.external_attr = _PLAIN_FILE
            archive.writestr(item, files[name].encode())
    return out.getvalue()


def _check_apart(files: Mapping[str, str]) -> None:
    """Many systems take A.py and a.py for one file: unpacking would lose one of them."""
    seen: dict[str, str] = {}
    for name in files:
        twin = seen.setdefault(unicodedata.normalize("NFC", name).casefold(), name)
        if twin != name:
            message = f"{twin!r} and {name!r} are one file on systems that ignore case. Rename one of them."
            raise Refused(400, "bad_files", message)
