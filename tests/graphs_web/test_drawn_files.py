"""Drawings that are kept as files."""

import gzip
import random
from pathlib import Path

from graphs.drawn_files import keep, kept

LARGE = gzip.compress(random.Random(0).randbytes(20_000))
SMALL = gzip.compress(b"{}")


def test_made_once_and_made_anew_when_it_is_gone_or_broken(tmp_path: Path) -> None:
    made: list[int] = []

    def make() -> bytes:
        made.append(1)
        return LARGE

    assert [kept(tmp_path / "d", "a", make) for _ in range(3)] == [LARGE] * 3 and len(made) == 1
    (file,) = (tmp_path / "d").iterdir()
    for broken in (b"\x1f\x8b cut off", LARGE[:-9], b"no gzip"):
        file.write_bytes(broken)
        made.clear()
        assert kept(tmp_path / "d", "a", make) == LARGE and len(made) == 1
    keep(tmp_path / "d", "b", LARGE)
    made.clear()
    assert kept(tmp_path / "d", "b", make) == LARGE and not made


def test_small_ones_are_not_kept_and_no_folder_is_no_error(tmp_path: Path) -> None:
    assert kept(tmp_path / "d", "a", lambda: SMALL) == SMALL and not (tmp_path / "d").exists()
    (tmp_path / "file").write_text("")
    assert kept(tmp_path / "file" / "d", "a", lambda: LARGE) == LARGE
