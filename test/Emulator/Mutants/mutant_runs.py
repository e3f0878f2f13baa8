"""Runs a kernel's mutants on the emulated device, and reports their failures."""

import collections
import pathlib
import re
import subprocess
import tempfile

import numpy as np

ORDERS = ("program", "late", "early", "random")
SECONDS = 60
TOLERANCE = 0.02

# The report of a mutant: how (see mutated_ptx.py), and the first line of the report.
Report = collections.namedtuple("Report", "how text")
# A launch: options, files with the results of the interpreter, and by name the kernel's own results that are equal in
# all orders.
Launch = collections.namedtuple("Launch", "words expected exact steps")

# Text that is not PTX, or not a package: not a mutant of the compiler's output.
REFUSALS = re.compile(r"CUDA_ERROR_INVALID_PTX|unknown instruction|not a (valid )?package|cannot be read")


def run(package, ptx, launch, saves, step_limit, orders=ORDERS):
    command = ["tile-launch", "--device=ptx", package, f"--ptx={ptx}", *launch.words, "--time",
               f"--order={','.join(orders)}", f"--step-limit={step_limit}",
               f"--rtol={TOLERANCE}", f"--atol={TOLERANCE}"]
    for name, file in launch.expected.items():
        command += ["--expect", f"{name}=@{file}"]
    for name in launch.expected:
        command += ["--save", f"{name}={saves / name}.npy"]
    try:
        return subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return None


def load(saves, names):
    return {name: np.load(saves / f"{name}.npy") for name in names}


def have_same_bits(first, second):
    return first.dtype == second.dtype and first.tobytes() == second.tobytes()


def measure(package, ptx, launch):
    """Returns the launch with the results of the kernel itself, and its number of steps. A wrong kernel is an error."""
    results, steps = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for order in ORDERS:
            done = run(package, ptx, launch, pathlib.Path(folder), 2**40, [order])
            if done is None or done.returncode:
                return launch, f"{order}: {done.stderr if done else 'no result'}"
            steps = max(steps, int(re.search(r"(\d+) steps", done.stdout).group(1)))
            results.append(load(pathlib.Path(folder), launch.expected))
    exact = {name: value for name, value in results[0].items()
             if all(have_same_bits(value, other[name]) for other in results)}
    return launch._replace(exact=exact, steps=steps), None


def classify(done):
    """Returns the report of a failed run."""
    if done is None:
        return Report("hang", f"no result after {SECONDS} s")
    errors = re.findall(r"error: (.*)", done.stderr)
    if done.returncode not in (1, 2, 3) or not errors:
        return Report("CRASH", f"status {done.returncode}: {done.stderr[:300]}")
    text = errors[0]
    if done.returncode != 1:
        return Report("refused" if REFUSALS.search(text) else "launch", text)
    if "executed instructions is reached" in text or "deadlock" in done.stderr:
        return Report("hang", text)
    return Report("finding" if re.search(r":\d+:\d+: error: ", done.stderr) else "result", text)


def find_report(package, ptx, launches):
    """Returns the report of the first wrong launch; None if all are right to the bit."""
    for launch in launches:
        with tempfile.TemporaryDirectory() as folder:
            saves = pathlib.Path(folder)
            done = run(package, ptx, launch, saves, launch.steps * 4 + 10000)
            if done is None or done.returncode:
                return classify(done)
            results = load(saves, launch.exact)
        for name, value in launch.exact.items():
            if not have_same_bits(value, results[name]):
                return Report("bits", f"'{name}' is not to the bit what the kernel itself computes")
    return None


def is_executed(package, text, line, guard, launches, scratch):
    """Whether a thread whose guard holds executes the instruction at this line: a trap before it is then reported."""
    lines = text.splitlines()
    ptx = scratch / "probe.ptx"
    trap = f"\t@{guard} trap;" if guard else "\ttrap;"
    ptx.write_text("\n".join(lines[:line] + [trap] + lines[line:]) + "\n")
    for launch in launches:
        with tempfile.TemporaryDirectory() as folder:
            done = run(package, ptx, launch, pathlib.Path(folder), launch.steps * 4 + 10000, ["program"])
        if done is None or done.returncode:
            return True
    return False
