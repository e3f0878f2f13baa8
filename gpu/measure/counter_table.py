# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The hardware counters that counters.py requests from Nsight Compute: their names, and functions to read and print
them."""

import csv
import re

STALLED = re.compile(r"smsp__average_warps_issue_stalled_(\w+?)_per_issue_active(\.ratio)?$")
# Not a stall, but the state of a warp that issues.
ISSUES = "selected"
TOP_STALLS = 3

_BUSY = ".avg.pct_of_peak_sustained_elapsed"
_SHARED = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"
_CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"
_LOCAL = ("smsp__sass_inst_executed_op_local_ld.sum", "smsp__sass_inst_executed_op_local_st.sum")

# Heading, metric, factor, digits. Percentages are relative to the peak of the unit over the whole launch.
COLUMNS = (
    ("us", "gpu__time_duration.sum", 1e-3, 1),
    ("kcycles", "sm__cycles_elapsed.max", 1e-3, 1),
    ("tensor%", "sm__pipe_tensor_cycles_active" + _BUSY, 1, 1),
    ("FMA%", "sm__pipe_fma_cycles_active" + _BUSY, 1, 1),
    ("ALU%", "sm__pipe_alu_cycles_active" + _BUSY, 1, 1),
    ("XU%", "sm__inst_executed_pipe_xu" + _BUSY, 1, 1),
    ("issue%", "sm__inst_issued" + _BUSY, 1, 1),
    ("Minst", "smsp__inst_executed.sum", 1e-6, 1),
    ("GB/s", "dram__bytes.sum.per_second", 1e-9, 0),
    ("DRAM%", "gpu__dram_throughput" + _BUSY, 1, 1),
    ("L2%", "lts__throughput" + _BUSY, 1, 1),
    ("hit%", "lts__t_sector_hit_rate.pct", 1, 1),
    ("smem%", _SHARED + ".pct_of_peak_sustained_elapsed", 1, 1),
    ("confl%", None, 1, 1),
    ("local", None, 1, 0),
    ("regs", "launch__registers_per_thread", 1, 0),
    ("warps", "sm__warps_active.avg.per_cycle_active", 1, 1),
)
# Metrics of the columns that are computed.
_PARTS = (_SHARED, _CONFLICTS, *_LOCAL)
# Metrics that are only written to the file.
_FURTHER = ("lts__t_sectors_op_red.sum",)


def choose_metrics(known):
    """Returns (metrics to request, wanted metrics that the chip lacks), from the output of `ncu --query-metrics`.

    If ncu does not know one name, it counts nothing. It does not list the metrics launch__*, but has them."""
    names = {words[0] for words in map(str.split, known) if words}
    wanted = [metric for _, metric, _, _ in COLUMNS if metric] + [*_PARTS, *_FURTHER]
    absent = [metric for metric in wanted
              if not metric.startswith("launch__") and metric.split(".")[0] not in names]
    stalls = sorted(name + ".ratio" for name in names if STALLED.match(name))
    return [metric for metric in wanted if metric not in absent] + stalls, absent


def _number(text):
    """Returns the number of a cell, or None for `n/a` and `nan`: not measured."""
    try:
        value = float(text.replace(",", ""))
    except ValueError:
        return None
    return value if value == value else None


def read_csv(lines, wanted):
    """Returns the launches in the output of `ncu --csv --page raw`.

    The output is a row of names, a row of units, and a row for each launch, with messages between them. It has more
    columns than were requested."""
    rows = list(csv.reader(line for line in lines if line.startswith('"')))
    launches = []
    for cells in rows[2:]:
        row = dict(zip(rows[0], cells))
        metrics = {name: _number(row[name]) for name in wanted if name in row}
        launches.append({"kernel": row["Kernel Name"], "grid": row["Grid Size"],
                         "metrics": {name: value for name, value in metrics.items() if value is not None}})
    return launches


def _computed(heading, metrics):
    if heading == "confl%" and metrics.get(_SHARED) and _CONFLICTS in metrics:
        return 100 * metrics[_CONFLICTS] / metrics[_SHARED]
    if heading == "local" and all(name in metrics for name in _LOCAL):
        return sum(metrics[name] for name in _LOCAL)
    return None


def _cell(column, metrics):
    heading, metric, factor, digits = column
    value = metrics.get(metric) if metric else _computed(heading, metrics)
    return "-" if value is None else f"{value * factor:.{digits}f}"


def top_stalls(metrics):
    """Returns the most frequent stall reasons, each with its share of the resident warps."""
    found = {match[1]: value for name, value in metrics.items() if (match := STALLED.match(name))}
    whole = sum(found.values())
    found.pop(ISSUES, None)
    chosen = sorted(found, key=found.get, reverse=True)[:TOP_STALLS]
    return [(name, found[name] / whole) for name in chosen if found[name]]


_FORM = "{:<24}" + " {:>7}" * len(COLUMNS) + "  {}"


def heading():
    return _FORM.format("kernel", *(column[0] for column in COLUMNS), "warps wait for")


def table_row(launch):
    metrics = launch["metrics"]
    stalls = ", ".join(f"{name} {100 * share:.0f} %" for name, share in top_stalls(metrics))
    return _FORM.format(launch["kernel"][:24], *(_cell(column, metrics) for column in COLUMNS),
                        stalls).rstrip()


def format_row(row):
    """Yields the lines of the table for one shape with one configuration."""
    yield f"{row['shape']}: {row['package']}"
    if "error" in row:
        yield f"  {row['error']}"
    for launch in row.get("launches", []):
        yield table_row(launch)
