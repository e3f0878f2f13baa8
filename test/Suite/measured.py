"""A lit test format that measures the CPU seconds of its commands.

The metric `cpu` counts the user and system time of the commands and of the worker that runs them. The metric
`calibration` is the time of a fixed loop in the same worker. The speed of machines differs by a factor of three, and
so does the speed of one machine under different loads.
"""

import resource
import time

import lit.formats
import lit.Test

# Seconds between two calibrations of a worker.
INTERVAL = 5


def cpu_seconds():
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def calibrate():
    """Returns the CPU seconds of a loop that allocates, hashes and sorts, as a compiler does."""
    start = time.thread_time()
    table = {}
    for number in range(12000):
        table[f"%{number * 7919 % 12007}"] = [number]
    sorted(table, key=lambda name: (len(name), table[name]))
    return time.thread_time() - start


class MeasuredTest(lit.formats.ShTest):
    calibrated = 0.0

    def execute(self, test, lit_config):
        start = cpu_seconds()
        result = super().execute(test, lit_config)
        if isinstance(result, tuple):
            result = lit.Test.Result(*result)
        result.addMetric("cpu", lit.Test.RealMetricValue(cpu_seconds() - start))
        if time.monotonic() - MeasuredTest.calibrated > INTERVAL:
            result.addMetric("calibration", lit.Test.RealMetricValue(calibrate()))
            MeasuredTest.calibrated = time.monotonic()
        return result
