"""`python -m passnet_runtime`."""

import sys

from passnet_runtime.cli import main

sys.exit(main())
