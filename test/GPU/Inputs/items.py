"""Usage: items.py PYTHON_FOLDER [worker]"""

import os
import signal
import sys
import time

sys.path.insert(0, sys.argv[1])
from tessera.tune import workers  # noqa: E402


def work():
    for item in workers.items():
        if item == "exit":
            workers.announce("exit")
            print("a last word", file=sys.stderr, flush=True)
            os._exit(3)
        if item == "crash":
            os.kill(os.getpid(), signal.SIGKILL)
        if item == "hang":
            time.sleep(100)
        workers.answer({"value": item.upper(), **({"fatal": True} if item in ("lost", "bad") else {})})


def main():
    if len(sys.argv) > 2:
        return work()
    names = ["one", "exit", "crash", "two", "hang", "lost", "bad", "three"]
    again = {"bad": "replaced"}
    command = [sys.executable, __file__, sys.argv[1], "worker"]
    for item, result in workers.run(command, names, 3, lambda item, result: again.get(item)):
        print(f"{item}: {result}")


main()
