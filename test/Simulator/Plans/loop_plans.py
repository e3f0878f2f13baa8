"""Reads the plans of loops in the text of phase `schedule`, and makes other plans.

A plan says in which order ops run, and which of them run an iteration late; both are drawn at random. The
generator starts with one kind of rule: an op runs after those whose values it takes. All other rules it
learns from errors of sm-apply-schedule, which name the ops that a plan has in the wrong order. So it obeys
no rule that the pass does not check, and illegal plans that the pass accepts by mistake get drawn.
"""

import re
import subprocess

SCHEDULE = re.compile(r"#sm\.schedule<(\d+), (\d+)>")
ERROR = re.compile(r":(\d+):\d+: error: '[\w.]+' op (.*)")
NOTE = re.compile(r":(\d+):\d+: note: (.*)")
EARLY = "runs too early: expected it after the op that it depends on"
STAGES = "has another stage than its"
NOW = "cannot run an iteration late"
TURN = "may wait for warpgroups that wait for this turn"


class Text:
    """IR with schedules, which are numbered in the order of the text.

    loops: for each planned loop the schedules of its body
    schedule_at: the schedule of the op that begins at a line
    values: pairs of schedules; the second takes a value that the first computes
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
            # An op with regions has its schedule at the end, after a `}`: go up to the line where it begins.
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
        """The text with other schedules: pairs, or the name of an attribute that an op has instead."""
        said = [schedule if isinstance(schedule, str) else f"#sm.schedule<{schedule[0]}, {schedule[1]}>" for schedule in schedules]
        text = "".join(part + schedule for part, schedule in zip(self.parts, said + [""]))
        return re.sub(r"sm\.schedule = (?!#)", "", text)


def find_above(lines, number, is_it):
    """The nearest line above `number` for which is_it(indent of `number`, its own indent) holds."""
    indent = [len(line) - len(line.lstrip()) for line in lines]
    return next(above for above in range(number - 1, -1, -1) if is_it(indent[number], indent[above]))


class Rules:
    """The rules that plans must obey, as far as they are known.

    same: pairs of schedules; the second runs after the first of the same iteration
    before: the same, with the first in the iteration before
    together: pairs that have the same stage
    now: schedules that cannot be late
    outside: pairs of a taken turn and a schedule that must not run during it
    """

    def __init__(self, text):
        self.same, self.before, self.together = set(text.values), set(), set()
        self.now, self.outside, self.passes = set(), set(), text.passes

    def learn(self, text, stderr):
        """Learns a rule from the errors of sm-apply-schedule, and returns its schedules. Returns None if the error
        is of an unknown kind, or the rule was known already."""
        error, note = ERROR.search(stderr), NOTE.search(stderr)
        if not error or not note:
            return None
        schedule = text.schedule_at[int(error.group(1))]
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

    def find_late(self, seeds):
        """The schedules that have to be late if `seeds` are."""
        late = set(seeds)
        while True:
            more = {after for before, after in self.same if before in late}
            more |= {one for pair in self.together for one in pair if late & set(pair)}
            if more <= late:
                return late
            late |= more

    def find_edges(self, late, priority):
        """Pairs of schedules; the first runs before the second in each iteration of the planned loop. A schedule
        that must not run during a turn runs before or after it, as its priority says."""
        edges = {(schedule, take) if priority.get(schedule, 0) < priority.get(take, 0) else
                 (min(other for other in self.passes if other > take), schedule) for take, schedule in self.outside}
        edges |= {(before, after) for before, after in self.same if (before in late) == (after in late)}
        return edges | {(before, after) for before, after in self.before if before in late and after not in late}


def sort(loop, edges, priority):
    """The schedules of a loop in an order that the edges permit; among schedules that could be next, the lowest
    priority comes first. None if the edges form a cycle."""
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


def draw(text, rules, rng):
    """The schedules of a random plan that obeys the rules; None if what was drawn cannot obey them."""
    schedules = list(text.schedules)
    for loop in text.loops:
        late = set()
        if rng.random() < 0.7:
            late = rules.find_late(rng.sample(loop, rng.randint(1, 3))) & set(loop)
        if late & rules.now:
            return None
        # The less chaos, the more of the compiler's order stays.
        chaos = rng.choice([0.1, 0.5, 1, 10])
        most = max(order for _, order in schedules)
        priority = {schedule: text.schedules[schedule][1] / most + chaos * rng.random() for schedule in loop}
        order = sort(loop, rules.find_edges(late, priority), priority)
        if order is None:
            return None
        # Orders need not be dense.
        step = rng.choice([1, 1, 3])
        for place, schedule in enumerate(order):
            schedules[schedule] = int(schedule in late), place * step
    return schedules


def mutate(text, rng):
    """Changes one field of one schedule, or removes the schedule. Returns the schedules and the kind of change."""
    schedules = [(stage, 2 * order + 1) for stage, order in text.schedules]
    schedule = rng.randrange(len(schedules))
    stage, order = schedules[schedule]
    what = rng.choice(["stage", "order", "order", "order", "duplicate", "none"])
    if schedule in text.awaits and rng.random() < 0.3:
        what = "after"
    loop = next(loop for loop in text.loops if schedule in loop)
    if what == "stage":
        schedules[schedule] = 1 - stage, order
    elif what == "order":
        last = max(schedules[other][1] for other in loop) + 2
        near = [order + move for move in range(-7, 8, 2) if order + move >= 0]
        schedules[schedule] = stage, rng.choice(near + [rng.randrange(0, last, 2)])
    elif what == "duplicate":
        schedules[schedule] = stage, rng.choice([schedules[other][1] for other in loop if other != schedule])
    else:
        schedules[schedule] = {"none": "unplanned", "after": "sm.after_loop"}[what]
    return schedules, what


def place(text, schedules, file):
    """Writes a plan and runs sm-apply-schedule; returns its errors, or an empty string if it accepts."""
    file.write_text(text.write(schedules))
    done = subprocess.run(["tile-opt", "--pass-pipeline=builtin.module(sm.kernel(sm-apply-schedule))",
                           "--mlir-print-op-on-diagnostic=false", file, "-o", "/dev/null"],
                          capture_output=True, text=True)
    if done.returncode and not ERROR.search(done.stderr):
        raise RuntimeError(f"tile-opt {file} ends with {done.returncode}:\n{done.stderr}")
    return done.stderr if done.returncode else ""
