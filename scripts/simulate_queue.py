#!/usr/bin/env python3
"""Simulates the queue of a device class that is larger than anything we can start: who waits, how long, and what the
database is asked meanwhile. Seeded: the same arguments give the same figures.

    python scripts/simulate_queue.py [--gpus 1000] [--runs-per-day 1000000] [--hours 24] [--policy fair|fifo] [--seed 1]

The model. People and programs ask for runs: one in five is interactive, the rest comes in batches of one to a
thousand, half of them from one person in twenty. A day has a peak of twice its mean. A run takes a median of 12 s, with
a tail (log-normal, sigma 0.9, at most 600 s: mean 18 s). A GPU fails every 30 days on the mean; the run that it held is
given up 30 s later and judged once more. What one run asks of the database was counted in this code: see COSTS.
"""

import argparse
import heapq
import json
import math
import random
from collections import deque
from dataclasses import asdict, dataclass, field

PEOPLE = 400
HEAVY = 20  # of them ask for half of all that comes in batches
INTERACTIVE_SHARE = 0.2
LARGEST_BATCH = 1000
MEDIAN_SECONDS, SIGMA, LONGEST_SECONDS = 12.0, 0.9, 600.0
FAILS_EVERY = 30 * 86400.0  # seconds of one GPU
LEASE_SECONDS = 30.0
WINDOW = 600.0  # seconds that fair share looks back
OVERHEAD_SECONDS = 0.4  # message, claim, start of a run

# Statements that write, of one run (claim, start, end, a lease's renewals apart), and of one worker a second.
COSTS = {"events_per_run": 40, "writes_per_run": 12, "renewals_per_second": 0.2, "caretaker_queries_per_second": 4.0}


@dataclass
class Waits:
    """Seconds that runs of one kind have waited."""

    seconds: list[float] = field(default_factory=list)

    def quantile(self, part: float) -> float:
        """0 where there were none."""
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, math.ceil(part * len(ordered)) - 1)] if ordered else 0.0


@dataclass(frozen=True)
class Figures:
    """What a simulated time came to."""

    gpus: int
    policy: str
    runs: int
    busy: float
    lost: int
    interactive_p50: float
    interactive_p99: float
    light_batch_p50: float  # of people who ask for little
    light_batch_p99: float
    heavy_batch_p99: float
    longest_queue: int
    claims_per_second: float
    event_rows_per_second: float
    writes_per_second: float
    caretaker_queries_per_second: float


Run = tuple[float, int, bool, float]  # when asked for, person, interactive, seconds it takes


def arrivals(dice: random.Random, runs_per_day: float, hours: float) -> list[Run]:
    """All runs of the time, in order. Hour 0 is the middle of the morning's climb."""
    found: list[Run] = []
    end = hours * 3600.0
    mean_batch = (LARGEST_BATCH - 1) / math.log(LARGEST_BATCH)  # of a log-uniform size
    rate = runs_per_day / 86400.0
    for interactive, each, size in (
        (True, rate * INTERACTIVE_SHARE, 1.0),
        (False, rate * (1 - INTERACTIVE_SHARE), mean_batch),
    ):
        peak = 2.0 * each / size
        at = 0.0
        while (at := at + dice.expovariate(peak)) < end:
            if dice.random() > (1.0 + math.sin(2 * math.pi * at / 86400.0)) / 2.0:
                continue
            heavy = not interactive and dice.random() < 0.5
            person = dice.randrange(HEAVY) if heavy else dice.randrange(HEAVY, PEOPLE)
            count = 1 if interactive else int(LARGEST_BATCH ** dice.random())
            found += [(at, person, interactive, service(dice)) for _ in range(count)]
    found.sort(key=lambda run: run[0])
    return found


def service(dice: random.Random) -> float:
    """Seconds that a run has the device."""
    return OVERHEAD_SECONDS + min(LONGEST_SECONDS, dice.lognormvariate(math.log(MEDIAN_SECONDS), SIGMA))


class Queue:
    """What waits. `fair` is the rule of submissions.fairness; `fifo` takes what came first, without lanes."""

    def __init__(self, policy: str) -> None:
        self.fair = policy == "fair"
        self.fifo: deque[Run] = deque()
        self.lanes: tuple[dict[int, deque[Run]], dict[int, deque[Run]]] = ({}, {})
        self.used: dict[int, float] = {}
        self.uses: deque[tuple[float, int, float]] = deque()
        self.length = 0

    def put(self, run: Run) -> None:
        self.length += 1
        if not self.fair:
            self.fifo.append(run)
            return
        self.lanes[0 if run[2] else 1].setdefault(run[1], deque()).append(run)

    def take(self, now: float) -> Run:
        self.length -= 1
        if not self.fair:
            return self.fifo.popleft()
        while self.uses and self.uses[0][0] < now - WINDOW:
            _, person, seconds = self.uses.popleft()
            self.used[person] -= seconds
        lane = self.lanes[0] or self.lanes[1]
        person = min(lane, key=lambda one: (self.used.get(one, 0.0), lane[one][0][0]))
        run = lane[person].popleft()
        if not lane[person]:
            del lane[person]
        return run

    def note(self, now: float, run: Run) -> None:
        if self.fair:
            self.used[run[1]] = self.used.get(run[1], 0.0) + run[3]
            self.uses.append((now, run[1], run[3]))


def simulate(gpus: int, runs_per_day: float, hours: float, policy: str, seed: int) -> Figures:
    """Plays the time through, event by event."""
    dice = random.Random(seed)
    coming = arrivals(dice, runs_per_day, hours)
    queue, free = Queue(policy), gpus
    ends: list[tuple[float, int, Run | None]] = []  # when, number, a run that was lost then
    waits = {"interactive": Waits(), "light": Waits(), "heavy": Waits()}
    lost, busy, longest, number, claims = 0, 0.0, 0, 0, 0
    at = 0
    while at < len(coming) or ends:
        if at < len(coming) and (not ends or coming[at][0] <= ends[0][0]):
            now = coming[at][0]
            queue.put(coming[at])
            at += 1
        else:
            now, _, again = heapq.heappop(ends)
            free += 1
            if again is not None:
                queue.put(again)
        while free and queue.length:
            run = queue.take(now)
            queue.note(now, run)
            asked, person, interactive, seconds = run
            fails = dice.random() < seconds / FAILS_EVERY
            free -= 1
            number += 1
            claims += 1
            held = dice.random() * seconds + LEASE_SECONDS if fails else seconds
            lost += fails
            heapq.heappush(ends, (now + held, number, (now + held, person, interactive, seconds) if fails else None))
            busy += min(held, max(0.0, hours * 3600.0 - now))
            kind = "interactive" if interactive else "heavy" if person < HEAVY else "light"
            waits[kind].seconds.append(now - asked)
        longest = max(longest, queue.length)
    span = hours * 3600.0
    per_second = claims / span
    return Figures(
        gpus,
        policy,
        len(coming),
        busy / (gpus * span),
        lost,
        *(waits["interactive"].quantile(part) for part in (0.5, 0.99)),
        *(waits["light"].quantile(part) for part in (0.5, 0.99)),
        waits["heavy"].quantile(0.99),
        longest,
        per_second,
        per_second * COSTS["events_per_run"],
        per_second * COSTS["writes_per_run"] + busy / span * COSTS["renewals_per_second"] + gpus / 8.0,
        gpus * COSTS["caretaker_queries_per_second"],
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpus", type=int, default=1000)
    parser.add_argument("--runs-per-day", type=float, default=1e6)
    parser.add_argument("--hours", type=float, default=24.0)
    parser.add_argument("--policy", choices=("fair", "fifo"), default="fair")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    figures = simulate(given.gpus, given.runs_per_day, given.hours, given.policy, given.seed)
    shown = {name: round(value, 3) if isinstance(value, float) else value for name, value in asdict(figures).items()}
    print(json.dumps(shown, indent=2))


if __name__ == "__main__":
    main()
