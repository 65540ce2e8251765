"""A job as one file, for a machine without network: `python -m evaluator run-bundle BUNDLE.zip --out RESULTS.jsonl`.

A bundle is a zip with one member, `job.json`; nothing in it is ever unpacked to disk or executed. Results are JSON
Lines: first the origin (which bundle, which machine), then the events of the run.
"""

import hashlib
import json
import zipfile
import zlib
from pathlib import Path
from typing import Any

from evaluator.harness import harness_hash
from evaluator.job import Job

FORMAT = 1
MEMBER = "job.json"
_MAX_BYTES = 256 << 20


class BadBundle(ValueError):
    """The file is no bundle; the text says why."""


def write_bundle(job: Job, path: Path) -> None:
    """Write `job` to `path`. The same job gives the same bytes."""
    text = json.dumps({"format": FORMAT, "job": job.to_json()}, sort_keys=True)
    item = zipfile.ZipInfo(MEMBER, (1980, 1, 1, 0, 0, 0))
    item.compress_type = zipfile.ZIP_DEFLATED
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(item, text)


def read_bundle(path: Path) -> Job:
    """The job of a bundle. Raises BadBundle, OSError."""
    try:
        with zipfile.ZipFile(path) as archive:
            if archive.namelist() != [MEMBER] or archive.getinfo(MEMBER).file_size > _MAX_BYTES:
                raise BadBundle(f"{path} must hold {MEMBER} alone, of at most {_MAX_BYTES >> 20} MiB")
            with archive.open(MEMBER) as file:
                text = file.read(_MAX_BYTES + 1)  # the announced size may be a lie
        if len(text) > _MAX_BYTES:
            raise BadBundle(f"{path} holds more than it announces")
        value = json.loads(text)
        if value["format"] != FORMAT:
            raise BadBundle(f"{path} has format {value['format']!r}; this evaluator reads {FORMAT}")
        return Job.from_json(value["job"])
    except (zipfile.BadZipFile, EOFError, NotImplementedError) as problem:
        raise BadBundle(f"{path} is no zip file: {problem}") from problem
    except (KeyError, TypeError, AttributeError, RecursionError) as problem:
        raise BadBundle(f"{path} holds no job: {type(problem).__name__}: {problem}") from problem
    except BadBundle:
        raise
    except (ValueError, zlib.error) as problem:  # no UTF-8, a number of too many digits, bytes that were not packed
        raise BadBundle(f"{path} holds no JSON: {problem}") from problem
    except RuntimeError as problem:
        raise BadBundle(f"{path} can not be unpacked: {problem}") from problem


def origin(path: Path, job: Job) -> dict[str, Any]:
    """The first line of the results: the bundle's hash, so that an import finds the revision it belongs to."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return {
        "event": "origin",
        "format": FORMAT,
        "bundle": digest,
        "run_id": job.run_id,
        "how": "run-bundle",
        "harness": harness_hash(),
    }
