# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs items in worker processes, so that one failing item does not affect others.

A kernel error leaves the CUDA context of its process unusable, a wrong barrier never ends, and a wrong address may
end the process. A worker reads its items as JSON from standard input and answers each with `answer`, in order.
Before a step that may hang or die, the worker names the step with `announce`. After an item that ended a worker, the
parent starts a new worker for the rest.
"""

import json
import queue
import subprocess
import sys
import tempfile
import threading

_MARK = "@@ "


def answer(result):
    print(_MARK + json.dumps({"result": result}), flush=True)


def announce(what):
    print(_MARK + json.dumps({"about": what}), flush=True)


def items():
    """Returns the items of this worker."""
    return json.load(sys.stdin)


def _read(stream, lines):
    for line in stream:
        lines.put(line)
    lines.put(None)


def _last_line(file):
    file.seek(0)
    lines = [line.strip() for line in file.read().splitlines() if line.strip()]
    return lines[-1] if lines else "no message"


def _run_worker(command, rest, timeout):
    """Yields answers for the first items of `rest`.

    The last answer has "fatal" if the worker is unusable. "about" is its last announcement."""
    with tempfile.TemporaryFile("w+") as errors:
        worker = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=errors, text=True)
        lines = queue.Queue()
        threading.Thread(target=_read, args=(worker.stdout, lines), daemon=True).start()
        try:
            try:
                json.dump(rest, worker.stdin)
                worker.stdin.close()
            except BrokenPipeError:
                pass  # It died at once; its output ends below.
            about, answered = None, 0
            while answered < len(rest):
                try:
                    line = lines.get(timeout=timeout)
                except queue.Empty:
                    yield {"error": f"no answer after {timeout:g} s", "fatal": True, "about": about}
                    return
                if line is None:
                    status = worker.wait()
                    how = f"signal {-status}" if status < 0 else f"status {status}"
                    yield {"error": f"the process ended with {how}: {_last_line(errors)}",
                           "fatal": True, "about": about}
                    return
                if not line.startswith(_MARK):
                    print(line, end="", file=sys.stderr)
                    continue
                message = json.loads(line.removeprefix(_MARK))
                if "about" in message:
                    about = message["about"]
                    continue
                answered += 1
                yield {"about": about, **message["result"]}
                about = None
                if message["result"].get("fatal"):
                    return
        finally:
            worker.kill()
            worker.wait()


def run(command, all_items, timeout, again=None):
    """Yields (item, answer) for each item. `again(item, answer)` may return a replacement for an item that ended its
    worker."""
    rest = list(all_items)
    while rest:
        for result in _run_worker(command, list(rest), timeout):
            item = rest.pop(0)
            if result.get("fatal") and again and (next_item := again(item, result)) is not None:
                rest.insert(0, next_item)
            else:
                yield item, result


def run_parallel(run_part, all_items, jobs):
    """Splits the items into `jobs` parts, runs `run_part(part)` on all in parallel, and yields their results as they
    come.

    An error in one part is printed and ends only that part."""
    done = queue.Queue()

    def run_one(part):
        try:
            for found in run_part(part):
                done.put((found,))
        finally:
            done.put(None)

    parts = [all_items[job::jobs] for job in range(jobs)]
    threads = [threading.Thread(target=run_one, args=(part,), daemon=True) for part in parts]
    for thread in threads:
        thread.start()
    for _ in parts:
        for (found,) in iter(done.get, None):
            yield found
    for thread in threads:
        thread.join()
