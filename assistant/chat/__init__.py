"""Talking with a model about a task: the log, one turn, the thread that it runs in."""
