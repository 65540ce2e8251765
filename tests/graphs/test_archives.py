"""Archives that can come from anyone: what is unpacked, what is refused, and that nothing stays behind."""

import gzip
import io
import stat
import struct
import tarfile
import zipfile
from pathlib import Path

import pytest

from graphs.archives import ArchiveLimits, unpack
from graphs.problems import ReadProblem, TooLarge

SMALL = ArchiveLimits(
    archive_bytes=100_000,
    members=10,
    member_bytes=1_000,
    total_bytes=5_000,
    ratio=20,
    free_bytes=2_000,
    header_bytes=60_000,
)
TREE = {"task/graph_list.txt": b"a\n", "task/a/model.py": b"x = 1\n", "task/empty.txt": b""}


def zipped(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def tarred(path: Path, members: list[tuple[tarfile.TarInfo, bytes]], mode: str = "w:gz") -> Path:
    with tarfile.open(path, mode) as archive:
        for info, content in members:
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return path


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


def refuse(archive: Path, words: str, kind: type[Exception] = ReadProblem) -> None:
    """Unpacking fails with these words and leaves nothing; the archive is removed, so that another can follow."""
    with pytest.raises(kind, match=words):
        unpack(archive, archive.parent / "unpacked", SMALL)
    assert [path.name for path in archive.parent.iterdir()] == [archive.name]
    archive.unlink()


@pytest.mark.parametrize("kind", ["zip", "w:gz", "w"])
def test_files_and_folders_come_out_as_they_went_in(tmp_path, kind):
    archive = tmp_path / "upload.bin"  # what it is shows inside, not in its name
    if kind == "zip":
        zipped(archive, {**TREE, "task/bare/": b""})
    else:
        bare = member("./task/bare", tarfile.DIRTYPE)
        tarred(archive, [(bare, b""), *((member(name), content) for name, content in TREE.items())], kind)
    target = tmp_path / "out"
    assert unpack(archive, target, SMALL) == tuple(sorted(TREE))
    assert {name: (target / name).read_bytes() for name in TREE} == TREE
    assert (target / "task/bare").is_dir()
    assert stat.S_IMODE((target / "task/a/model.py").stat().st_mode) == 0o600  # nothing executable, no set-user-id
    assert stat.S_IMODE(target.stat().st_mode) == 0o700


@pytest.mark.parametrize("raw, name", [("größe.py".encode(), "größe.py"), (b"gr\x94\xe1e.py", "größe.py")])
def test_names_without_the_utf8_flag_are_utf8_if_they_can_be_else_code_page_437(tmp_path, raw, name):
    archive = zipped(tmp_path / "a.zip", {"x" * len(raw): b"1\n"})  # an ASCII name has no flag
    archive.write_bytes(archive.read_bytes().replace(b"x" * len(raw), raw))
    assert unpack(archive, tmp_path / "out", SMALL) == (name,)
    flagged = zipped(tmp_path / "b.zip", {"├Â": b"1\n"})  # would be valid UTF-8, had it been written in code page 437
    assert unpack(flagged, tmp_path / "flagged", SMALL) == ("├Â",)


def test_a_folder_that_exists_is_not_touched(tmp_path):
    (tmp_path / "out").mkdir()
    with pytest.raises(FileExistsError):
        unpack(zipped(tmp_path / "a.zip", TREE), tmp_path / "out", SMALL)


NAMES = {
    "../up": "leads out",
    "a/../../up": "leads out",
    "..": "leads out",
    "/etc/passwd": "absolute",
    "C:/windows": "drive",
    "c:evil": "drive",
    "a\\b": "backslash",
    "a//b": "two slashes",
    "a\u202egnp.exe": "invisible",
    "a\nb": "control",
    "a\x1b[2J": "control",
    "a" * 300: "more than 255",
    "a/" * 40 + "b": "folders deep",
    "a/" * 600 + "b": "no name, or one of more than",
}


@pytest.mark.parametrize("name", NAMES, ids=lambda name: ascii(name)[:20])
@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_names_that_lead_elsewhere_or_can_not_be_read(tmp_path, name, kind):
    if kind == "tar":
        return refuse(tarred(tmp_path / "a.tgz", [(member(name), b"x")]), NAMES[name])
    info = zipfile.ZipInfo("placeholder")
    info.filename = name
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(info, b"x")
    refuse(tmp_path / "a.zip", NAMES[name])


def test_a_name_that_ends_at_a_nul(tmp_path):
    archive = zipped(tmp_path / "a.zip", {"harmless.txt": b"x"})
    archive.write_bytes(archive.read_bytes().replace(b"harmless.txt", b"../evil\0.txt"))
    refuse(archive, "control or invisible")


@pytest.mark.parametrize(
    "names", [["a", "a"], ["a", "A"], ["a", "a/b"], ["a/b", "a"], ["\u00e9", "e\u0301"], ["a/b", "A"]]
)
def test_the_same_place_twice(tmp_path, names):
    refuse(tarred(tmp_path / "a.tgz", [(member(name), b"x") for name in names]), "twice")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_the_same_place_twice_in_a_zip(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a", b"good")
        archive.writestr("a", b"evil")
    refuse(tmp_path / "a.zip", "twice")


@pytest.mark.parametrize(
    ("kind", "link"),
    [
        (tarfile.SYMTYPE, "/etc/passwd"),
        (tarfile.SYMTYPE, "../x"),
        (tarfile.LNKTYPE, "/etc/passwd"),
        (tarfile.CHRTYPE, ""),
        (tarfile.BLKTYPE, ""),
        (tarfile.FIFOTYPE, ""),
    ],
)
def test_links_and_devices_in_a_tar(tmp_path, kind, link):
    refuse(tarred(tmp_path / "a.tgz", [(member("a", kind, link), b"")]), "link or a device")


@pytest.mark.parametrize("mode", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFIFO, stat.S_IFSOCK])
def test_links_and_devices_in_a_zip(tmp_path, mode):
    info = zipfile.ZipInfo("a")
    info.create_system, info.external_attr = 3, (mode | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(info, b"/etc/passwd")
    refuse(tmp_path / "a.zip", "link or a device")


def test_a_link_that_a_later_member_would_follow(tmp_path):
    members = [(member("d", tarfile.SYMTYPE, "/tmp"), b""), (member("d/evil"), b"x")]
    refuse(tarred(tmp_path / "a.tgz", members), "link or a device")


def test_bombs(tmp_path):
    zeros = bytes(SMALL.member_bytes)
    refuse(zipped(tmp_path / "a.zip", {"a": zeros + b"x"}), "bytes in one file", TooLarge)
    refuse(zipped(tmp_path / "b.zip", dict.fromkeys("abcdefgh", zeros)), "bytes unpacked", TooLarge)
    refuse(tarred(tmp_path / "c.tgz", [(member(letter), zeros) for letter in "abcdefgh"]), "bytes unpacked", TooLarge)
    refuse(zipped(tmp_path / "d.zip", {str(number): b"" for number in range(11)}), "10 members", TooLarge)
    refuse(tarred(tmp_path / "e.tgz", [(member(str(number)), b"") for number in range(11)]), "10 members", TooLarge)


def test_a_zip_that_lies_about_its_sizes(tmp_path):
    """Its directory says 10 bytes where a million would come out."""
    archive = zipped(tmp_path / "a.zip", {"a": bytes(1_000_000)})
    archive.write_bytes(archive.read_bytes().replace(struct.pack("<L", 1_000_000), struct.pack("<L", 10)))
    refuse(archive, "broken")


def test_members_that_share_their_bytes(tmp_path):
    """As in the bombs whose members overlap: each is small, together they are large."""
    archive = zipped(tmp_path / "a.zip", {name: bytes(900) for name in "abcdefg"})
    content = bytearray(archive.read_bytes())
    at = content.find(b"PK\x01\x02")
    while at >= 0:
        content[at + 42 : at + 46] = struct.pack("<L", 0)  # all of them begin where the first begins
        at = content.find(b"PK\x01\x02", at + 1)
    archive.write_bytes(content)
    refuse(archive, "broken|bytes unpacked")


def test_a_bomb_of_headers(tmp_path):
    """Nothing but a very long name."""
    with tarfile.open(tmp_path / "a.tgz", "w:gz", format=tarfile.PAX_FORMAT) as archive:
        archive.addfile(member("a" * 500_000), io.BytesIO(b""))
    refuse(tmp_path / "a.tgz", "bytes of headers", TooLarge)


def test_a_sparse_file_of_terabytes(tmp_path):
    header = bytearray(member("a").tobuf(tarfile.GNU_FORMAT))
    header[156:157] = b"S"
    header[483:495] = b"\x80" + (1 << 40).to_bytes(11, "big")  # its size when unpacked
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    (tmp_path / "a.tar").write_bytes(bytes(header) + bytes(1024))
    refuse(tmp_path / "a.tar", "not a file")


def test_a_large_archive_is_not_even_read(tmp_path):
    (tmp_path / "a.zip").write_bytes(b"PK\x03\x04" + bytes(SMALL.archive_bytes))
    refuse(tmp_path / "a.zip", "the limit is 100,000", TooLarge)


def test_a_directory_of_millions_is_refused_before_it_is_read(tmp_path):
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 65535, 65535, 70_000, 0, 0)
    (tmp_path / "a.zip").write_bytes(b"PK\x03\x04" + bytes(80_000) + end)
    refuse(tmp_path / "a.zip", "bytes of headers", TooLarge)


def test_an_encrypted_member(tmp_path):
    archive = zipped(tmp_path / "a.zip", {"a": b"x"})
    content = bytearray(archive.read_bytes())
    content[content.find(b"PK\x01\x02") + 8] |= 1
    archive.write_bytes(content)
    refuse(archive, "encrypted")


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_unusual_packing(tmp_path, method):
    with zipfile.ZipFile(tmp_path / "a.zip", "w", method) as archive:
        archive.writestr("a", b"x")
    refuse(tmp_path / "a.zip", "unusual method")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PK\x03\x04",
        b"\x1f\x8b\x08",
        b"\x1f\x8b\x08" + bytes(30),
        b"BZh9",
        b"\x7fELF",
        bytes(2048),
        gzip.compress(b"no tar"),
    ],
)
def test_what_is_no_archive(tmp_path, content):
    (tmp_path / "a").write_bytes(content)
    refuse(tmp_path / "a", "broken|neither|not a whole")


def test_an_archive_that_was_cut(tmp_path):
    members = [(member(letter), bytes(range(250)) * 3) for letter in "abc"]
    whole = tarred(tmp_path / "a.tgz", members).read_bytes()
    for length in range(20, len(whole) - 9, 13):
        (tmp_path / "a.tgz").write_bytes(whole[:length])
        refuse(tmp_path / "a.tgz", "broken")
