"""A worker without measurements: times are computed from names, and some candidates fail.

TILE_TUNE_LOG gets a line for each item. TILE_TUNE_STOP=N ends the tuner, our parent, at item N. TILE_TUNE_RACE names
a candidate that is wrong when it is timed with others. With TILE_TUNE_DEAD no item survives."""

import os
import signal
import sys
import time

from tessera.tune import workers

def time_of(candidate, sizes):
    words = dict(word.split("=") for word in candidate.split()) if candidate != "defaults" else {"BM": 16, "BN": 16}
    rows, columns = int(words["BM"]), int(words["BN"])
    # Tiles of a quarter of the rows are the best, and wide ones.
    return abs(rows - sizes["M"] / 4) + 10 + 32 / columns


def log(item):
    names = [one["candidate"] for one in item["finals"]] if "finals" in item else [item["candidate"]]
    with open(os.environ["TILE_TUNE_LOG"], "a+") as file:
        file.seek(0)
        count = len(file.readlines()) + 1
        file.write(f"{' / '.join(names)} at M={item['sizes']['M']}{' lost' * (item.get('package') in item['lost'])}\n")
    if count == int(os.environ.get("TILE_TUNE_STOP", 0)):
        # By then earlier answers are written.
        time.sleep(0.5)
        os.kill(os.getppid(), signal.SIGTERM)
        time.sleep(60)


def measure(item):
    name, file = item["candidate"], os.path.basename(item["package"])
    assert os.path.exists(item["package"]) and item["arguments"] == {"s": 0.5}, item
    if item["package"] in item["lost"]:
        return {"lost": item["lost"][item["package"]]}
    if name == "BM=8 BN=64":
        workers.announce(file)
        time.sleep(60)
    if name == "BM=32 BN=32" or "TILE_TUNE_DEAD" in os.environ:
        print("an illegal address", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGSEGV)
    if name == "BM=64 BN=32":
        return {"wrong": "'y' has a relative RMS error of 3.0e-01"}
    return {"ms": time_of(name, item["sizes"]), "spread": 0.01}


def main():
    for item in workers.items():
        if "machine" in item:
            workers.answer({"device": os.environ.get("TILE_TUNE_DEVICE", "a machine of paper")})
            continue
        log(item)
        racing = [one for one in item.get("finals", []) if one["candidate"] == os.environ.get("TILE_TUNE_RACE")]
        if racing:
            workers.answer({"wrong": "only when others run", "culprit": racing[0]["package"]})
        elif "finals" in item:
            workers.answer({"times": {one["candidate"]: {"ms": time_of(one["candidate"], item["sizes"]), "spread": 0.0}
                                      for one in item["finals"]}})
        else:
            workers.answer(measure(item))


main()
