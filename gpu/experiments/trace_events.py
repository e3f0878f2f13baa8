#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures when the warpgroups of one CTA reach their waits, barriers and MMAs, by editing the PTX.

    TESSERA_PTXAS=trace_events.py REAL_PTXAS=PTXAS TRACE=KERNEL:PARAMETER:OFFSET tilec ... -o traced.tpk
    trace_events.py traced.tpk untraced.ptx      machine with a GPU and torch

As TESSERA_PTXAS the script inserts a read of the clock before and after each operation that synchronises. One thread of
each warpgroup of CTA 1000 stores the times OFFSET bytes after the start of a tensor. The caller allocates more for it.
The tensor is parameter 0 of flash_fwd (lse) or parameter 11 of attention_bwd (delta, whose tensor map begins with its
address), 4x16x4096 elements. The second form
launches the kernel with 4x4096 tokens and 16 heads of --head, and prints the mean times of an iteration, in cycles since
its first event.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CTA, REGION = 1000, 1 << 17
EVENTS = [
    (re.compile(r"^\s*wgmma\.wait_group\S* (\d+)"), "await MMAs, leave"),
    (re.compile(r"^\s*wgmma\.commit_group()"), "commit MMAs"),
    (re.compile(r"^\s*(?:bar|barrier)\.sync\s+(\S+),"), "barrier"),
    (re.compile(r"^\s*fence\.proxy\.async()"), "proxy fence"),
    (re.compile(r"^\s*mbarrier\.try_wait\S* p, \[(\S+)\]"), "mbarrier wait"),
]
HEAD = """
	.reg .pred %trace_p; .reg .b32 %trace_a, %trace_b; .reg .b64 %trace_to, %trace_own;
	mov.u32 %trace_a, %ctaid.x;
	setp.eq.u32 %trace_p, %trace_a, {cta};
	mov.u32 %trace_a, %tid.x;
	and.b32 %trace_b, %trace_a, 127;
	setp.eq.and.u32 %trace_p, %trace_b, 0, %trace_p;
	shr.u32 %trace_a, %trace_a, 7;
	mul.wide.u32 %trace_own, %trace_a, {region};
	ld.param.u64 %trace_to, [{kernel}_param_{param}];
	add.u64 %trace_to, %trace_to, %trace_own;
	add.u64 %trace_to, %trace_to, {offset};
"""
MARK = """
	@%trace_p mov.u32 %trace_a, {number};
	@%trace_p mov.u32 %trace_b, %clock;
	@%trace_p st.global.v2.u32 [%trace_to], {{%trace_a, %trace_b}};
	add.u64 %trace_to, %trace_to, 8;
"""


def find_event(line):
    for pattern, name in EVENTS:
        if found := pattern.match(line):
            return f"{name} {found[1]}".strip()
    return None


def edit(text, kernel, param, offset):
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if f".entry {kernel}(" in line)
    body = next(i for i in range(start, len(lines)) if lines[i] == "{")
    end = next(i for i in range(body, len(lines)) if lines[i] == "}" and lines[i - 1].strip() != "DONE:"
               and "inline asm" not in (lines[i + 1] if i + 1 < len(lines) else ""))
    out, before, inside = lines[:body + 1], [], False
    out.append(HEAD.format(cta=CTA, region=REGION, kernel=kernel, param=param, offset=offset))
    block = []
    for number in range(body + 1, end):
        line = lines[number]
        if "begin inline asm" in line:
            inside, block = True, []
        if inside:
            block.append((number, line))
            if "end inline asm" not in line:
                continue
            inside = False
        else:
            block = [(number, line)]
        events = [n for n, text in block if find_event(text)]
        if events:
            out.append(MARK.format(number=2 * events[0]))
        out += [text for _, text in block]
        if events:
            out.append(MARK.format(number=2 * events[0] + 1))
    return "\n".join(out + lines[end:] + before) + "\n"


def run_ptxas(arguments):
    kernel, param, offset = os.environ["TRACE"].split(":")
    for i, argument in enumerate(arguments):
        path = pathlib.Path(argument)
        if argument.endswith(".ptx") and path.exists() and f".entry {kernel}(" in path.read_text():
            edited = path.with_suffix(".traced.ptx")
            edited.write_text(edit(path.read_text(), kernel, param, offset))
            arguments[i] = str(edited)
    return subprocess.run([os.environ["REAL_PTXAS"], *arguments]).returncode


def read_names(path):
    """Returns the events of the untraced PTX by their line."""
    with tempfile.TemporaryDirectory() as folder:
        ptx = pathlib.Path(folder) / "kernel.ptx"
        ptx.write_text(pathlib.Path(path).read_text())
        return {number: name for number, line in enumerate(ptx.read_text().splitlines())
                if (name := find_event(line))}


def summarize(words, names):
    """Prints the mean time of each event of the loop that runs most often, by warpgroup."""
    for warpgroup in (1, 2):
        pairs = words[warpgroup * REGION // 8:(warpgroup + 1) * REGION // 8]
        events = [(int(number), int(clock)) for number, clock in pairs if number]
        counts = {}
        for number, _ in events:
            counts[number] = counts.get(number, 0) + 1
        most = max(counts.values())
        inside = [(number, clock) for number, clock in events if counts[number] >= most - 1]
        first = inside[0][0]
        starts = [i for i, (number, _) in enumerate(inside) if number == first]
        starts = starts[len(starts) // 4:-len(starts) // 4]
        period = ((inside[starts[-1]][1] - inside[starts[0]][1]) & 0xffffffff) / (len(starts) - 1)
        print(f"warpgroup {warpgroup}: {most} iterations, {period:.0f} cycles each")
        length = starts[1] - starts[0]
        previous = 0
        for k in range(length):
            times = [(inside[s + k][1] - inside[s][1]) & 0xffffffff for s in starts]
            number, mean = inside[starts[0] + k][0], sum(times) / len(times)
            print(f"  {mean:7.0f} {mean - previous:+6.0f}  {'after ' if number % 2 else 'before'} "
                  f"{names.get(number // 2, number // 2)}")
            previous = mean


def launch(package, names, d, block):
    sys.path.insert(0, str(ROOT / "python"))
    import tessera
    import torch
    torch.manual_seed(0)
    b, h, m = 4, 16, 4096
    q, k, v, do = (torch.randn(b, h, m, d, device="cuda", dtype=torch.bfloat16) for _ in range(4))
    storage = torch.zeros(b * h * m + 4 * REGION // 4 + 1024, device="cuda")
    rows = storage[:b * h * m].view(b, h, m)
    file = tessera.Package(str(package))
    if "flash_fwd" in package.read_bytes().decode("latin-1"):
        kernel, arguments = file.kernel("flash_fwd"), (q, k, v, 0.0884)
        outputs = {"o": torch.empty_like(q), "lse": rows}
    else:
        kernel = file.kernel("attention_bwd")
        arguments = (q, k, v, do, torch.full((b, h, m), 6.0, device="cuda"), rows, 0.0884)
        outputs = {"sums": torch.zeros(b, h, m // block, block, d, device="cuda"), "dk": torch.empty_like(k),
                   "dv": torch.empty_like(v)}
    for _ in range(3):
        kernel(*arguments, **outputs)
    torch.cuda.synchronize()
    words = storage[b * h * m:b * h * m + 3 * REGION // 4].view(torch.int32).cpu().numpy().reshape(-1, 2)
    summarize(words, names)


def main():
    if "TRACE" in os.environ:
        sys.exit(run_ptxas(sys.argv[1:]))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("package", type=pathlib.Path)
    parser.add_argument("ptx", type=pathlib.Path, help="the PTX of the kernel, without the edit")
    parser.add_argument("--head", type=int, default=128, metavar="N", help="columns of a head")
    parser.add_argument("--block", type=int, default=64, metavar="N", help="queries of a block of attention_bwd")
    options = parser.parse_args()
    launch(options.package, read_names(options.ptx), options.head, options.block)


if __name__ == "__main__":
    main()
