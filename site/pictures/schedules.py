# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A picture of the schedule of a kernel: its roles and rings, and the order of one iteration of its loop.

The roles and rings are those that `tilec --report` prints, the order is that of the phase `schedule`.
"""

import dataclasses
import pathlib
import re
import subprocess
import sys
import tempfile
from typing import List

from drawing import Drawing

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
# The kernel of each example that the gallery shows.
KERNELS = {
    "01-vector-add": "vector_add", "02-softmax": "softmax", "03-matmul": "matmul_nn",
    "04-split-k-matmul": "split_k_matmul", "05-layer-norm": "layer_norm", "06-lola": "lola",
    "07-flash-attention": "flash_fwd", "08-gated-attention": "gated_attention", "09-linear-logp": "linear_logp",
    "10-varlen-attention": "varlen_fwd", "11-attention-backward": "attention_bwd", "12-varlen-backward": "varlen_bwd",
    "13-decoding": "decode", "14-scaled-matmul": "scaled_matmul", "15-grouped-matmul": "grouped_matmul",
    "16-gated-delta-rule": "delta_rule", "17-kimi-delta-attention": "kda",
}
WIDTH = 860
KEY = {"wait": "blue", "acquire": "blue", "issue": "orange", "await": "orange", "release": "plain", "commit": "plain",
       "turn": "purple", "compute": "green"}


@dataclasses.dataclass
class Role:
    name: str
    warps: int
    registers: int
    is_one_thread: bool


@dataclasses.dataclass
class Ring:
    names: List[str]
    slots: int
    size: int
    producer: str
    consumers: List[str]


def compile_kernel(name: str):
    """Returns the IR after the phase `schedule`, and the report."""
    with tempfile.TemporaryDirectory(prefix="tessera-") as folder:
        command = ["tilec", "kernel.tile", "--kernel", KERNELS[name], "--emit=fence", f"--save-phases={folder}",
                   "--report", "-o", "/dev/null"]
        done = subprocess.run(command, cwd=EXAMPLES / name, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"error: {' '.join(command)} in {name} fails: {done.stderr}")
        return next(pathlib.Path(folder).glob("*-schedule.mlir")).read_text(), done.stderr


def read_report(report: str):
    """Returns threads, roles and rings of the first kernel of a report."""
    first = re.split(r"^kernel ", report, flags=re.M)[1]
    roles = [Role(match[1], int(match[2]), int(match[3]), "one thread" in match[0])
             for match in re.finditer(r"^    '(\w+)': (\d+) warps?, (\d+) registers.*$", first, re.M)]
    rings = []
    for match in re.finditer(r"^    (.*): (\d+) slots? of (\d+) bytes, from '(\w+)' to (.*?)(?: at .*)?$", first, re.M):
        names = re.findall(r"'(\w+)'|(computed)|numbers of (programs)", match[1])
        rings.append(Ring(["".join(name) for name in names], int(match[2]), int(match[3]), match[4],
                          re.findall(r"'(\w+)'", match[5])))
    return int(re.search(r": (\d+) threads", first)[1]), roles, rings


class Loop:
    """The first loop of products in the IR after the phase `schedule`."""

    LINE = re.compile(r"^( *)(?:(%\d+)(?::\d+)? = )?(?:\} )?([\w.]+)?(.*)$")
    PLACE = re.compile(r"#sm\.schedule<(\d+), (\d+)>")

    def __init__(self, text: str, rings: List[Ring]):
        self.rings, self.values, self.steps = rings, {}, []
        allocs = 0
        for line in text.splitlines():
            _, result, name, rest = self.LINE.match(line).groups()
            if "sm.ring.alloc" in line and allocs < len(rings):
                self.values[result] = rings[allocs]
                allocs += 1
            # A second loop begins, or a variant of the kernel.
            if self.steps and re.search(r"scf\.for|sm\.kernel @|sm\.role", line):
                break
            self.read(result, name or "", re.findall(r"%\d+", rest.split("{sm.schedule")[0]), line)
        self.steps.sort()

    def read(self, result, name, operands, line):
        words = self.describe(result, name, operands, line)
        place = self.PLACE.search(line)
        if place and words is not None:
            self.steps.append((int(place[2]), int(place[1]), words))

    def describe(self, result, name, operands, line):
        """Returns the kind of an operation and its text; None if it has no place in the picture."""
        of = self.values.get(operands[0]) if operands else None
        if name in ("sm.ring.wait", "sm.ring.acquire"):
            self.values[result] = of
            return name.split(".")[-1], name.split(".")[-1] + " " + ", ".join(of.names) if of else ""
        if name in ("sm.ring.release", "sm.ring.commit"):
            return name.split(".")[-1], name.split(".")[-1] + " " + ", ".join(of.names) if of else ""
        if name == "sm.slot.tile":
            number = int(re.search(r"%\d+\[(\d+)\]", line)[1])
            if isinstance(of, Ring):
                self.values[result] = of.names[number] if number < len(of.names) else of.names[-1]
            return None
        if name == "sm.mma.issue":
            left, right = (self.values.get(operand) for operand in operands[:2])
            self.values[result] = " @ ".join(side if isinstance(side, str) else "…" for side in (left, right))
            return "issue", self.values[result]
        if name == "sm.mma.await":
            return "await", "await " + str(of)
        if name == "sm.mma.retire":
            issued = [words for _, _, (kind, words) in self.steps if kind == "issue"]
            return "await", "await " + issued[-1]
        if name.startswith("sm.pingpong"):
            return "turn", "wait for turn" if name.endswith("wait") else "pass turn"
        return "compute", ""

    def list_boxes(self):
        """Returns (kind, text, stage) in order; operations of one stage in registers share a box."""
        boxes = []
        for _, stage, (kind, words) in self.steps:
            if kind == "compute" and boxes and boxes[-1][0] == kind and boxes[-1][2] == stage:
                boxes[-1][1] += 1
            else:
                boxes.append([kind, 1 if kind == "compute" else words, stage])
        for box in boxes:
            if box[0] == "compute":
                box[1] = "1 op" if box[1] == 1 else f"{box[1]} ops"
        return boxes


def add_roles(picture, roles, rings, top):
    """Adds the roles in columns, with rings between them, and returns the end of the picture's part."""
    shown = [ring for ring in rings if ring.names != ["programs"]]
    into = [ring for ring in shown if "math" in ring.consumers]
    out = [ring for ring in shown if ring.producer == "math"]
    row, right = 44, 640
    named = {role.name: role for role in roles}
    bottom = top + max(len(into), 1) * row

    def add_role(name, x, y, height):
        role = named[name]
        kind = "orange" if name == "math" else "blue"
        warps = "1 warp" if role.warps == 1 else f"{role.warps} warps"
        lines = [name, f"{warps}, {role.registers} registers"] + (["one thread, TMA"] if role.is_one_thread else [])
        picture.box(x, y, 160, max(height, 60 if role.is_one_thread else 44), kind, *lines)

    sources = list(dict.fromkeys(ring.producer for ring in into))
    # Rings of one producer are drawn together.
    ordered = [ring for name in sources for ring in into if ring.producer == name]
    y = top
    for name in sources:
        count = sum(ring.producer == name for ring in ordered)
        height = max(count * row - 6, 60 if named[name].is_one_thread else 44)
        add_role(name, 16, y, height)
        for ring in (ring for ring in ordered if ring.producer == name):
            middle = y + 19 if count > 1 else y + height / 2
            end = add_ring(picture, ring, 256, middle)
            picture.line((176, middle), (253, middle), arrow=True)
            picture.line((end, middle), (right - 3, middle), arrow=True)
            if count > 1:
                y += row
        y = y + (6 if count > 1 else height + 14)
    bottom = max(y, bottom)
    add_role("math", right, top, bottom - top - 12)
    for ring in out:
        target = ring.consumers[0]
        middle = bottom + 22
        end = add_ring(picture, ring, 356, middle)
        picture.line((right + 160, top + 20), (right + 176, top + 20), (right + 176, middle), (end, middle), arrow=True)
        picture.line((352, middle), (180, middle), arrow=True)
        add_role(target, 16, bottom, 60)
        bottom += 74
    return bottom


def add_ring(picture, ring, x, middle):
    """Adds the slots of a ring and its name, and returns the right end of both."""
    names = ", ".join("computed values" if name == "computed" else name for name in dict.fromkeys(ring.names))
    size = f"{ring.size / 1024:g} KiB" if ring.size >= 1024 else f"{ring.size} B"
    for slot in range(ring.slots):
        picture.box(x + slot * 18, middle - 9, 18, 18, "green", round=0)
    x += ring.slots * 18 + 6
    picture.text(x, middle - 2, names, "s")
    picture.text(x, middle + 12, f"{ring.slots} x {size}", "t")
    return x + 7 * max(len(names), 10) + 8


def add_loop(picture, boxes, top):
    """Adds the boxes of an iteration in lines, and returns their end."""
    last = max(stage for _, _, stage in boxes)
    x, y = 16, top
    for kind, words, stage in boxes:
        ahead = last - stage
        width = max(34, len(words) * 7 + 12)
        if x + width > WIDTH - 16:
            x, y = 16, y + 34
        picture.box(x, y, width, 26, KEY[kind], words, text="s", round=3, dashed=ahead > 0)
        x += width + 5
    return y + 26


def draw_schedule(name: str) -> Drawing:
    text, report = compile_kernel(name)
    threads, roles, rings = read_report(report)
    picture = Drawing(WIDTH, 1000, f"The schedule of {KERNELS[name]}, as the compiler plans it")
    picture.text(16, 26, f"{KERNELS[name]}: {threads} threads", "b")
    if not roles:
        picture.box(16, 42, 200, 46, "orange", f"{threads // 32} warps", "every warp does the same")
        for x, words in ((240, "load"), (390, "compute"), (540, "store")):
            picture.box(x, 42, 120, 46, "green", words)
        for x in (360, 510):
            picture.line((x, 65), (x + 28, 65), arrow=True)
        bottom = 96
    else:
        bottom = add_roles(picture, roles, rings, 42)
        boxes = Loop(text, rings).list_boxes()
        if boxes:
            last = max(stage for _, _, stage in boxes)
            picture.text(16, bottom + 24, "one iteration of the loop in math, in the order of issue", "b")
            bottom = add_loop(picture, boxes, bottom + 36)
            if last:
                picture.text(16, bottom + 20, "dashed: already for the next iteration", "s")
                bottom += 20
    picture.height = int(bottom + 16)
    return picture
