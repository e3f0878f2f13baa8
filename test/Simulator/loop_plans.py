"""Reads the plans of loops in the text of phase `schedule`, and makes other plans.

A plan says in which order ops run, and which of them run an iteration late; both are drawn at random. The
generator starts with one kind of rule: an op runs after those whose values it takes. All other rules it
learns from errors of sm-place-events, which name the ops that a plan has in the wrong order. So it obeys
no rule that the pass does not check, and illegal plans that the pass accepts by mistake get drawn.
"""

import re
import subprocess

EVENT = re.compile(r"#sm\.event<(\d+), (\d+)>")
ERROR = re.compile(r":(\d+):\d+: error: '[\w.]+' op (.*)")
NOTE = re.compile(r":(\d+):\d+: note: (.*)")
EARLY = "runs too early: expected it after the op that it depends on"
STAGES = "has another stage than its"
NOW = "cannot run an iteration late"
TURN = "may wait for warpgroups that wait for this turn"


class Text:
    """IR with events, which are numbered in the order of the text.

    loops: for each planned loop the events of its body
    event_at: the event of the op that begins at a line
    values: pairs of events; the second takes a value that the first computes
    awaits, passes: the events of sm.mma.await and of sm.turn.pass
    """

    def __init__(self, text):
        self.parts = EVENT.split(text)[::3]
        self.events = [(int(stage), int(order)) for stage, order in EVENT.findall(text)]
        lines = text.splitlines()
        self.loops, self.event_at, self.values, self.awaits, self.passes = {}, {}, set(), set(), set()
        definitions = {}
        event = 0
        for end, line in enumerate(lines):
            if not EVENT.search(line):
                continue
            # An op with regions has its event at the end, after a `}`: go up to the line where it begins.
            number = end
            while lines[number].lstrip().startswith("}"):
                number = find_above(lines, number, lambda own, other: other == own)
            self.event_at[number + 1] = event
            if " = sm.mma.await " in lines[number]:
                self.awaits.add(event)
            if "sm.turn.pass" in lines[number]:
                self.passes.add(event)
            loop = find_above(lines, number, lambda own, other: other < own)
            self.loops.setdefault(loop, []).append(event)
            names = re.findall(r"%[\w]+", "".join(lines[number:end + 1]))
            self.values |= {(definitions[loop, name], event) for name in names if (loop, name) in definitions}
            if result := re.match(r" *(%\w+)(:\d+)? = ", lines[number]):
                definitions[loop, result.group(1)] = event
            event += 1
        self.loops = list(self.loops.values())

    def write(self, events):
        """The text with other events: pairs, or the name of an attribute that an op has instead."""
        said = [event if isinstance(event, str) else f"#sm.event<{event[0]}, {event[1]}>" for event in events]
        text = "".join(part + event for part, event in zip(self.parts, said + [""]))
        return re.sub(r"sm\.event = (?!#)", "", text)


def find_above(lines, number, is_it):
    """The nearest line above `number` for which is_it(indent of `number`, its own indent) holds."""
    indent = [len(line) - len(line.lstrip()) for line in lines]
    return next(above for above in range(number - 1, -1, -1) if is_it(indent[number], indent[above]))


class Rules:
    """The rules that plans must obey, as far as they are known.

    same: pairs of events; the second runs after the first of the same iteration
    before: the same, with the first in the iteration before
    together: pairs that have the same stage
    now: events that cannot be late
    outside: pairs of a taken turn and an event that must not run during it
    """

    def __init__(self, text):
        self.same, self.before, self.together = set(text.values), set(), set()
        self.now, self.outside, self.passes = set(), set(), text.passes

    def learn(self, text, stderr):
        """Learns a rule from the errors of sm-place-events, and returns its events. Returns None if the error
        is of an unknown kind, or the rule was known already."""
        error, note = ERROR.search(stderr), NOTE.search(stderr)
        if not error or not note:
            return None
        event = text.event_at[int(error.group(1))]
        if error.group(2).startswith(NOW):
            self.now.add(event)
            return event,
        pair = text.event_at[int(note.group(1))], event
        rules = (self.outside if error.group(2).startswith(TURN) else
                 self.together if error.group(2).startswith(STAGES) else
                 None if not error.group(2).startswith(EARLY) else
                 self.before if "iteration" in error.group(2) else self.same)
        if rules is None or pair in rules:
            return None
        rules.add(pair)
        return pair

    def find_late(self, seeds):
        """The events that have to be late if `seeds` are."""
        late = set(seeds)
        while True:
            more = {after for before, after in self.same if before in late}
            more |= {one for pair in self.together for one in pair if late & set(pair)}
            if more <= late:
                return late
            late |= more

    def find_edges(self, late, priority):
        """Pairs of events; the first runs before the second in each iteration of the planned loop. An event
        that must not run during a turn runs before or after it, as its priority says."""
        edges = {(event, take) if priority.get(event, 0) < priority.get(take, 0) else
                 (min(other for other in self.passes if other > take), event) for take, event in self.outside}
        edges |= {(before, after) for before, after in self.same if (before in late) == (after in late)}
        return edges | {(before, after) for before, after in self.before if before in late and after not in late}


def sort(loop, edges, priority):
    """The events of a loop in an order that the edges permit; among events that could be next, the lowest
    priority comes first. None if the edges form a cycle."""
    after = {event: [] for event in loop}
    waits = dict.fromkeys(loop, 0)
    for one, other in edges:
        if one in after and other in after:
            after[one].append(other)
            waits[other] += 1
    ready = [event for event in loop if not waits[event]]
    order = []
    while ready:
        event = min(ready, key=priority.get)
        ready.remove(event)
        order.append(event)
        for other in after[event]:
            waits[other] -= 1
            if not waits[other]:
                ready.append(other)
    return order if len(order) == len(loop) else None


def draw(text, rules, rng):
    """The events of a random plan that obeys the rules; None if what was drawn cannot obey them."""
    events = list(text.events)
    for loop in text.loops:
        late = set()
        if rng.random() < 0.7:
            late = rules.find_late(rng.sample(loop, rng.randint(1, 3))) & set(loop)
        if late & rules.now:
            return None
        # The less chaos, the more of the compiler's order stays.
        chaos = rng.choice([0.1, 0.5, 1, 10])
        most = max(order for _, order in events)
        priority = {event: text.events[event][1] / most + chaos * rng.random() for event in loop}
        order = sort(loop, rules.find_edges(late, priority), priority)
        if order is None:
            return None
        # Orders need not be dense.
        step = rng.choice([1, 1, 3])
        for place, event in enumerate(order):
            events[event] = int(event in late), place * step
    return events


def mutate(text, rng):
    """Changes one field of one event, or removes the event. Returns the events and the kind of change."""
    events = [(stage, 2 * order + 1) for stage, order in text.events]
    event = rng.randrange(len(events))
    stage, order = events[event]
    what = rng.choice(["stage", "order", "order", "order", "duplicate", "none"])
    if event in text.awaits and rng.random() < 0.3:
        what = "after"
    loop = next(loop for loop in text.loops if event in loop)
    if what == "stage":
        events[event] = 1 - stage, order
    elif what == "order":
        last = max(events[other][1] for other in loop) + 2
        near = [order + move for move in range(-7, 8, 2) if order + move >= 0]
        events[event] = stage, rng.choice(near + [rng.randrange(0, last, 2)])
    elif what == "duplicate":
        events[event] = stage, rng.choice([events[other][1] for other in loop if other != event])
    else:
        events[event] = {"none": "unplanned", "after": "sm.after_loop"}[what]
    return events, what


def place(text, events, file):
    """Writes a plan and runs sm-place-events; returns its errors, or an empty string if it accepts."""
    file.write_text(text.write(events))
    done = subprocess.run(["tile-opt", "--pass-pipeline=builtin.module(sm.kernel(sm-place-events))",
                           "--mlir-print-op-on-diagnostic=false", file, "-o", "/dev/null"],
                          capture_output=True, text=True)
    if done.returncode and not ERROR.search(done.stderr):
        raise RuntimeError(f"tile-opt {file} ends with {done.returncode}:\n{done.stderr}")
    return done.stderr if done.returncode else ""
