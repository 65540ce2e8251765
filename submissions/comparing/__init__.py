"""Submissions beside each other: on one task, over a benchmark, and with their names hidden."""
