"""Static files: collected and compressed once for each build of the front end."""

from pathlib import Path


def collected_is_current(dist: Path, root: Path) -> bool:
    """Whether what was collected under `root` belongs to the build in `dist`: Vite's manifest names every file."""
    try:
        return (dist / "manifest.json").read_bytes() == (root / "dist" / "manifest.json").read_bytes()
    except OSError:
        return False


def needs_collecting(dist: Path, root: Path) -> bool:
    """Whether `collectstatic` has anything to do."""
    from django.contrib.staticfiles.finders import get_finders

    if not collected_is_current(dist, root):
        return True
    for finder in get_finders():
        for name, storage in finder.list([]):
            prefix = getattr(storage, "prefix", None)
            collected = root / (f"{prefix}/{name}" if prefix else name)
            if not collected.exists() or collected.stat().st_mtime < Path(storage.path(name)).stat().st_mtime:
                return True
    return False
