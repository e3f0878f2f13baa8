# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans of loops (`#sm.schedule`: stage and order of each operation) in the text of phase `schedule`.

Random schedules by topological sort under learnt precedence constraints. Stages are 0 and 1; an operation of stage 1 is
delayed by one iteration. The first constraints are those of values: an operation runs after the operations that compute
its operands. All other constraints come from the errors of sm-apply-schedule, which name two operations in the wrong
order. So a drawn plan obeys exactly the constraints that the pass checks, and an illegal plan that the pass accepts is
drawn and simulated.
"""

import re

PHASE, PHASES, BEFORE = "schedule", "overlap,fence", ("schedule",)
TOLERANCE, KEEPS_BITS = 0.01, True
MORE = {
    "test/Simulator/Plans/Inputs/plans.tile": [
        ("mixed", "BN=16", [{**{name: (75, 64) for name in "kvw"}, "q": (70, 64), "limit": 20}]),
        ("mixed", "BN=16 STAGES=1", [{**{name: (75, 64) for name in "kvw"}, "q": (70, 64), "limit": 20}]),
        ("staged", "", [{"q": (70, 64), "k": (200, 64), "v": (200, 64)}]),
        ("carried", "", [{"q": (70, 64), "k": (200, 64), "v": (200, 64), "decay": 0.5}]),
        ("sums", "", [{"q": (70, 320), "k": (320, 64), "v": (320, 64)}]),
        ("staged", "STAGES=1", [{"q": (40, 64), "k": (200, 64), "v": (200, 64)}]),
    ],
}
PLANS_VARIANTS = True
MOST_REFUSALS, MAY_HAVE_NO_OTHER = 5000, False

SCHEDULE = re.compile(r"#sm\.schedule<(\d+), (\d+)>")
ERROR = re.compile(r":(\d+):\d+: error: '[\w.]+' op (.*)")
NOTE = re.compile(r":(\d+):\d+: note: (.*)")
EARLY = "runs too early: expected it after the op that it depends on"
STAGES = "has another stage than its"
NOW = "cannot run an iteration late"
TURN = "may wait for warpgroups that wait for this turn"
# Values that a delayed operation keeps for another iteration take shared memory, which later passes count.
TOO_LARGE = re.compile(r"(?:needs|has a plan of) \d+ bytes of shared memory")


def read(text):
    return Plan(Text(text)) if SCHEDULE.search(text) else None


class Text:
    """IR with schedules, which are numbered in the order of the text.

    loops: for each planned loop the schedules of its body
    schedule_at: the schedule of the operation that begins at a line
    values: pairs of schedules; the second operation has a result of the first as operand
    awaits, passes: the schedules of sm.mma.await and of sm.pingpong.pass
    """

    def __init__(self, text):
        self.parts = SCHEDULE.split(text)[::3]
        self.schedules = [(int(stage), int(order)) for stage, order in SCHEDULE.findall(text)]
        lines = text.splitlines()
        self.loops, self.schedule_at, self.values, self.awaits, self.passes = {}, {}, set(), set(), set()
        definitions = {}
        schedule = 0
        for end, line in enumerate(lines):
            if not SCHEDULE.search(line):
                continue
            # An operation with regions has its schedule after the last `}`: go up to its first line.
            number = end
            while lines[number].lstrip().startswith("}"):
                number = find_above(lines, number, lambda own, other: other == own)
            self.schedule_at[number + 1] = schedule
            if " = sm.mma.await " in lines[number]:
                self.awaits.add(schedule)
            if "sm.pingpong.pass" in lines[number]:
                self.passes.add(schedule)
            loop = find_above(lines, number, lambda own, other: other < own)
            self.loops.setdefault(loop, []).append(schedule)
            names = re.findall(r"%[\w]+", "".join(lines[number:end + 1]))
            self.values |= {(definitions[loop, name], schedule) for name in names if (loop, name) in definitions}
            if result := re.match(r" *(%\w+)(:\d+)? = ", lines[number]):
                definitions[loop, result.group(1)] = schedule
            schedule += 1
        self.loops = list(self.loops.values())

    def write(self, schedules):
        """Returns the text with other schedules: pairs, or the name of an attribute in place of the schedule."""
        attributes = [schedule if isinstance(schedule, str) else f"#sm.schedule<{schedule[0]}, {schedule[1]}>"
                      for schedule in schedules]
        text = "".join(part + attribute for part, attribute in zip(self.parts, attributes + [""]))
        return re.sub(r"sm\.schedule = (?!#)", "", text)


def find_above(lines, number, is_it):
    """Returns the nearest line above `number` for which is_it(indent of `number`, its own indent) holds."""
    indent = [len(line) - len(line.lstrip()) for line in lines]
    return next(above for above in range(number - 1, -1, -1) if is_it(indent[number], indent[above]))


class Rules:
    """The known constraints of plans.

    same: pairs of schedules; the second runs after the first of the same iteration
    before: pairs of schedules; the second runs after the first of the previous iteration
    together: pairs of schedules with the same stage
    now: schedules of stage 0
    outside: pairs of the start of a turn and a schedule that must not run during the turn
    """

    def __init__(self, text):
        self.same, self.before, self.together = set(text.values), set(), set()
        self.now, self.outside, self.passes = set(), set(), text.passes

    def learn(self, text, stderr):
        """Adds a constraint from the error of sm-apply-schedule.

        Returns its schedules, or None if the error is of an unknown kind or the constraint is known already.
        """
        error, note = ERROR.search(stderr), NOTE.search(stderr)
        if not error or not note:
            return None
        schedule = text.schedule_at.get(int(error.group(1)))
        if error.group(2).startswith(NOW):
            self.now.add(schedule)
            return schedule,
        pair = text.schedule_at[int(note.group(1))], schedule
        rules = (self.outside if error.group(2).startswith(TURN) else
                 self.together if error.group(2).startswith(STAGES) else
                 None if not error.group(2).startswith(EARLY) else
                 self.before if "iteration" in error.group(2) else self.same)
        if rules is None or pair in rules:
            return None
        rules.add(pair)
        return pair

    def find_delayed(self, seeds):
        """Returns the schedules of stage 1 if `seeds` have stage 1."""
        delayed = set(seeds)
        while True:
            more = {after for before, after in self.same if before in delayed}
            more |= {one for pair in self.together for one in pair if delayed & set(pair)}
            if more <= delayed:
                return delayed
            delayed |= more

    def find_edges(self, delayed, priority):
        """Returns pairs of schedules; the first runs before the second in each iteration of the planned loop.

        The priority decides whether a schedule that must not run during a turn runs before or after it.
        """
        edges = {(schedule, take) if priority.get(schedule, 0) < priority.get(take, 0) else
                 (min(other for other in self.passes if other > take), schedule) for take, schedule in self.outside}
        edges |= {(before, after) for before, after in self.same if (before in delayed) == (after in delayed)}
        return edges | {(before, after) for before, after in self.before if before in delayed and after not in delayed}


def sort(loop, edges, priority):
    """Returns the schedules of a loop in topological order; among ready schedules, the lowest priority comes first.

    Returns None if the edges form a cycle.
    """
    after = {schedule: [] for schedule in loop}
    waits = dict.fromkeys(loop, 0)
    for one, other in edges:
        if one in after and other in after:
            after[one].append(other)
            waits[other] += 1
    ready = [schedule for schedule in loop if not waits[schedule]]
    order = []
    while ready:
        schedule = min(ready, key=priority.get)
        ready.remove(schedule)
        order.append(schedule)
        for other in after[schedule]:
            waits[other] -= 1
            if not waits[other]:
                ready.append(other)
    return order if len(order) == len(loop) else None


class Plan:
    """The schedules of a text; the plans that are drawn from one text share their constraints."""

    def __init__(self, text, rules=None, schedules=None):
        self.text, self.rules, self.schedules = text, rules or Rules(text), schedules or text.schedules

    def write(self):
        return self.text.write(self.schedules)

    def draw(self, rng):
        """Returns a random plan that obeys the constraints, or None if its stages cannot obey them."""
        schedules = list(self.schedules)
        for loop in self.text.loops:
            delayed = set()
            if rng.random() < 0.7:
                delayed = self.rules.find_delayed(rng.sample(loop, rng.randint(1, 3))) & set(loop)
            if delayed & self.rules.now:
                return None
            # With a small factor most operations keep the order of the compiler.
            chaos = rng.choice([0.1, 0.5, 1, 10])
            most = max(order for _, order in schedules)
            priority = {schedule: self.schedules[schedule][1] / most + chaos * rng.random() for schedule in loop}
            order = sort(loop, self.rules.find_edges(delayed, priority), priority)
            if order is None:
                return None
            # Orders need not be dense.
            step = rng.choice([1, 1, 3])
            for place, schedule in enumerate(order):
                schedules[schedule] = int(schedule in delayed), place * step
        return Plan(self.text, self.rules, schedules)

    def mutate(self, rng):
        """Changes one field of one schedule, or removes the schedule; returns the plan and the kind of change."""
        schedules = [(stage, 2 * order + 1) for stage, order in self.schedules]
        schedule = rng.randrange(len(schedules))
        stage, order = schedules[schedule]
        change = rng.choice(["stage", "order", "order", "order", "duplicate", "none"])
        if schedule in self.text.awaits and rng.random() < 0.3:
            change = "after"
        loop = next(loop for loop in self.text.loops if schedule in loop)
        if change == "stage":
            schedules[schedule] = 1 - stage, order
        elif change == "order":
            last = max(schedules[other][1] for other in loop) + 2
            near = [order + move for move in range(-7, 8, 2) if order + move >= 0]
            schedules[schedule] = stage, rng.choice(near + [rng.randrange(0, last, 2)])
        elif change == "duplicate":
            schedules[schedule] = stage, rng.choice([schedules[other][1] for other in loop if other != schedule])
        else:
            schedules[schedule] = {"none": "unplanned", "after": "sm.after_loop"}[change]
        return Plan(self.text, self.rules, schedules), change

    def expects(self, refusal):
        """Learns from an error of sm-apply-schedule; returns whether it is new, or the lack of shared memory."""
        return TOO_LARGE.search(refusal) or self.rules.learn(self.text, refusal)

    def traits(self):
        return ["with delayed ops"] if any(stage for stage, _ in self.schedules) else []

    def summary(self):
        rules = self.rules
        return (f"{len(self.text.loops)} loops of {len(self.schedules)} schedules,"
                f" {len(rules.same)} + {len(rules.before)} + {len(rules.together)} constraints")
