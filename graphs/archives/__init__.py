"""Unpacking an archive that can come from anyone: zip, tar and tar.gz. Nothing in it is executed or followed."""

from graphs.archives.limits import ArchiveLimits
from graphs.archives.unpack import unpack

__all__ = ["ArchiveLimits", "unpack"]
