"""Whether the terminal that we were started from is still there."""

import os
import select
import signal


class Terminal:
    """The terminal in whose foreground we were started; nothing to lose without one, in the background, or with nohup.

    A closed terminal sends SIGHUP to the leader of its session alone. A leader that takes it and waits for its
    children, as make does, would wait for us for ever: so we look for ourselves.
    """

    def __init__(self) -> None:
        self._poll: select.poll | None = None
        if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:  # nohup: we are meant to stay
            return
        try:
            descriptor = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
        except OSError:
            return
        try:
            in_foreground = os.tcgetpgrp(descriptor) == os.getpgrp()
        except OSError:
            in_foreground = False
        if not in_foreground:
            os.close(descriptor)
            return
        self._poll = select.poll()
        self._poll.register(descriptor, 0)  # a hang-up is told without being asked for

    def is_gone(self) -> bool:
        """Whether it has been closed since."""
        return self._poll is not None and any(event & select.POLLHUP for _, event in self._poll.poll(0))
