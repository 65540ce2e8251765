"""The review queue: why submissions failed, told by rule, and what reviewers make of it."""
