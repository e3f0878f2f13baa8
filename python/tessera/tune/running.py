# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the packages of a plan in worker processes, and writes the journal."""

import os
import pathlib
import shlex
import shutil
import sys
import time

from ..errors import TuningError
from . import choosing, plan, ranking, workers
from .progress import Progress
from .space import DEFAULTS, format_sizes

_REFERENCE = "reference "
FINALISTS = 3
# Candidates of a class that are measured by default; docs/tuning.md has the numbers.
BEST = 8
# Statuses after which a candidate is not tried at other shapes
_ENDED = ("hung", "died")
# Consecutive deaths after which a run stops
_MOST_DEATHS = 4


def _measure_command(given):
    if not given:
        # The Python of the worker need not find this package by itself.
        start = "import sys; sys.path.insert(0, sys.argv[1]); from tessera.tune.measure import main; sys.exit(main())"
        return [sys.executable, "-c", start, str(pathlib.Path(__file__).resolve().parents[2])]
    try:
        command = shlex.split(given)
    except ValueError as error:
        raise TuningError(f"--measure: {error}") from None
    if not command or not shutil.which(command[0]):
        raise TuningError(f"cannot run {given.split(' ')[0] or 'nothing'}: No such file or directory")
    return command


class Run:
    """One run, which measures everything that the journal lacks.

    Items of a kernel share `references`, the packages that may compute the expected results, and `lost`, those that
    hung or died. A worker reads both at its start."""

    def __init__(self, folder, journal, targets, options):
        self.folder, self.journal, self.targets, self.options = folder, journal, targets, options
        self.command = _measure_command(options.measure)
        self.deadline = time.monotonic() + options.budget
        self.lost = {}
        self.deaths = 0

    def candidates(self, target):
        found = target.candidates(self.options.spilled)
        if self.options.best is None:
            return found
        ranked = [row for row in found if row["name"] != DEFAULTS and ranking.predicted(row, target.shapes)]
        left_out = {row["name"] for row in ranked[self.options.best:]}
        return [row for row in found if row["name"] not in left_out]

    def _item(self, target, shape, **more):
        rows = target.candidates(True)
        return {"kernel": target.group["kernel"], "sizes": shape, "arguments": target.tuning["arguments"],
                "tolerance": target.tuning["tolerance"], "references": [self._package(row) for row in rows],
                "lost": self.lost, **more}

    def _package(self, row):
        return {"candidate": row["name"], "package": str((self.folder / row["file"]).absolute())}

    def _first_items(self):
        """Yields (item, target, row, number of the shape) of each missing measurement."""
        for target in self.targets:
            for number, shape in enumerate(target.shapes):
                for row in self.candidates(target):
                    found = self.journal.find(row["file"], shape)
                    if found is None or (self.options.retry and found["status"] != "ok"):
                        yield self._item(target, shape, **self._package(row)), target, row, number
                    elif found["status"] in _ENDED:
                        self.lost[self._package(row)["package"]] = found["error"]

    def measure(self):
        """Measures all missing items. Returns whether everything was measured."""
        entries = list(self._first_items())
        known = sum(len(target.shapes) * len(self.candidates(target)) for target in self.targets) - len(entries)
        print(f"{len(entries)} measurements, {known} known from before", flush=True)
        items = [entry[0] for entry in entries]
        rows = {id(item): entry for item, entry in zip(items, entries)}
        with Progress(len(items), "measured") as progress:
            for item, result in self._work(items):
                _, target, row, number = rows[item.get("of", id(item))]
                line = self._judge(row["file"], row["name"], item, result)
                self.journal.add(line)
                if line["status"] in _ENDED:
                    self.lost[item["package"]] = line["error"]
                progress.advance(row["name"])
                if line["status"] == "ok":
                    rate = plan.rate(target.row["work"][number], line["ms"])
                    progress.say(f"{line['ms']:9.4f} ms {rate:>12}  {row['name']}  at "
                                 f"{format_sizes(item['sizes'])}")
                elif line["status"] != "lost":
                    progress.say(f"{line['status']:>12}  {row['name']} at {format_sizes(item['sizes'])}: "
                                 f"{line['error']}")
                self._require_life(line["status"])
                if self._is_over(progress):
                    return False
        return self._measure_finals()

    def _work(self, items):
        """Yields the answers of workers; the first one names the device."""
        if not items:
            return
        first = [{"machine": True}]
        for item, result in workers.run(self.command, first + items, self.options.timeout, self._replace):
            if "machine" not in item:
                yield item, result
            elif "device" in result:
                self.journal.require_device(result["device"])
            else:
                raise TuningError(f"the worker does not start: {result.get('error', result)}")

    def _replace(self, item, result):
        """Returns the item to run in place of one that ended its worker, or None.

        If a reference package ended the worker, the same item runs again without that reference."""
        about = result.get("about") or ""
        if not about.startswith(_REFERENCE) or "machine" in item:
            return None
        package = about[len(_REFERENCE):]
        if package in self.lost or package == item.get("package"):
            return None
        self.lost[package] = result["error"]
        return {"of": id(item), **item}

    def _judge(self, file, candidate, item, result):
        """Returns the journal line for an answer about one candidate."""
        line = {"file": file, "candidate": candidate, "shape": item["sizes"]}
        if isinstance(result.get("ms"), (int, float)) and result["ms"] > 0:
            return {**line, "status": "ok", "ms": result["ms"], "spread": result.get("spread", 0.0)}
        if "wrong" in result:
            return {**line, "status": "wrong", "error": result["wrong"]}
        if "lost" in result:
            return {**line, "status": "lost", "error": result["lost"]}
        status = "failed"
        if result.get("fatal"):
            status = "hung" if result.get("error", "").startswith("no answer after") else "died"
        return {**line, "status": status, "error": result.get("error", f"no answer: {result}")}

    def _require_life(self, status):
        """Stops if several consecutive candidates died: the cause is then the device."""
        self.deaths = self.deaths + 1 if status == "died" else 0
        if self.deaths == _MOST_DEATHS:
            raise TuningError(f"the last {_MOST_DEATHS} candidates have ended their workers; is the device lost? "
                              "The same command continues with other candidates, and --retry measures these again")

    def _is_over(self, progress):
        over = time.monotonic() > self.deadline
        if over:
            progress.say("the time budget is used up; the same command continues")
        return over

    def _measure_finals(self):
        """Times the best candidates of each class in turn until all of them succeed. Returns whether all were timed."""
        while items := list(self._final_items()):
            lines = {id(item): line for item, line in items}
            with Progress(len(items), "finals") as progress:
                for item, result in self._work([item for item, _ in items]):
                    self._note_finals(lines[item.get("of", id(item))], item, result, progress)
                    if self._is_over(progress):
                        return False
        return True

    def _final_items(self):
        for target in self.targets:
            rows = choosing.finalists(target, self.journal, FINALISTS)
            files = [row["file"] for row in rows]
            for shape in target.shapes if len(rows) > 1 else []:
                if self.journal.find_finals(files, shape) is None:
                    item = self._item(target, shape, finals=[self._package(row) for row in rows])
                    yield item, {"finals": files, "shape": shape}

    def _note_finals(self, line, item, result, progress):
        progress.advance(format_sizes(item["sizes"]))
        by_package = {one["package"]: one["candidate"] for one in item["finals"]}
        culprit = result.get("culprit", result.get("about"))
        if "times" not in result and culprit in by_package:
            # The candidate was right when it was measured alone. The class gets other finalists without it.
            line = self._judge(os.path.basename(culprit), by_package[culprit], item, result)
            progress.say(f"{line['status']:>12}  {line['candidate']} at {format_sizes(item['sizes'])}: {line['error']}")
            self.journal.add(line)
            return
        files = {one["candidate"]: os.path.basename(one["package"]) for one in item["finals"]}
        times = {files[name]: row for name, row in result.get("times", {}).items()}
        if not times:
            progress.say(f"      finals  at {format_sizes(item['sizes'])}: {result.get('error', result)}")
        self.journal.add({**line, "times": times})
