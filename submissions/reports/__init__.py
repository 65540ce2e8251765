"""Reports to read, print and keep: where an author, a benchmark or a task fails, how often, with examples."""
