"""Where the graphs of graphs/data come from: `python scripts/write_tasks.py` writes them again, byte for byte."""
