"""Compares the predicted times of the examples' kernels with a listing.

    times.py TILEC ROOT [--update]

The listing is times.txt in this folder; --update writes it. times.toml has the sizes of each example, and values of
parameters other than the defaults. The columns are the time of a launch and the share of it in which the tensor cores
are busy. Each loop with MMAs has its role, its iterations and the cycles of one.
"""

import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import tomllib

import listing

HERE = pathlib.Path(__file__).parent
TIME = re.compile(r"kernel '\w+': ([\d.]+) us predicted for (\d+) programs")
BUSY = re.compile(r"tensor cores are busy for ([\d.]+) %")
LOOP = re.compile(r"loop at [^:]+:\d+:\d+(?:, role '(\w+)')?: (\d+) iterations.*, (\d+) cycles each")
REASON = re.compile(r"error: (?:no time can be predicted: )?(.*)")


def run(*command):
    return subprocess.run([*map(str, command)], capture_output=True, text=True)


def predict(tilec, source, kernel, values, sizes):
    """Returns the line of a kernel with these values."""
    explain = ",".join(f"{name}={size}" for name, size in sizes.items())
    done = run(tilec, source, f"--kernel={kernel}", *(f"-D{value}" for value in values.split()),
               "--configuration=default", f"--explain={explain}")
    time = TIME.search(done.stdout)
    if done.returncode or not time:
        reason = REASON.search(done.stderr)
        return f"no time: {reason[1] if reason else done.stderr.strip()}"
    loops = [f"{role or 'all'} {count} x {cycles}" for role, count, cycles in LOOP.findall(done.stdout)]
    busy = float(BUSY.search(done.stdout)[1])
    tensor = f"  tensor {busy:5.1f} %" if busy else ""
    return (f"{float(time[1]):10.1f} us" + tensor + "".join(f"  {loop}" for loop in loops)).rstrip()


def list_times(tilec, root):
    examples = tomllib.loads((HERE / "times.toml").read_text())
    sources = sorted(root.glob("examples/*/kernel.tile"))
    if unknown := set(examples) ^ {source.parent.name for source in sources}:
        sys.exit(f"times.toml and the folder of examples differ in {', '.join(sorted(unknown))}")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for source in sources:
            row = examples[source.parent.name]
            also = row.get("also", {})
            done = run(tilec, source, "--emit=signatures", "-o", "-")
            if done.returncode:
                sys.exit(done.stderr)
            kernels = json.loads(done.stdout)["kernels"]
            if unknown := set(also) - {kernel["name"] for kernel in kernels}:
                sys.exit(f"times.toml: {source.parent.name} has no kernel {', '.join(sorted(unknown))}")
            jobs = []
            for kernel in kernels:
                names = {*kernel["sizes"], *(parameter["name"] for parameter in kernel["parameters"])}
                sizes = {name: size for name, size in row["sizes"].items() if name in names}
                for values in ["", *also.get(kernel["name"], [])]:
                    jobs.append((f"  {kernel['name']}" if not values else f"    {values}",
                                 pool.submit(predict, tilec, source, kernel["name"], values, sizes)))
            yield f"{source.parent.name}: {' '.join(f'{name}={size}' for name, size in row['sizes'].items())}"
            for title, job in jobs:
                yield f"{title:<44}{job.result()}"


def main():
    tilec, root = sys.argv[1], pathlib.Path(sys.argv[2])
    return listing.compare(HERE / "times.txt", list_times(tilec, root), " us", "times")


if __name__ == "__main__":
    sys.exit(main())
