"""Reads, changes and writes the plan of a kernel (`#sm.plan`) in the text of phase `plan`."""

import copy
import dataclasses
import re

PLAN = re.compile(r"\n +plan<(.*?)>(?= (?:\{|attributes))", re.S)
NAME = re.compile(r' \{sm\.plan_entry = "([^"]*)"\}')
STORING = re.compile(r"sm\.(store|atomic_add) ")
ROLE = re.compile(r"(\w+) : warps (-?\d+) registers (-?\d+)( elected)?(?: turns (-?\d+))?")
RING = re.compile(r"(\w+) : slots (-?\d+) (tma|threads|math|transform)")
STORE = re.compile(r"(\w+) : (buffers|slots) (-?\d+)(?: store|(?=[,\]]))")

# Of warpgroups, and what 65536 registers are handed out in.
GROUP = 4
STEP = 8


@dataclasses.dataclass
class Role:
    name: str
    warps: int
    registers: int
    elected: bool
    turns: int

    def write(self):
        return (f"{self.name} : warps {self.warps} registers {self.registers}{' elected' * self.elected}"
                + f" turns {self.turns}" * (self.turns != 1))


@dataclasses.dataclass
class Ring:
    name: str
    slots: int
    kind: str

    def write(self):
        return f"{self.name} : slots {self.slots} {self.kind}"


@dataclasses.dataclass
class Store:
    name: str
    count: int
    by_role: bool

    def write(self):
        return f"{self.name} : slots {self.count} store" if self.by_role else f"{self.name} : buffers {self.count}"


class Plan:
    """A plan, and by number of the op in the text what each op names (None: nothing any more)."""

    def __init__(self, text):
        self.text = text
        body = PLAN.search(text)[1]
        self.roles = [Role(name, int(warps), int(registers), bool(elected), int(turns or 1))
                      for name, warps, registers, elected, turns in ROLE.findall(body)]
        self.rings = [Ring(name, int(slots), kind) for name, slots, kind in RING.findall(body)]
        self.stores = [Store(name, int(count), what == "slots") for name, what, count in STORE.findall(body)]
        rest = re.search(r"rest = (\d+)", body)
        self.rest = int(rest[1]) if rest else 0
        self.names = NAME.findall(text)
        self.named = [line for line in text.splitlines() if NAME.search(line)]
        lines = text[:PLAN.search(text).start()].rsplit("sm.kernel", 1)[1]
        self.is_persistent = " persistent " in lines
        self.loaded = {match[1] for match in re.finditer(r'sm\.load .*\{sm\.plan_entry = "([^"]*)"\}', text)}

    def clone(self):
        return copy.deepcopy(self)

    def write(self):
        lists = [(key, entries) for key, entries in
                 (("roles", self.roles), ("rings", self.rings), ("stores", self.stores)) if entries]
        parts = [f"{key} = [{', '.join(entry.write() for entry in entries)}]" for key, entries in lists]
        parts += [f"rest = {self.rest}"]
        text = PLAN.sub("\n    plan<" + ",\n         ".join(parts) + ">", self.text, count=1)
        names = iter(self.names)

        def write_name(_):
            name = next(names)
            return "" if name is None else f' {{sm.plan_entry = "{name}"}}'

        return NAME.sub(write_name, text)

    def forget(self, entry):
        """Takes an entry out, and lets ops that name it stay where they stand."""
        arrives = entry in self.rings
        (self.rings if arrives else self.stores).remove(entry)
        # A store may be called like a ring: what is stored stands in lines of stores.
        self.names = [None if name == entry.name and (not STORING.search(line)) == arrives else name
                      for name, line in zip(self.names, self.named)]

    def fit_roles(self, rng):
        """Gives the roles that load a warpgroup, and all roles what a launch has."""
        load, math = self.roles[0], self.roles[-1]
        fetches = any(ring.kind == "threads" for ring in self.rings)
        # One warp alone computes rows, which arith ops name.
        computes = any(name and "arith." in line for name, line in zip(self.names, self.named))
        stores = any(store.by_role for store in self.stores)
        fetch_warps = 0 if not fetches else 1 if computes else rng.randint(1, GROUP - 1 - stores)
        load.warps = GROUP - fetch_warps - stores
        load.registers = rng.choice([24, 32, 40])
        transforms = any(ring.kind == "transform" for ring in self.rings)
        transform = Role("transform", rng.choice([GROUP, 2 * GROUP]) if transforms else 0, STEP * rng.randint(9, 13), False, 1)
        hands_over = stores or transforms or any(ring.kind == "math" for ring in self.rings)
        math.turns = 1 if hands_over else math.turns
        if self.is_persistent and math.warps == GROUP and not hands_over:
            math.turns = rng.randint(1, 3)
        warps = GROUP + transform.warps + math.warps * math.turns
        at_entry = 65536 // (32 * warps) // STEP * STEP
        taken = load.registers * GROUP + transform.registers * transform.warps
        most = min(256, (at_entry * warps - taken) // (math.warps * math.turns) // STEP * STEP)
        math.registers = max(24, most - STEP * rng.randint(0, 8))
        self.roles = [load, math]
        if fetches:
            self.roles.insert(1, Role("fetch", fetch_warps, load.registers, False, 1))
        if stores:
            self.roles.insert(-1, Role("store", 1, load.registers, True, 1))
        if transforms:
            self.roles.insert(-1, transform)


def draw(plan, rng):
    """Another plan, which may take too much shared memory."""
    drawn = plan.clone()
    for ring in list(drawn.rings):
        ring.slots = rng.randint(1, 4)
        others = [other for other in drawn.rings if other is not ring and other.kind == "tma"]
        is_likely = ring.name in drawn.loaded or ring.kind in ("math", "transform")
        if rng.random() < (0.3 if is_likely else 0.1) and others:
            drawn.forget(ring)
    for store in list(drawn.stores):
        store.count = rng.randint(1, 4)
        if rng.random() < 0.3:
            store.by_role = not store.by_role
        if rng.random() < 0.2:
            drawn.forget(store)
    drawn.fit_roles(rng)
    # What stays where it stands takes memory of its own.
    drawn.rest += rng.choice([0, 16384, 65536])
    return drawn


def mutate(plan, rng):
    """Changes one field, whatever comes of it; returns the plan and what was changed."""
    mutant = plan.clone()
    entries = mutant.roles + mutant.rings + mutant.stores
    entry = rng.choice(entries)
    kind = rng.choice(["number", "number", "number", "op", "op", "entry", "flag", "rest"])
    if kind == "number":
        field = rng.choice([field.name for field in dataclasses.fields(entry) if field.type in (int, "int")])
        old = getattr(entry, field)
        setattr(entry, field, rng.choice([0, old - 8, old - 1, old + 1, old + 8, 2 * old, 1000]))
        kind = field
    elif kind == "op":
        index = rng.randrange(len(mutant.names))
        mutant.names[index] = rng.choice([None, "nothing", *(e.name for e in mutant.rings + mutant.stores)])
    elif kind == "entry":
        for part in (mutant.roles, mutant.rings, mutant.stores):
            if entry in part:
                part.remove(entry)
    elif kind == "flag":
        if isinstance(entry, Role):
            entry.elected = not entry.elected
        elif isinstance(entry, Store):
            entry.by_role = not entry.by_role
        else:
            entry.kind = rng.choice([kind for kind in ("tma", "threads", "math", "transform") if kind != entry.kind])
    else:
        mutant.rest = rng.choice([0, mutant.rest // 2, mutant.rest + 8, 300000])
    return mutant, kind
