"""One author over many tasks: the drafter judged by the queue, models with an attempt for each task."""
