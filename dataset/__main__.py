"""`python -m dataset COMMAND`: see docs/dataset.md."""

import sys

from dataset.cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
