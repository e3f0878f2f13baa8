# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs as text, with all constructs of the language; and smaller programs that fail in the same way."""

import dataclasses
import re
import sys
import pathlib
from random import Random

from .scope import INT, Entry, Impossible, Span
from .statements import Statements

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
import numpy as np  # noqa: E402

import SecondOpinion  # noqa: E402

# The largest error of a result relative to its magnitude; a larger error gives no information.
WORST = 1e-2
DECLARATION = re.compile(r"^( *let \w+ = )(.+);$", re.M)
# A loop that adds sums, whose terms the compiler may add in any order to what the loop carries.
ADDS_SUMS = re.compile(r"\bfor\b.*[-+]=? \(*sum\(", re.S)
SMOOTH = re.compile(r"\b(exp|exp2|log|log2|tanh|sigmoid)\(")


@dataclasses.dataclass
class TextProgram:
    """A program. `expected` has the results of the second opinion, and `errors` a bound of the error for each
    result."""

    # Whether a refusal for lack of registers is a finding.
    fits_registers = False

    text: str
    arguments: dict
    defines: dict
    expected: dict = None
    errors: dict = None

    def evaluate(self):
        self.expected, self.errors = SecondOpinion.evaluate(self.text, self.arguments, None, self.defines)
        return self

    def tolerances(self):
        """Returns the tolerances of the results."""
        folds = SMOOTH.search(self.text) and "fold_exp2 = false" not in self.text
        # Each addition is rounded to a narrow type, also where an intermediate sum is much larger than the result.
        adds_narrow = ADDS_SUMS.search(self.text) and re.search(r"\b(bf16|f16|f8e\w+)\b", self.text)
        result = {}
        for name, error in self.errors.items():
            value = self.expected[name]
            if folds and value.dtype.kind == "f":
                # A factor may be folded into any value, and taken out again.
                error += 2.0**-19 * SecondOpinion.bounds.magnitude(value)
            if adds_narrow and value.dtype.kind == "f":
                error = np.inf
            result[name] = 2 * error
        return result


def make_constants(writer):
    """Adds compile-time parameters; their defaults may use earlier ones."""
    extents = [n for n in (4, 8, 16, 32, 12)]
    for _ in range(writer.random.randint(0, 3)):
        value = writer.pick(extents)
        known = [(name, e.value) for name, e in writer.entries()
                 if isinstance(e.value, int) and not isinstance(e.value, bool)]
        text = str(value)
        if known and writer.chance(0.5):
            name, old = writer.pick(known)
            text, value = writer.pick([(f"{name} * 2", old * 2), (f"{name} + 4", old + 4),
                                       (f"32 - {name} / 2", 32 - old // 2)])
        writer.constant("int", text, value)
    if writer.chance(0.3):
        writer.constant("float", writer.pick(["0.5", "2.0", "1"]), None)
    if writer.chance(0.4):
        known = [name for name, e in writer.entries() if isinstance(e.value, int)]
        is_compared = known and writer.chance(0.5)
        writer.constant("bool", f"({writer.pick(known)} > 8)" if is_compared else writer.pick(["true", "false"]), None)
    if writer.chance(0.4):
        dtype = writer.pick(["f32", "f16", "bf16", "i32", "i8"])
        writer.constant("type", dtype, dtype)
    for constant in writer.constants:
        # The command line may override any default.
        name, kind, text = re.match(r"(\w+): (\w+) = (.*)", constant).groups()
        if kind == "bool" and writer.chance(0.4):
            writer.defines[name] = writer.chance(0.5)
        elif kind == "float" and writer.chance(0.3):
            writer.defines[name] = 0.25


def make_grid(writer):
    words = []
    for number in range(writer.random.choice([0, 1, 1, 2, 2])):
        size = writer.size() if writer.chance(0.1) else writer.size(writer.extent())
        extent = writer.pick([e for e in (8, 16, 32, 4, 12, 64, 1) if -(-writer.sizes[size] // e) <= 4] or [64])
        name = writer.name("m")
        words.append(f"{name} in tiles({size}, {writer.extent_text(extent)})")
        writer.declare(name, Span(extent, size))
        writer.grid.append((name, size))
    if writer.chance(0.35):
        size, name = writer.size(writer.random.choice([1, 2, 3])), writer.name("b")
        words.append(f"{name} in {size}")
        writer.declare(name, INT, "grid")
        writer.grid.append((name, size))
    writer.random.shuffle(words)
    return words


def make_schedule(writer):
    words = []
    if writer.chance(0.5):
        words.append(f"warpgroups = {writer.random.choice([1, 2, 2, 3])}")
    if writer.chance(0.5):
        words.append(f"stages = {writer.random.randint(1, 4)}")
    if writer.chance(0.3):
        words += ["persistent"] + (["dynamic"] if writer.chance(0.5) else [])
    if writer.chance(0.2):
        words.append(writer.pick(["pingpong", "pingpong = true"]))
    if writer.grid and writer.chance(0.15):
        sizes = ["1"] * len(writer.grid)
        sizes[writer.random.randrange(len(sizes))] = "2"
        words.append(f"cluster = ({', '.join(sizes)})")
    if writer.has_all:
        words += [word for word in (f"registers = {8 * writer.random.randint(8, 32)}",
                                    f"exchange = {writer.random.randint(1, 2)}",
                                    "late_stores") if writer.chance(0.1)]
    # Contradictory hints are rejected. They are removed after all numbers are drawn, so that program numbers keep their
    # meaning.
    if not writer.grid or writer.meets:
        words = [word for word in words if word not in ("persistent", "dynamic")]
    if writer.meets:
        words = [word for word in words if not word.startswith("cluster")]
    if "warpgroups = 1" in words and "persistent" not in words:
        words = [word for word in words if not word.startswith("pingpong")]
    if "exchange = 1" in words:
        words = [word for word in words if word != "late_stores"]
    if not any(word.startswith(("pingpong", "late_stores")) for word in words):
        words += [f"mma_order = {stages - 1}" for stages in (2, 3, 4) if f"stages = {stages}" in words]
    return words


def take_warps(random, words):
    """Returns a schedule with a number of warps instead of warpgroups, and without hints for products."""
    hints = "warpgroups", "pingpong", "exchange", "late_stores", "mma_order"
    return [f"warps = {random.choice([1, 1, 2, 2, 4, 8, 16])}", *(word for word in words if not word.startswith(hints))]


class SizeWriter(Statements):
    """A writer whose sizes are ints of the kernel."""

    # The share of programs with an exponential that keep its base.
    keeps_bases = 0.5

    def size(self, extent=None):
        name = super().size(extent)
        self.frames[0].scopes[0].setdefault(name, Entry(INT))
        return name


def make_conditions(writer):
    """Returns true and false conditions on compile-time parameters."""
    known = [(name, e.value) for name, e in writer.entries() if type(e.value) is int]
    holds, fails = ["true", "!false"], ["false", "1 > 2"]
    for name, value in known:
        holds += [f"{name} == {value}", f"{name} > {value - 1} || {name} < 0"]
        fails += [f"{name} != {value}", f"{name} > {value} && true"]
    return holds, fails


def add_options(writer, parameters, grid):
    """Adds parameters that exist only under a condition, and sizes that are chosen; returns an absent parameter."""
    holds, fails = make_conditions(writer)
    for number, parameter in enumerate(parameters):
        if writer.chance(0.15):
            parameters[number] = f"{parameter} if {writer.pick(holds)}"
    absent = writer.name("absent") if writer.chance(0.2) else None
    if absent:
        parameters.append(f"{absent}: nothing[Nowhere * 2] if {writer.pick(fails)}")
    for number, axis in enumerate(grid):
        size = re.search(r" in (?:tiles\()?(\w+)", axis)[1]
        if writer.chance(0.15):
            chosen = writer.pick([f"if {writer.pick(holds)} {{ {size} }} else {{ 7 }}",
                                  f"if {writer.pick(fails)} {{ Nowhere }} else {{ {size} }}"])
            grid[number] = re.sub(rf"\b{size}\b", chosen, axis, count=1)
    return absent


def pass_absent(body, absent):
    """Passes the first declared value and an absent parameter to a fn; returns the body and the fn."""
    first = DECLARATION.search(body)
    if not absent or not first or first[2].count("{") != first[2].count("}") or "//" in first[2]:
        return body, []
    call = f"{first[1]}without({first[2]}, {absent}, IS = false);"
    fn = "fn without(value, absent, IS: bool) {\n  if IS {\n    value[0] = absent[:];\n  }\n  return value;\n}"
    return body[:first.start()] + call + body[first.end():], [fn]


def grow(random, number):
    writer = SizeWriter(random, number)
    writer.has_all = number // 8 % 2 == 0
    writer.allows_smooth |= writer.has_all and writer.chance(0.25)
    make_constants(writer)
    words = make_grid(writer)
    for _ in range(random.randint(0, 2)):
        writer.declare_var()
    writer.statements(random.randint(2, 8))
    writer.store_all()
    if not writer.stores:
        raise Impossible
    return assemble(writer, words)


def assemble(writer, grid):
    body = "\n".join(writer.frame.lines)
    text = "\n".join([body, *writer.parameters, *grid])
    parameters, arguments = list(writer.parameters), dict(writer.arguments)
    for size, extent in writer.sizes.items():
        if not re.search(rf"\b{size}\b", text):
            continue
        is_bound = any(re.search(rf"[\[ ]{size}[\],]", p) for p in parameters if not p.startswith("out "))
        if not is_bound:
            parameters.append(f"{size}: int")
            arguments[size] = extent
    writer.random.shuffle(parameters)
    body, passing = pass_absent(body, add_options(writer, parameters, grid))
    schedule = make_schedule(writer)
    # Drawn apart from all other numbers, so that program numbers keep their meaning.
    apart = Random(f"warps {body}")
    if "@" not in "".join([body, *writer.fns, *passing]) and apart.random() < 0.4:
        schedule = take_warps(apart, schedule)
    constants = f"<{', '.join(writer.constants)}>" if writer.constants else ""
    uses = [f'use "{path}" ({", ".join(sorted(names))});' for path, names in sorted(writer.uses.items())]
    lines = [*uses, *writer.fns, *passing, f"kernel k{constants}(",
             *(f"    {p}{',' if p is not parameters[-1] else ')'}" for p in parameters)]
    if grid:
        lines.append(f"  grid ({', '.join(grid)})")
    if schedule:
        lines.append(f"  schedule ({', '.join(schedule)})")
    numerics = []
    if writer.chance(writer.keeps_bases) and SMOOTH.search(text + "".join(writer.fns)):
        numerics.append("fold_exp2 = false")
    if writer.has_all:
        numerics += [f"{word} = false" for word in ("contract", "lazy_rescale") if writer.chance(0.1)]
    if numerics:
        lines.append(f"  numerics ({', '.join(numerics)})")
    return TextProgram("\n".join([*lines, "{", body, "}"]) + "\n", arguments, writer.defines)


def is_telling(program):
    """Whether a difference would be noticed: no result is only rounding error."""
    for name, error in program.errors.items():
        value = program.expected[name]
        if value.dtype.kind == "f" and not error <= WORST * max(1.0, SecondOpinion.bounds.magnitude(value)):
            return False
    return True


def random_text(number):
    """Returns program `number`; the second opinion understands it and finds it legal."""
    for attempt in range(100):
        random = Random(f"text {number} {attempt}")
        try:
            program = grow(random, number)
            program.evaluate()
        except (Impossible, SecondOpinion.Illegal, SecondOpinion.Undecided):
            continue
        except SecondOpinion.NotUnderstood as problem:
            # The generator or the second opinion is wrong.
            raise SecondOpinion.NotUnderstood(f"{problem}\n{program.text}") from None
        if is_telling(program):
            return program
    raise Impossible


# Reduction.


def ends_of_block(lines, start):
    """Returns the line after the block that begins at a line, or after a statement."""
    depth = 0
    for place in range(start, len(lines)):
        depth += lines[place].count("{") - lines[place].count("}")
        if depth <= 0:
            return place + 1
    return len(lines)


def smaller_texts(text):
    """Yields texts with one statement, block or hint less."""
    lines = text.splitlines(keepends=True)
    for start in reversed(range(len(lines))):
        line = lines[start].strip()
        if line.startswith(("kernel", "}", ")", "{")):
            continue
        if line.startswith(("schedule", "numerics")):
            yield "".join(lines[:start] + lines[start + 1:])
            continue
        end = ends_of_block(lines, start)
        yield "".join(lines[:start] + lines[end:])
        if end > start + 2 and not line.startswith("fn"):
            yield "".join(lines[:start] + lines[start + 1:end - 1] + lines[end:])
        if match := re.match(r"let (\w+) = (.*);$", line):
            # The value replaces the name.
            name, value = match.groups()
            value = value if re.fullmatch(r"[\w.]+", value) else f"({value})"
            rest = re.sub(rf"\b{name}\b", lambda _: value, "".join(lines[start + 1:]))
            yield "".join(lines[:start]) + rest


def reduce_text(program, fails, most):
    """Returns the smallest program that is found in the given number of tries."""
    tries, changed = 0, True
    while changed:
        changed = False
        place = 0
        while True:
            candidates = list(smaller_texts(program.text))
            if place >= len(candidates):
                break
            candidate = dataclasses.replace(program, text=candidates[place])
            place += 1
            try:
                candidate.evaluate()
            except Exception:  # No longer a program.
                continue
            tries += 1
            if tries > most:
                return program
            if fails(candidate):
                program, changed = candidate, True
                place = max(0, place - 1)
    return program


