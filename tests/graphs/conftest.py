"""Which tests there are: those on outside cases only where PASSNET_CASES names them."""

import os

collect_ignore = [] if os.environ.get("PASSNET_CASES") else ["test_graph_cases.py"]
