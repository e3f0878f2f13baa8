# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the reference of the interface for Python from the docstrings of python/tessera.

The modules are parsed and not imported, since some need torch. A public name without a docstring is an error.
"""

import ast
import copy
import re

from api import ApiError, escape

HEAD = """# Interface for Python

Generated from the docstrings of `python/tessera`. [Kernels from Python](../docs/python.md) explains their use, and
[versions and stability](../docs/stability.md#python) which changes to expect.
"""
# Classes of objects that functions return, and their public methods.
RETURNED = {"Source": ("__getitem__", "keys"), "SourceKernel": ("__call__", "compile", "page")}


class _Module:
    def __init__(self, folder, name):
        self.path = folder / f"{name}.py"
        self.name = name
        self.tree = ast.parse(self.path.read_text())
        self.nodes = {node.name: node for node in self.tree.body
                      if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))}


class _Package:
    """The modules of a package, and the module of each exported name."""

    def __init__(self, root):
        self.root, self.folder = root, root / "python" / "tessera"
        self.modules = {}
        self.top = _Module(self.folder, "__init__")
        self.exports = [element.value for node in self.top.tree.body if isinstance(node, ast.Assign)
                        and ast.unparse(node.targets[0]) == "__all__" for element in node.value.elts]

    def module(self, name):
        if name not in self.modules:
            self.modules[name] = _Module(self.folder, name)
        return self.modules[name]

    def find(self, name):
        """Returns the module and the definition of an exported name; None for a value, such as __version__."""
        if name in self.top.nodes:
            return self.top, self.top.nodes[name]
        for node in self.top.tree.body:
            if isinstance(node, ast.ImportFrom) and node.level == 1:
                for alias in node.names:
                    if (alias.asname or alias.name) == name:
                        return self.follow(node.module, alias.name)
        return None

    def follow(self, module, name):
        """Returns a definition in a module, or in the module from which that one imports it."""
        path = (module or "__init__").replace(".", "/")
        found = self.module(path if (self.folder / f"{path}.py").exists() else f"{path}/__init__")
        return (found, found.nodes[name]) if name in found.nodes else None

    def find_returned(self, name):
        for path in sorted(self.folder.glob("*.py")):
            module = self.module(path.stem)
            if name in module.nodes:
                return module, module.nodes[name]
        raise ApiError(f"python/tessera has no class {name}; see RETURNED in site/python_api.py")


def has_decorator(method, name):
    return any(ast.unparse(decorator) == name for decorator in method.decorator_list)


def split_arguments(words):
    """Returns the parameters in a text; commas within brackets and quotes separate nothing."""
    parts, depth = [""], 0
    for piece in re.findall(r"'[^']*'|\"[^\"]*\"|.", words):
        depth += (piece in "([{") - (piece in ")]}")
        if piece == "," and not depth:
            parts.append("")
        else:
            parts[-1] += piece
    return [part.strip() for part in parts]


def write_signature(name, function, has_self=False):
    """Returns a call as text."""
    arguments = copy.deepcopy(function.args)
    if has_self:
        del (arguments.posonlyargs or arguments.args)[0]
    # The type Any says nothing.
    words = ast.unparse(arguments).replace(": typing.Any", "")
    text = f"{name}({words})"
    return text if len(text) <= 100 else f"{name}(\n    " + ",\n    ".join(split_arguments(words)) + ")"


def require_docstring(module, node, owner=""):
    text = ast.get_docstring(node)
    if not text:
        raise ApiError(f"{module.path.name}:{node.lineno}: '{owner}{node.name}' is public and has no docstring")
    return escape(text, "python")


def describe_function(package, module, node):
    prefix = "tessera.torch_ops." if module.name == "torch_ops" else "tessera."
    link = f"[Source](../python/tessera/{module.path.relative_to(package.folder)})"
    return (f"### {node.name}\n\n```python\n{write_signature(prefix + node.name, node)}\n```\n\n"
            f"{require_docstring(module, node)}\n\n{link}\n")


def describe_value(module, name):
    """Returns a value with the comment above its definition; an empty text for a value without one."""
    lines = module.path.read_text().splitlines()
    for node in module.tree.body:
        if not isinstance(node, (ast.Assign, ast.AnnAssign)):
            continue
        if ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target) != name:
            continue
        comment = []
        for line in reversed(lines[:node.lineno - 1]):
            if not line.startswith("# "):
                break
            comment.insert(0, line[2:])
        return f"### {name}\n\n{escape(chr(10).join(comment), 'python')}\n" if comment else ""
    return ""


def describe_class(package, module, node, only=None):
    """Returns a class with the call that makes it and its public methods."""
    methods = {item.name: item for item in node.body if isinstance(item, ast.FunctionDef)}
    parts = [f"### {node.name}\n"]
    if only is None and "__init__" in methods:
        parts.append(f"```python\n{write_signature(f'tessera.{node.name}', methods['__init__'], True)}\n```\n")
    parts.append(require_docstring(module, node) + "\n")
    if module.name == "errors":
        parts.append(f"Base class: `{ast.unparse(node.bases[0])}`.\n")
    variable = re.sub(r"(?<!^)([A-Z])", r"_\1", node.name).lower().split("_")[-1]
    for name, method in methods.items():
        if name not in only if only is not None else name.startswith("_") and name != "__call__":
            continue
        if name == "__getitem__":
            call = f"{variable}[{method.args.args[1].arg}]"
        elif has_decorator(method, "property"):
            call = f"{variable}.{name}"
        elif has_decorator(method, "staticmethod"):
            call = write_signature(f"tessera.{node.name}.{name}", method)
        else:
            call = write_signature(variable if name == "__call__" else f"{variable}.{name}", method, True)
        text = ast.get_docstring(method)
        if not text and not name.startswith("__"):
            require_docstring(module, method, f"{node.name}.")
        parts.append(f"```python\n{call}\n```\n")
        if text:
            parts.append(f"{escape(text, 'python')}\n")
    parts.append(f"[Source](../python/tessera/{module.path.relative_to(package.folder)})\n")
    return "\n".join(parts)


def write_python_api(root):
    """Returns the page."""
    package = _Package(root)
    functions, classes, errors, values = [], [], [], []
    for name in package.exports:
        found = package.find(name)
        if found is None:
            values.append(describe_value(package.top, name))
            continue
        module, node = found
        if not isinstance(node, ast.ClassDef):
            functions.append(describe_function(package, module, node))
        elif module.name == "errors":
            errors.append(describe_class(package, module, node))
        else:
            classes.append(describe_class(package, module, node))
    returned = [describe_class(package, *package.find_returned(name), only) for name, only in RETURNED.items()]
    operators = package.module("torch_ops")
    torch = [describe_function(package, operators, node) for name, node in operators.nodes.items()
             if not name.startswith("_")]
    introduction = escape(ast.get_docstring(package.top.tree), "python")
    sections = [
        ("Functions and values", [*functions, *filter(None, values)]),
        ("Kernels of a source", returned),
        ("Classes", classes),
        ("Operators of torch", [escape(ast.get_docstring(operators.tree), "python") + "\n", *torch]),
        ("Errors and warnings", errors),
    ]
    parts = [part for title, entries in sections for part in (f"## {title}\n", *entries)]
    return "\n".join([HEAD, introduction + "\n", *parts])
