"""Drawings that are kept as files."""

from pathlib import Path

from graphs.drawn_files import kept

LARGE = b"[" + b"1," * 60_000 + b"1]"


def test_made_once_and_made_anew_when_it_is_gone_or_broken(tmp_path: Path) -> None:
    made: list[int] = []

    def make() -> bytes:
        made.append(1)
        return LARGE

    assert [kept(tmp_path / "d", "a", make) for _ in range(3)] == [LARGE] * 3 and len(made) == 1
    (file,) = (tmp_path / "d").iterdir()
    file.write_bytes(b"\x1f\x8b cut off")
    assert kept(tmp_path / "d", "a", make) == LARGE and len(made) == 2
    assert kept(tmp_path / "d", "b", make) == LARGE and len(made) == 3


def test_small_ones_are_not_kept_and_no_folder_is_no_error(tmp_path: Path) -> None:
    assert kept(tmp_path / "d", "a", lambda: b"{}") == b"{}" and not (tmp_path / "d").exists()
    (tmp_path / "file").write_text("")
    assert kept(tmp_path / "file" / "d", "a", lambda: LARGE) == LARGE
