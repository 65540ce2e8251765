"""Leaderboards: who is how good on a benchmark, on one device and with one set of versions, which are never mixed."""
