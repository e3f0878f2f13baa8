# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans of kernels (`#sm.plan`: roles, rings and stores) in the text of phase `plan`."""

import copy
import dataclasses
import re

import numpy as np


def draw_bytes(*shape):
    return np.random.default_rng(7).integers(-128, 128, shape).astype(np.int8)


PHASE, PHASES, BEFORE = "plan", "specialize,fence", ("plan",)
TOLERANCE, KEEPS_BITS = 0.01, False
# Kernels in which a role transforms operands, and gradients whose warpgroups exchange tiles by a ring.
MORE = {
    "gpu/experiments/computed_operands.tile": [
        ("int4_weights", "BM=128 BN=64", [{"x": (150, 2, 96), "w": draw_bytes(72, 96), "scale": (72,)}]),
        ("group_weights", "BM=64 BN=64 WARPGROUPS=1",
         [{"x": (70, 208), "w": draw_bytes(72, 208), "scale": (4, 72)}]),
    ],
    "examples/11-attention-backward/kernel.tile": [
        ("attention_bwd", "DK=64 DV=64 BM=64 BN=128 TURNS=true",
         [{**{name: (1, 2, 130, 64) for name in ("q", "do")}, **{name: (1, 1, 100, 64) for name in "kv"},
           "shift": np.full((1, 2, 132), 8.0), "delta": (1, 2, 132), "scale": 0.1,
           "sums": np.zeros((1, 2, 3, 64, 64))}]),
    ],
}
PLANS_VARIANTS = False
MOST_REFUSALS, MAY_HAVE_NO_OTHER = 200, False

PLAN = re.compile(r"\n +plan<(.*?)>(?= (?:\{|attributes))", re.S)
NAME = re.compile(r' \{sm\.plan_entry = "([^"]*)"\}')
STORING = re.compile(r"sm\.(store|atomic \w+) ")
ROLE = re.compile(r"(\w+) : warps (-?\d+) registers (-?\d+)( elected)?(?: turns (-?\d+))?")
RING = re.compile(r"(\w+) : slots (-?\d+) (tma|threads|math|transform)")
STORE = re.compile(r"(\w+) : (buffers|slots) (-?\d+)(?: store|(?=[,\]]))")

# The reasons for refusing a plan that was drawn without a look at memory and at the ends of tiles.
UNFIT = re.compile(r"(?:needs|has a plan of) \d+ bytes of shared memory|it may end before the tensor does")
# Warps of a warpgroup, and the granularity of register counts.
GROUP = 4
STEP = 8


def read(text):
    return Plan(text) if "roles = [" in text else None


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
    """A plan. `names` has the entry of the plan that each operation names, or None, in the order of the text."""

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
        """Removes an entry; the operations that name it keep their place in the text."""
        arrives = entry in self.rings
        (self.rings if arrives else self.stores).remove(entry)
        # A store may have the name of a ring: lines of stores name stores.
        self.names = [None if name == entry.name and (not STORING.search(line)) == arrives else name
                      for name, line in zip(self.names, self.named)]

    def fit_roles(self, rng):
        """Gives the loading roles one warpgroup, and all roles together the registers of a launch."""
        load, math = self.roles[0], self.roles[-1]
        fetches = any(ring.kind == "threads" for ring in self.rings)
        # Vectors that operations of arith name are computed by one warp.
        computes = any(name and "arith." in line for name, line in zip(self.names, self.named))
        stores = any(store.by_role for store in self.stores)
        fetch_warps = 0 if not fetches else 1 if computes else rng.randint(1, GROUP - 1 - stores)
        load.warps = GROUP - fetch_warps - stores
        load.registers = rng.choice([24, 32, 40])
        transforms = any(ring.kind == "transform" for ring in self.rings)
        transform_warps = rng.choice([GROUP, 2 * GROUP]) if transforms else 0
        transform = Role("transform", transform_warps, STEP * rng.randint(9, 13), False, 1)
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

    def draw(self, rng):
        """Returns another plan, which may take too much shared memory."""
        drawn = copy.deepcopy(self)
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
        # Tiles outside of rings take memory of their own.
        drawn.rest += rng.choice([0, 16384, 65536])
        return drawn

    def mutate(self, rng):
        """Changes one field; returns the plan and the name of the field."""
        mutant = copy.deepcopy(self)
        entry = rng.choice(mutant.roles + mutant.rings + mutant.stores)
        field = rng.choice(["number", "number", "number", "op", "op", "entry", "flag", "rest"])
        if field == "number":
            field = rng.choice([field.name for field in dataclasses.fields(entry) if field.type in (int, "int")])
            old = getattr(entry, field)
            setattr(entry, field, rng.choice([0, old - 8, old - 1, old + 1, old + 8, 2 * old, 1000]))
        elif field == "op":
            index = rng.randrange(len(mutant.names))
            mutant.names[index] = rng.choice([None, "nothing", *(e.name for e in mutant.rings + mutant.stores)])
        elif field == "entry":
            for part in (mutant.roles, mutant.rings, mutant.stores):
                if entry in part:
                    part.remove(entry)
        elif field == "flag":
            if isinstance(entry, Role):
                entry.elected = not entry.elected
            elif isinstance(entry, Store):
                entry.by_role = not entry.by_role
            else:
                entry.kind = rng.choice([kind for kind in ("tma", "threads", "math", "transform") if kind != entry.kind])
        else:
            mutant.rest = rng.choice([0, mutant.rest // 2, mutant.rest + 8, 300000])
        return mutant, field

    def expects(self, refusal):
        return UNFIT.search(refusal)

    def traits(self):
        return []

    def summary(self):
        return f"{len(self.rings)} rings, {len(self.stores)} stores"
