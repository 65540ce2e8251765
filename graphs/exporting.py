"""Imported folders back on disk, byte by byte."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path, PurePosixPath

from django.db.models import Q

from graphs.models import Content, Folder, Source, Task
from graphs.packing import unpack
from graphs.problems import ReadProblem

Say = Callable[[str], None]


def export_tree(target: Path, say: Say, slugs: Sequence[str] = ()) -> Counter[str]:
    """Writes the folders of all tasks, or of those in `slugs`, to where they lay in their tree, below `target`.

    Counts them as `exported`, `unchanged` (there already, with the same bytes), `skipped` (imported before files were
    kept) and `failed`. A file that is there with other bytes is not touched, and fails its folder.
    """
    counts: Counter[str] = Counter()
    wanted = Q(task__slug__in=slugs) if slugs else Q()
    taken: set[str] = set()
    for folder in Folder.objects.filter(wanted).order_by("-id").iterator(chunk_size=200):
        # Two trees may have had different folders in one place: the newer keeps it
        place = folder.path if folder.path not in taken else f"{folder.path}~{folder.digest[:8]}"
        taken.add(folder.path)
        try:
            counts["exported" if _write_folder(target / _inside(place), folder) else "unchanged"] += 1
        except ReadProblem as problem:
            say(str(problem))
            counts["failed"] += 1
    for slug in _without_files(slugs):
        say(f"{slug}: was imported before its files were kept; import its folder again, then it can be exported")
        counts["skipped"] += 1
    return counts


def _without_files(slugs: Sequence[str]) -> Iterator[str]:
    wanted = Q(slug__in=slugs) if slugs else Q()
    yield from Task.objects.filter(wanted, folders__isnull=True).values_list("slug", flat=True)


def _write_folder(place: Path, folder: Folder) -> bool:
    """Whether anything had to be written. Every byte is looked up before the first is written."""
    hashes = set(folder.files.values())
    packed = dict(Content.objects.filter(pk__in=hashes).values_list("pk", "packed"))
    packed |= dict(Source.objects.filter(pk__in=hashes - set(packed)).values_list("pk", "packed"))
    todo: list[tuple[Path, bytes]] = []
    for name, key in folder.files.items():
        if key not in packed:
            raise ReadProblem(str(place / name), None, "is missing in the database; import its folder again")
        file, content = place / _inside(name), unpack(packed[key])
        if not _is_there(file, content):
            todo.append((file, content))
    try:
        for file, content in todo:
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("xb") as opened:
                opened.write(content)
    except OSError as error:
        raise ReadProblem(str(error.filename or place), None, f"can not be written: {error.strerror}") from error
    return bool(todo)


def _is_there(file: Path, content: bytes) -> bool:
    try:
        if file.read_bytes() == content:
            return True
    except FileNotFoundError:
        return False
    except OSError as error:
        raise ReadProblem(str(file), None, f"can not be read: {error.strerror}") from error
    raise ReadProblem(str(file), None, "is there already, with other content; it was left as it is")


def _inside(relative: str) -> PurePosixPath:
    """Refuses what would leave the folder: names were read from a disk, but a database can be changed."""
    path = PurePosixPath(relative)
    if path.is_absolute() or ".." in path.parts or not path.parts:
        raise ReadProblem(relative, None, "is not a path inside a folder, and was not written")
    return path
