# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line of tile-tune."""

import argparse
import os
import pathlib
import re
import signal
import sys

from .. import tuned
from ..errors import TesseraError, TuningError
from ..version import __version__
from . import choosing, compiling, plan, ranking, running
from . import journal as journals
from .journal import Journal

_INTERRUPTED = 130


def _regex(text):
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"'{text}' is not a regular expression: {error}") from None


def _positive(kind):
    def read(text):
        try:
            value = kind(text)
        except ValueError:
            value = 0
        if not value > 0:
            raise argparse.ArgumentTypeError(f"expected a number above 0, got '{text}'")
        return value
    return read


def _count(text):
    return None if text == "all" else _positive(int)(text)


def _share(text):
    return float(text) if text == "0" else _positive(float)(text)


_EXAMPLES = """EXAMPLES:

  tile-tune compile kernel.tile --out candidates    # needs kernel.tune.toml
  tile-tune run candidates                          # on a GPU
  tile-tune choose candidates                       # on a GPU: after its measurements
"""


def _make_parser():
    parser = argparse.ArgumentParser(
        prog="tile-tune", description="Find the fastest compile-time parameters of kernels for classes of shapes.",
        epilog=_EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)
    # Like the other tools, whose second line names the version of LLVM.
    parser.add_argument("--version", action="version", version=f"Tessera {__version__}")
    steps = parser.add_subparsers(title="steps", dest="step", metavar="STEP", required=True)

    step = steps.add_parser("compile", help="compile and rank the candidates; needs no GPU")
    step.add_argument("kernel", metavar="FILE.tile")
    step.add_argument("--out", metavar="DIR", required=True, help="folder for the packages and the plan")
    step.add_argument("--tune", metavar="FILE", help="the values to choose from (default: kernel.tune.toml)")
    step.add_argument("--jobs", metavar="N", type=_positive(int), default=os.cpu_count(), help="compilers at once")
    step.add_argument("--timeout", metavar="S", type=_positive(float), default=300, help="seconds for one candidate")

    step.add_argument("--ptx-only", action="store_true",
                      help="make packages without machine code: needs no ptxas; spills are unknown")

    step = steps.add_parser("list", help="list the candidates of a folder by class and rank")
    run = steps.add_parser("run", help="measure the remaining candidates")
    choose = steps.add_parser("choose", help="write the file of winners")
    for one in (step, run, choose):
        one.add_argument("folder", metavar="DIR", help="the folder that 'compile' wrote")
    for one in (run, choose):
        one.add_argument("--journal", metavar="FILE", help="the file of measurements (default: journal.jsonl in DIR)")
    for one in (steps.choices["compile"], step, run):
        one.add_argument("--only", metavar="REGEX", type=_regex, help="only classes whose name matches")
    for one in (step, run, steps.choices["compile"]):
        one.add_argument("--spilled", action="store_true", help="also measure candidates that spill registers")
    run.add_argument("--best", metavar="N", type=_count, default=running.BEST,
                     help="of each class, measure the first N by predicted time, the defaults, and candidates without "
                          f"a prediction; 'all': every candidate ({running.BEST})")
    run.add_argument("--retry", action="store_true", help="repeat measurements that hung, died, failed or were wrong")
    run.add_argument("--measure", metavar="COMMAND", help="the program that measures (default: this GPU, by torch)")
    run.add_argument("--timeout", metavar="S", type=_positive(float), default=60, help="seconds for one candidate")
    run.add_argument("--budget", metavar="S", type=_positive(float), default=float("inf"), help="seconds for all")
    choose.add_argument("-o", dest="output", metavar="FILE",
                        help="the file to write (default: kernel.tuned.toml in the folder of the source)")
    choose.add_argument("--margin", metavar="X", type=_share, default=0.01,
                        help="how much faster than the defaults a winner must be (0.01)")
    return parser


def _compile(options):
    return compiling.compile_all(options.kernel, options)


def _list(options):
    for target in plan.Plan(options.folder).targets(options.only):
        print(target.name)
        for row in target.candidates(options.spilled):
            time = ranking.predicted(row, target.shapes)
            print(f"  {f'{time:10.1f} us' if time else 'no prediction':>13}  {row['name']}")
    return True


def _run(options):
    made = plan.Plan(options.folder)
    targets = made.targets(options.only)
    journal = Journal(options.journal or pathlib.Path(options.folder, journals.FILE))
    done = running.Run(made.folder, journal, targets, options).measure()
    for line in choosing.failures(targets, journal, options.spilled):
        print(line)
    return done


def _choose(options):
    made = plan.Plan(options.folder)
    journal = Journal(options.journal or pathlib.Path(options.folder, journals.FILE))
    if journal.device is None:
        raise TuningError(f"{journal.path} has no measurements; run 'tile-tune run {options.folder}' first")
    chosen, missing = [], []
    for target in made.targets():
        found = choosing.choose(target, journal, running.FINALISTS, options.margin)
        if found is None:
            missing.append(target.name)
            continue
        chosen.append((target, *found))
        row, ratio = found
        print(f"{target.name}: {row['name']}" + (f", {ratio:.2f} times as fast as the defaults" if ratio else ""))
    for name in missing:
        print(f"{name}: no candidate was measured and right at all shapes")
    path = pathlib.Path(options.output or tuned.path_beside(made.table["source"]))
    choosing.write(path, journal.device, chosen)
    print(f"{len(chosen)} winners, {len(missing)} classes without; {path}")
    return not missing


_STEPS = {"compile": _compile, "list": _list, "run": _run, "choose": _choose}


def _stop(*_):
    raise KeyboardInterrupt


def main(arguments=None):
    """Exits with 0; 1 if something is missing; 2 on a wrong command line or input; 130 if interrupted."""
    options = _make_parser().parse_args(arguments)
    # The exception ends the workers.
    signal.signal(signal.SIGTERM, _stop)
    try:
        sys.exit(0 if _STEPS[options.step](options) else 1)
    except TesseraError as error:
        print(f"tile-tune: error: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("tile-tune: interrupted; the same command continues", file=sys.stderr)
        sys.exit(_INTERRUPTED)
