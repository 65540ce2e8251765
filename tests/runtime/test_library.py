"""Bundles and the library: what is signed, refused, pinned, found, in conflict. No torch in here."""

import json
import subprocess
import sys
import zipfile

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from passnet_runtime import ed25519
from passnet_runtime.bundle import BadBundle, _code_of, read_bundle, write_bundle
from passnet_runtime.library import Library, LibraryProblem
from passnet_runtime.record import Call, Record, read_record, write_record

SECRET = bytes(range(32))


@pytest.mark.parametrize(
    ("secret", "public", "message", "signature"),
    [  # RFC 8032, section 7.1, tests 1 to 3
        (
            "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
        ),
        (
            "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
            "72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
        ),
        (
            "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
            "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
            "af82",
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
        ),
    ],
)
def test_signatures_are_those_of_the_standard(secret, public, message, signature):
    secret, message = bytes.fromhex(secret), bytes.fromhex(message)
    assert ed25519.public_key(secret).hex() == public
    assert ed25519.sign(secret, message).hex() == signature
    assert ed25519.is_signed(bytes.fromhex(public), message, bytes.fromhex(signature))
    assert not ed25519.is_signed(bytes.fromhex(public), message + b"x", bytes.fromhex(signature))


def test_signatures_agree_with_another_implementation_and_changed_ones_do_not():
    other = Ed25519PrivateKey.from_private_bytes(SECRET)
    message = b"a manifest" * 100
    public, signature = ed25519.public_key(SECRET), ed25519.sign(SECRET, message)
    assert other.sign(message) == signature
    for at in (0, 31, 32, 63):
        changed = bytearray(signature)
        changed[at] ^= 1
        assert not ed25519.is_signed(public, message, bytes(changed))
    assert not ed25519.is_signed(public, message, signature[:63])
    # s + L is the same number to a careless reader
    s = int.from_bytes(signature[32:], "little") + ed25519.L
    assert not ed25519.is_signed(public, message, signature[:32] + s.to_bytes(32, "little"))


def made(path, name, version="1.0.0", operators=("add", "relu"), secret=SECRET, text="def pattern(x): ..."):
    folder = path / f"{name}-{version}"
    folder.mkdir(parents=True)
    (folder / "Fuse.py").write_text(text)
    code = _code_of({f"passes/{file.name}": file.read_bytes() for file in folder.iterdir()})
    write_record(folder, Record(code, "a test", (Call("Fuse", {"x": "float32 [4]"}, speedup={"e2e": 2.0}),)))
    about = {"name": name, "version": version, "author": "A. Person", "licence": "Apache-2.0", "description": "d"}
    target = path / f"{name}-{version}.zip"
    write_bundle(folder, target, about, {"Fuse": operators}, secret=secret)
    return target


@pytest.fixture
def library(tmp_path):
    library = Library(tmp_path / "library")
    library.trust(ed25519.public_key(SECRET).hex(), "me")
    return library


def test_a_bundle_that_a_trusted_key_signed_is_installed_with_its_record(tmp_path, library):
    item = library.install(made(tmp_path, "fuse"))
    assert (item.bundle.title, item.signed_by, item.active, item.pinned) == ("fuse 1.0.0", "me", True, False)
    (folder,) = library.folders()
    assert (folder / "Fuse.py").read_text() == "def pattern(x): ..."
    assert read_record(folder).calls[0].speedup == {"e2e": 2.0}
    assert library.install(tmp_path / "fuse-1.0.0.zip") == item  # again: nothing happens


def test_unsigned_and_unknown_keys_are_refused_unless_allowed(tmp_path, library):
    unsigned = made(tmp_path / "a", "plain", secret=None)
    stranger = made(tmp_path / "b", "theirs", secret=bytes(32))
    for path, why in ((unsigned, "it is not signed"), (stranger, "nobody trusts the key")):
        with pytest.raises(LibraryProblem, match=why):
            library.install(path)
    assert library.install(unsigned, unsigned=True).signed_by == ""
    with pytest.raises(LibraryProblem, match="is no public key"):
        library.trust("abc", "somebody")


def test_a_version_does_not_change(tmp_path, library):
    library.install(made(tmp_path / "a", "fuse"))
    with pytest.raises(LibraryProblem, match="installed with other content"):
        library.install(made(tmp_path / "b", "fuse", text="def pattern(x, y): ..."))


def test_the_newest_version_is_used_or_the_pinned_one(tmp_path, library):
    for version in ("1.9.0", "1.10.0"):
        library.install(made(tmp_path, "fuse", version))
    assert library.find("fuse").bundle.version == "1.10.0"
    library.pin("fuse", "1.9.0")
    assert [(item.bundle.version, item.pinned) for item in library.active()] == [("1.9.0", True)]
    library.remove("fuse", "1.9.0")
    assert (library.pins(), library.find("fuse").bundle.version) == ({}, "1.10.0")
    for wrong in (lambda: library.pin("fuse", "3.0.0"), lambda: library.unpin("fuse"), lambda: library.find("other")):
        with pytest.raises(LibraryProblem):
            wrong()


def test_passes_for_the_same_operators_are_a_conflict_and_pins_decide(tmp_path, library):
    library.install(made(tmp_path, "a-long", operators=("mul", "add", "relu")))
    library.install(made(tmp_path, "b-short", operators=("add", "relu")))
    library.install(made(tmp_path, "c-other", operators=("relu", "add")))
    (conflict,) = library.conflicts()
    assert (conflict.first, conflict.second, conflict.operators) == ("a-long 1.0.0", "b-short 1.0.0", ("add", "relu"))
    library.pin("b-short", "1.0.0")
    assert [item.bundle.name for item in library.active()] == ["b-short", "a-long", "c-other"]
    assert library.conflicts()[0].first == "b-short 1.0.0"
    assert [item.bundle.name for item, _ in library.search(["add", "relu"])] == ["a-long", "b-short"]


def rewritten(path, target, change):
    with zipfile.ZipFile(path) as old:
        members = {name: old.read(name) for name in old.namelist()}
    change(members)
    with zipfile.ZipFile(target, "w") as new:
        for name, content in members.items():
            new.writestr(name, content)
    return target


def test_what_was_changed_after_it_was_signed_is_refused(tmp_path):
    path = made(tmp_path, "fuse")

    def code(members):
        members["passes/Fuse.py"] = b"import os"

    def author(members):
        members["manifest.json"] = members["manifest.json"].replace(b"A. Person", b"B. Person")

    def more(members):
        members["passes/more.py"] = b""

    def outside(members):
        members["../up.py"] = b""
        manifest = json.loads(members["manifest.json"])
        manifest["files"]["../up.py"] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        members["manifest.json"] = json.dumps(manifest).encode()
        del members["signature.json"]

    cases = [
        (code, "not those that manifest"),
        (author, "signature is wrong"),
        (more, "not those"),
        (outside, "no name"),
    ]
    for change, why in cases:
        with pytest.raises(BadBundle, match=why):
            read_bundle(rewritten(path, tmp_path / "changed.zip", change))
    (tmp_path / "no.zip").write_text("nothing")
    with pytest.raises(BadBundle):
        read_bundle(tmp_path / "no.zip")


def test_a_damaged_bundle_is_refused_wherever_the_damage_is(tmp_path):
    whole = made(tmp_path, "fuse").read_bytes()
    damaged = tmp_path / "damaged.zip"
    for at in range(0, len(whole), 7):
        damaged.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        try:
            read_bundle(damaged)  # a date or a flag that nobody reads may be damaged
        except BadBundle as problem:
            assert str(problem).startswith(f"{damaged}: ")
    damaged.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(BadBundle):
        read_bundle(damaged)

    def nested(members):
        members["manifest.json"] = b"[" * 200_000

    with pytest.raises(BadBundle, match=r"manifest\.json"):
        read_bundle(rewritten(tmp_path / "fuse-1.0.0.zip", damaged, nested))


def test_the_same_content_is_the_same_file(tmp_path):
    assert made(tmp_path / "a", "fuse").read_bytes() == made(tmp_path / "b", "fuse").read_bytes()


def test_the_library_needs_no_torch():
    code = "import sys, passnet_runtime.library; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
