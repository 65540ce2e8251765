"""A daemon on a GPU whose device fails once, for whoever asks first, when there is a file that says so."""

import sys
from pathlib import Path

from evaluator.runner import calibration, daemon, environment


def main() -> int:
    environment.restart_scrubbed()
    breaks, canary = Path(sys.argv[1]).with_suffix(".broken"), calibration.canary

    def fails_once(device: str) -> str | None:
        try:
            breaks.unlink()
        except FileNotFoundError:
            return canary(device)
        return "it does not compute: its context is gone"

    calibration.canary = fails_once
    return daemon.serve(Path(sys.argv[1]), "cuda")


if __name__ == "__main__":
    sys.exit(main())
