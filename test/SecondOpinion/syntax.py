# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The nodes of a program's tree; each node has its first line."""

from dataclasses import dataclass, field


@dataclass
class Node:
    line: int


# Expressions.


@dataclass
class Number(Node):
    """A literal: an int, a float or a bool."""

    value: object


@dataclass
class Name(Node):
    name: str


@dataclass
class Unary(Node):
    operator: str
    operand: Node


@dataclass
class Binary(Node):
    operator: str
    left: Node
    right: Node


@dataclass
class Cast(Node):
    operand: Node
    type: Node


@dataclass
class Part(Node):
    """low:high; a bound may be None."""

    low: Node
    high: Node


@dataclass
class Index(Node):
    """base[indices]; an index is an expression, a list of positions, a part, or one of ":", "_", ".."."""

    base: Node
    indices: list


@dataclass
class Paired(Node):
    """(positions, …) in an index of a tensor."""

    positions: list


@dataclass
class Member(Node):
    base: Node
    name: str


@dataclass
class Text(Node):
    """A string, which only `asm` and `print` take."""

    text: str


@dataclass
class Call(Node):
    """`named` is a list of pairs."""

    function: str
    arguments: list
    named: list


@dataclass
class Tiles(Node):
    """tiles(low, high, extent, part = s of S), or tile(low, high, extent) for a single tile."""

    low: Node
    high: Node
    extent: Node
    part: tuple
    is_single: bool


@dataclass
class Choice(Node):
    """if c { let …; a } else { let …; b } as a value."""

    condition: Node
    first: list
    value: Node
    other: list
    other_value: Node


# Statements.


@dataclass
class Let(Node):
    """Several names take the values of one call."""

    names: list
    value: Node
    is_var: bool


@dataclass
class Assign(Node):
    """name operator= value; the operator may be empty."""

    name: str
    operator: str
    value: Node


@dataclass
class Store(Node):
    target: Index
    value: Node


@dataclass
class ForTiles(Node):
    name: str
    tiles: Tiles
    condition: Node
    body: list


@dataclass
class ForRange(Node):
    name: str
    low: Node
    high: Node
    step: Node
    condition: Node
    body: list


@dataclass
class If(Node):
    condition: Node
    body: list
    other: list


@dataclass
class Assert(Node):
    condition: Node
    message: str


@dataclass
class While(Node):
    condition: Node
    body: list


@dataclass
class Check(Node):
    condition: Node
    message: str


@dataclass
class Effect(Node):
    """A call without a result."""

    call: Node


@dataclass
class Return(Node):
    values: list


# Declarations.


@dataclass
class Parameter(Node):
    """A parameter of a kernel (access "in", "out" or "inout", a type and dimensions or None), or of a function."""

    name: str
    type: Node
    access: str = "in"
    default: Node = None
    condition: Node = None


@dataclass
class Fn(Node):
    """`visible` has the functions that the body may call, by name."""

    name: str
    parameters: list
    body: list
    visible: dict = field(default_factory=dict)


@dataclass
class Axis(Node):
    """`extent` is None if the axis binds an int."""

    name: str
    size: Node
    extent: Node


@dataclass
class Kernel(Node):
    name: str
    constants: list
    parameters: list
    grid: list
    body: list
    schedule: dict = field(default_factory=dict)


@dataclass
class Break(Node):
    pass


@dataclass
class Use(Node):
    path: str
    names: list


@dataclass
class File:
    """`visible` has the functions of the file and those that it uses."""

    kernels: dict
    fns: dict
    uses: list = field(default_factory=list)
    visible: dict = field(default_factory=dict)
