"""JSON API of what was handed in and what became of it."""
