"""Mutants of the launch metadata of a package: tensor maps, grid, cluster, shared memory, arguments."""

import copy
import json
import re

import package_file
from ptx_mutants import Mutant

BITS = {"f32": 32, "i32": 32, "bf16": 16, "f16": 16}
# Bytes within which parts of rows are exchanged.
SWIZZLES = {"none": 1 << 16, "32B": 32, "64B": 64, "128B": 128}


def is_refused(kernel, tensor_map):
    """Whether rows of a box are wider than the swizzle: the runtime would then launch another variant."""
    width = tensor_map["box"][0] * BITS.get(kernel["parameters"][tensor_map["parameter"]]["dtype"], 8) // 8
    return width > SWIZZLES[tensor_map["swizzle"]]


def change_tensor_map(kernel, number):
    """Yields other tensor maps: pairs of a description and the map."""
    this = kernel["tensorMaps"][number]

    def changed(**fields):
        return {**copy.deepcopy(this), **fields}

    def turned(numbers, place):
        return [*numbers[:place], numbers[place + 1], numbers[place], *numbers[place + 2 :]]

    box, order = this["box"], this["order"]
    for place, size in enumerate(box):
        if size > 1:
            yield "box halved", changed(box=[*box[:place], size // 2, *box[place + 1 :]])
        if size * 2 <= 256 and place:
            yield "box doubled", changed(box=[*box[:place], size * 2, *box[place + 1 :]])
    for place in range(len(box) - 1):
        if box[place] != box[place + 1]:
            yield "box turned", changed(box=turned(box, place))
        if place:
            yield "order turned", changed(order=turned(order, place))
    for swizzle in SWIZZLES:
        if swizzle != this["swizzle"]:
            yield "swizzle", changed(swizzle=swizzle)
    tensors = kernel["parameters"]
    for other, parameter in enumerate(tensors):
        own = tensors[this["parameter"]]
        if other != this["parameter"] and parameter["kind"] == "tensor" and (
                len(parameter["dims"]), parameter["dtype"]) == (len(own["dims"]), own["dtype"]):
            yield "another tensor", changed(parameter=other)


def change_kernel(kernel, is_read):
    """Yields other launches of a kernel: a description, its subject, and the changed fields.

    `is_read` returns by number whether the kernel reads an argument."""
    for number in range(len(kernel["tensorMaps"])):
        for what, changed in change_tensor_map(kernel, number):
            if is_refused(kernel, changed):
                continue
            maps = copy.deepcopy(kernel["tensorMaps"])
            maps[number] = changed
            tensor = kernel["parameters"][changed["parameter"]]["name"]
            yield "tensor map: " + what, tensor, {"tensorMaps": maps}
    if kernel["sharedMemory"]:
        yield "less shared memory", "bytes", {"sharedMemory": max(kernel["sharedMemory"] - 1024, 0)}
    for axis, size in enumerate(kernel["grid"]):
        if axis == 0 or size != "1":
            grid = [*kernel["grid"]]
            grid[axis] = f"({size}) floordiv 2"
            yield "grid floordiv 2", size, {"grid": grid}
    if kernel["cluster"] != [1, 1, 1]:
        yield "no cluster", "cluster", {"cluster": [1, 1, 1]}
    for less in (32, 128):
        if kernel["threads"] > less:
            yield "fewer threads", "threads", {"threads": kernel["threads"] - less}
    arguments = kernel["arguments"]
    for number, argument in enumerate(arguments):
        if argument["kind"] == "size" and is_read(number):
            # An additional tile is beyond the tensor, where copies are clipped.
            for change in ("+ 1", "floordiv 2") if "ceildiv" not in argument["size"] else ("floordiv 2",):
                changed = copy.deepcopy(arguments)
                changed[number]["size"] = f"({argument['size']}) {change}"
                yield "argument " + change, argument["size"], {"arguments": changed}
        after = arguments[number + 1] if number + 1 < len(arguments) else argument
        reads = is_read(number) or is_read(number + 1)
        kinds = [(each["kind"], each.get("type")) for each in (argument, after)]
        if reads and argument != after and kinds[0] == kinds[1]:
            changed = copy.deepcopy(arguments)
            changed[number : number + 2] = changed[number + 1], changed[number]
            yield "arguments swapped", f"{number} and {number + 1}", {"arguments": changed}


def make_mutants(data, text, entry):
    """Yields all mutants of the launch of the kernel with this entry in the PTX."""
    body = text[text.index(f".visible .entry {entry}(") :]
    body = body[body.index("{") :]

    def is_read(number):
        return re.search(rf"\b{entry}_param_{number}\b", body) is not None

    metadata = package_file.read_metadata(data)
    for number, kernel in enumerate(metadata["kernels"]):
        if kernel["entry"] != entry:
            continue
        for what, of, fields in change_kernel(kernel, is_read):
            changed = copy.deepcopy(metadata)
            changed["kernels"][number].update(fields)
            yield Mutant("launch", what, of, None, None, None,
                         package_file.change_metadata(data, lambda _: json.dumps(changed)))
