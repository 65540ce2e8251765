"""How a submission is judged: a library and a command line, without Django.

Importing this package, its vocabulary (`verdicts`, `events`) and `scoring` loads neither torch nor Triton;
only `engine` and the processes under `runner` do.
"""
