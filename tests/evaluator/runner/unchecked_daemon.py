"""The daemon without the look at a submission's text.

What the static check refuses never reaches the runner; here the runner has to stand on its own against it. Without
`--guarded` before the socket the guards of the run are off as well, so that only the sandbox is left. With `--bare` it
also does without namespaces, as where the kernel refuses them; `--refusing` as well: without being asked to. With
`--open` nothing at all shuts a run in, which is for measuring what the walls cost. `--cuda`: on a device.
"""

import os
import sys
from contextlib import nullcontext
from functools import partial
from pathlib import Path

from evaluator.runner import daemon, environment, guarding, isolation, processes, statics


def no_check(job, supervisor, tell):
    supervisor.event("static_check", {"findings": 0, "verdict": "clean"})


class NoGuards:
    def __init__(self, *_):
        pass

    def arm(self):
        pass

    def loaded(self):
        pass

    def placed(self, inputs):
        return inputs

    def around(self, *_, **__):
        return nullcontext()


def start_in_the_open(main, job, folder, *, keep, stdio):
    return processes.start(partial(in_the_open, main, folder), keep=keep, stdio=stdio)


def in_the_open(main, folder):
    environment.replace(environment.for_a_run(str(folder), "nobody"))
    os.chdir(folder)
    main(folder)


if __name__ == "__main__":
    environment.restart_scrubbed()
    statics.check = no_check
    if "--guarded" not in sys.argv:
        guarding.Guards = NoGuards
    if "--bare" in sys.argv:
        environment.allow_unisolated("--refusing" not in sys.argv)
        bare = isolation.Found(isolation.PROCESS_GROUP, "no namespaces (a test)")
        isolation.probe = lambda: bare
    if "--open" in sys.argv:
        isolation.start = start_in_the_open
    sys.exit(daemon.serve(Path(sys.argv[-1]), "cuda" if "--cuda" in sys.argv else "cpu"))
