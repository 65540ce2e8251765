"""The runner as the judge sees it: requests with a time limit, answers that are believed only as far as they can be.

A request ends in an answer or in `Decided`. Whatever happens to the runner process is attributed to the request that
it was busy with, and the next request finds a new process.
"""

import os
import select
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from evaluator.events import Finding
from evaluator.events_of_speed import KernelCount
from evaluator.job import Limits
from evaluator.runner import answers, decided, measured, protocol, tensors, whereabouts
from evaluator.runner.answers import Applied
from evaluator.runner.decided import Decided
from evaluator.runner.protocol import Channel, Message
from evaluator.runner.reference import Case
from evaluator.runner.supervisor_link import Gone, SupervisorLink

_READY_SECONDS = 60.0  # forking and shutting in; no submission has been loaded yet
_SEND_SECONDS = 10.0
_FILES_KEPT = 2  # one is read by the runner while the other is written
_LAST_BREATH = 2.0  # between the end of a runner's channel and the end of its process


class RunnerFault(Exception):
    """A runner could not even be started: the evaluator's own failure."""


@dataclass(frozen=True)
class Returned:
    """What one call gave back, copied out of the runner's reach."""

    outputs: list[Any]  # tensors on the CPU, and numbers
    launches: list[KernelCount] | None  # where they were counted
    seconds: float  # by the judge's clock
    reads_outside: list[str]  # loads outside of tensors, in words


class RemoteRunner:
    def __init__(
        self, supervisor: SupervisorLink, limits: Limits, found: Callable[[Finding], None], files: Collection[str]
    ) -> None:
        """`found` is called with what the guards of the runner have seen; `files` are names of the submission's."""
        self._supervisor = supervisor
        self._found = found
        self._limits = limits
        self._files = files
        self._channel: Channel | None = None  # None: no process
        self._waiting = False  # the process has been started and was not heard of yet
        self._number = 0
        self._shared: tuple[Case, int, list[Message]] | None = None  # a case whose inputs lie in a file already
        self._files_kept: list[int] = []  # of inputs that nothing is judged by; the one used last comes last
        self._rewritten: dict[int, list[str]] = {}  # graphs whose modules the present process holds → passes in them
        self._served: set[int] = set()  # the graphs that the present process has worked on

    def load(self) -> list[str]:
        """Have the submission loaded by a fresh process, or the prepared one; the names of its passes.

        Raises Decided (rejected).
        """
        if not self._waiting:
            self.end()
            self.prepare()
        self._hear_ready()
        try:
            answer = self._ask({"do": "load"}, "while its files were imported", self._limits.import_seconds)
        except Decided as problem:
            raise decided.bad_submission(problem.message) from problem
        with self._believing():
            return answers.texts(answer["passes"])

    def apply(self, index: int) -> Applied:
        """Rewrite graph number `index` of the job."""
        if not self._is_alive():
            self.load()
        self._served.add(index)
        when = "while its pattern was traced and matched"
        answer = self._ask({"do": "apply", "graph": index}, when, self._limits.call_seconds)
        with self._believing():
            applied = answers.applied(answer)
        self._rewritten[index] = [name for name, matches in applied.per_pass.items() if matches]
        return applied

    def foresee(self, index: int, inputs: Sequence[Any]) -> None:
        """Say on what inputs (shape and dtype, or a number) a graph is going to be called: they can be compiled for."""
        if self._channel is not None and self._is_alive():
            self._ask({"do": "foresee", "graph": index, "inputs": list(inputs)}, "while it waited", _SEND_SECONDS)

    def share(self, case: Case, *, judged: bool = True) -> None:
        """Have the inputs of the next call lie in memory that can be handed over. The runner gets it with the call.

        Where nothing is `judged` by them, it is memory that the runner has had before: that saves most of the time.
        """
        self._drop_shared()
        file = None if judged or len(self._files_kept) < _FILES_KEPT else self._files_kept.pop(0)
        shared, descriptions = tensors.share(case.inputs, "inputs", file)
        if not judged:
            self._files_kept.append(file if file is not None else os.dup(shared))
        self._shared = case, shared, descriptions

    def call(
        self,
        index: int,
        case: Case,
        *,
        count: bool = False,
        closely: bool = False,
        watched: bool = True,
        meanwhile: Callable[[], object] = lambda: None,
    ) -> Returned:
        """Call the rewritten graph on the case's inputs; what it expects only tells how much room the outputs need.

        `count`: say what is launched. `closely`: watch what launchers do and keep. Not `watched`: no guard looks on,
        for nothing that is judged comes of the call. `meanwhile` is done while the runner works; it raises nothing.
        """
        if not self._is_alive() or index not in self._rewritten:
            self.apply(index)
        inputs_file, descriptions = self._take_shared(case)
        outputs_file = tensors.room_for(case.expected)
        files = (inputs_file, outputs_file)
        request = {"do": "call", "graph": index, "inputs": descriptions, "random_seed": case.random_seed}
        request |= {"count": count, "closely": closely, "watched": watched}
        request |= {"written": case.written, "aliases": case.aliases}
        try:
            started = time.monotonic()
            when = decided.in_a_call(self._rewritten[index])
            answer = self._ask(request, when, self._limits.call_seconds, files, meanwhile)
            seconds = time.monotonic() - started
            with self._believing():
                outputs = tensors.collect(outputs_file, answer["outputs"])
                launches = answers.kernel_counts(answer["launches"]) if count else None
                return Returned(outputs, launches, seconds, answers.sentences(answer["reads_outside"]))
        finally:
            protocol.close_all(files)

    def measure(
        self,
        index: int,
        request: Message,
        inputs: Sequence[Any],
        expected: Sequence[Any],
        caches: Sequence[int],
    ) -> tuple[measured.Answer, list[Any]]:
        """Time the rewritten graph; also outputs of timed calls. `expected`: what room they need. Closes `caches`."""
        if not self._is_alive() or index not in self._rewritten:
            self.apply(index)
        inputs_file, descriptions = tensors.share(inputs, "inputs")
        files = (inputs_file, tensors.room_for(expected), *caches)
        try:
            wanted = {"do": "measure", "graph": index, "inputs": descriptions, **request}
            answer = self._ask(wanted, "while it was timed", self._limits.measure_seconds, files)
            with self._believing():
                known = frozenset(("eager", "candidate", *request["baselines"]))
                return measured.answer(answer, known), tensors.collect(files[1], answer["outputs"])
        finally:
            protocol.close_all(files)

    @property
    def worked_on_others(self) -> bool:
        """Whether the process that is or was there last had worked on more than one graph."""
        return len(self._served) > 1

    def end(self) -> None:
        """End the process, if there is one."""
        if self._channel is not None:
            self._forget(self._supervisor.end_runner())

    def prepare(self) -> None:
        """Have a process started that `load` will find, and go on meanwhile."""
        self._channel = self._supervisor.start_runner()
        self._channel.limit_sends(_SEND_SECONDS)
        self._waiting = True
        self._rewritten = {}
        self._served = set()

    def _take_shared(self, case: Case) -> tuple[int, list[Message]]:
        if self._shared is None or self._shared[0] is not case:
            self.share(case)
        assert self._shared is not None
        (_, file, descriptions), self._shared = self._shared, None
        return file, descriptions

    def _drop_shared(self) -> None:
        if self._shared is not None:
            protocol.close_all(self._shared[1:2])
            self._shared = None

    def _hear_ready(self) -> None:
        assert self._channel is not None
        self._waiting = False
        try:
            self._channel.receive(_READY_SECONDS)
        except (protocol.Closed, protocol.ProtocolError, TimeoutError) as error:
            self.end()
            raise RunnerFault("The runner process could not be set up; its output says why.") from error

    def _is_alive(self) -> bool:
        """False too for a process that has ended since its last answer."""
        while self._channel is not None and self._readable(0.0):
            try:
                said, unexpected = self._channel.receive(0.0)
                protocol.close_all(unexpected)
                self._take(said.get("finding"))  # of a thread, for example
            except (protocol.Closed, protocol.ProtocolError, TimeoutError):
                self.end()  # nothing was asked: it has died, or speaks out of turn
        return self._channel is not None

    def _ask(
        self,
        request: Message,
        when: str,
        seconds: float,
        descriptors: Sequence[int] = (),
        meanwhile: Callable[[], object] = lambda: None,
    ) -> Message:
        """The answer to one request; raises Decided for a failure of the submission and for a lost runner."""
        assert self._channel is not None
        channel, deadline = self._channel, time.monotonic() + seconds
        self._number += 1
        try:
            channel.send({"number": self._number, **request}, descriptors)
            meanwhile()
            while True:
                if channel not in self._readable(deadline - time.monotonic()):
                    raise protocol.Closed  # or the time is over
                answer, unexpected = channel.receive(max(0.0, deadline - time.monotonic()))
                protocol.close_all(unexpected)
                if "finding" not in answer:
                    break
                self._take(answer["finding"])
        except (protocol.Closed, TimeoutError):
            late = time.monotonic() >= deadline
            raise self._lost(when, seconds if late else None) from None
        except protocol.ProtocolError as error:
            self.end()
            raise decided.spoke_nonsense(str(error)) from error
        if answer.get("answer_to") != self._number:
            self.end()
            raise decided.spoke_nonsense("an answer that was not asked for")
        if isinstance(answer.get("ok"), dict):
            return answer["ok"]  # type: ignore[no-any-return]
        with self._believing():
            problem = answers.failed(answer["failed"])
        if problem.kind == "oom":  # whatever it still holds is not the next graph's problem
            self.end()
        raise decided.by_failure(problem)

    def _take(self, value: Any) -> None:
        """A guard has seen something: that is said before the answer, so that no end of the process hides it."""
        try:
            self._found(answers.finding(value))
        except (KeyError, TypeError, ValueError) as error:
            raise protocol.ProtocolError("a finding that is none") from error

    def _lost(self, when: str, late_after: float | None) -> Decided:
        """What it means that a runner did not answer."""
        if late_after is not None:
            gone = self._forget(self._supervisor.end_runner())
        else:
            try:
                gone = self._forget(self._supervisor.hear_gone(_LAST_BREATH))
            except TimeoutError:
                gone = self._forget(self._supervisor.end_runner())
        place = whereabouts.place(gone.place, self._files)
        return decided.by_ending(gone, when, self._limits, late_after, place)

    def _forget(self, gone: Gone) -> Gone:
        if self._channel is not None:
            self._channel.close()
        self._channel = None
        self._waiting = False
        return gone

    def _readable(self, seconds: float) -> list[Channel]:
        """Which of the two, runner and supervisor, has something to say, after at most `seconds`."""
        assert self._channel is not None
        poll = select.poll()
        channels = {channel.fileno(): channel for channel in (self._channel, self._supervisor.channel)}
        for descriptor in channels:
            poll.register(descriptor, select.POLLIN)
        return [channels[descriptor] for descriptor, _ in poll.poll(max(0.0, seconds) * 1000)]

    @contextmanager
    def _believing(self) -> Iterator[None]:
        """An answer that can not be true ends the runner."""
        try:
            yield
        except (protocol.ProtocolError, KeyError, TypeError, ValueError) as error:
            self.end()
            what = f"an answer without {error}" if isinstance(error, KeyError) else str(error)
            raise decided.spoke_nonsense(what) from error
