# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parses `.tile` text into a tree."""

import re

from . import syntax
from .lexer import tokenize
from .problems import NotUnderstood

# Binary operators by increasing precedence; `as` and the unary ones follow.
LEVELS = [("||",), ("&&",), ("==", "!=", "<", "<=", ">", ">="), ("|",), ("^",), ("&",), ("<<", ">>"), ("+", "-"), ("*", "/", "%"), ("@",)]
COMPARISONS = 2
RESERVED = set("as assert else false fn for if in inf kernel let nan return true var".split())


class Parser:
    def __init__(self, text):
        self.tokens = tokenize(text)
        self.place = 0

    # Tokens.

    @property
    def token(self):
        return self.tokens[self.place]

    @property
    def line(self):
        return self.token.line

    def is_at(self, *texts):
        token = self.tokens[self.place]
        return token.kind in ("sign", "name") and token.text in texts

    def take(self, *texts):
        """Returns the text of the next token and skips the token, if it is one of these."""
        token = self.tokens[self.place]
        if token.kind in ("sign", "name") and token.text in texts:
            self.place += 1
            return token.text
        return None

    def expect(self, text):
        if not self.take(text):
            raise NotUnderstood(f"expected {text!r} and not {self.token.text!r}", self.line)

    def name(self):
        token = self.token
        if token.kind != "name" or token.text in RESERVED or token.text == "_":
            raise NotUnderstood(f"expected a name and not {token.text!r}", token.line)
        self.place += 1
        return token.text

    def string(self):
        token = self.token
        if token.kind != "string":
            raise NotUnderstood(f"expected a string and not {token.text!r}", token.line)
        self.place += 1
        return re.sub(r"\\(.)", r"\1", token.text[1:-1])

    def listed(self, close, read):
        """Returns the results of `read` between commas, up to a closing sign."""
        found = []
        while not self.take(close):
            if found:
                self.expect(",")
                if self.take(close):
                    break
            found.append(read())
        return found

    # Declarations.

    def file(self):
        file = syntax.File({}, {})
        while self.is_at("use"):
            file.uses.append(self.use())
        while self.token.kind != "end":
            if self.is_at("kernel"):
                kernel = self.kernel()
                file.kernels[kernel.name] = kernel
            else:
                fn = self.fn()
                file.fns[fn.name] = fn
        return file

    def use(self):
        line = self.line
        self.expect("use")
        path = self.string()
        self.expect("(")
        names = self.listed(")", self.name)
        self.expect(";")
        if not names:
            raise NotUnderstood("a use names no function", line)
        return syntax.Use(line, path, names)

    def fn(self):
        line = self.line
        self.expect("fn")
        name = self.name()
        self.expect("(")
        parameters = self.listed(")", self.fn_parameter)
        return syntax.Fn(line, name, parameters, self.block())

    def fn_parameter(self):
        line, name = self.line, self.name()
        return syntax.Parameter(line, name, self.postfix() if self.take(":") else None)

    def kernel(self):
        line = self.line
        self.expect("kernel")
        name = self.name()
        constants = self.listed(">", self.constant) if self.take("<") else []
        self.expect("(")
        kernel = syntax.Kernel(line, name, constants, self.listed(")", self.parameter), [], [])
        while not self.is_at("{"):
            if self.take("grid"):
                self.expect("(")
                kernel.grid = self.listed(")", self.axis)
            elif word := self.take("schedule", "numerics"):
                # Hints do not change results.
                self.expect("(")
                kernel.schedule[word] = self.listed(")", self.hint)
            else:
                raise NotUnderstood(f"expected '{{' and not {self.token.text!r}", self.line)
        kernel.body = self.block()
        return kernel

    def constant(self):
        line, name = self.line, self.name()
        self.expect(":")
        kind = syntax.Name(line, self.name())
        # The compiler may choose one of these values; here the default holds.
        if self.take("in"):
            self.expect("{")
            self.listed("}", self.expression)
        # A default may compare, but a `>` without an operand ends the list.
        return syntax.Parameter(line, name, kind, "constant", self.sum() if self.take("=") else None)

    def parameter(self):
        line = self.line
        access = "in"
        following = self.tokens[self.place + 1]
        if self.is_at("in", "out", "inout") and following.kind == "name":
            access = self.take("in", "out", "inout")
        name = self.name()
        self.expect(":")
        kind = self.postfix()
        condition = self.expression() if self.take("if") else None
        return syntax.Parameter(line, name, kind, access, condition=condition)

    def axis(self):
        line, name = self.line, self.name()
        self.expect("in")
        if self.is_at("tiles"):
            tiles = self.tiles()
            return syntax.Axis(line, name, tiles.high, tiles.extent)
        return syntax.Axis(line, name, self.expression(), None)

    def hint(self):
        name = self.name()
        if not self.take("="):
            return name, True
        if self.take("("):
            return name, self.listed(")", self.expression)
        return name, self.expression()

    # Statements.

    def block(self):
        self.expect("{")
        body = []
        while not self.take("}"):
            body.append(self.statement())
        return body

    def statement(self):
        line = self.line
        if word := self.take("let", "var"):
            return self.declaration(line, word == "var")
        if self.take("for"):
            return self.loop(line)
        if self.take("if"):
            return self.branch(line)
        if self.take("assert"):
            condition, message = self.expression(), ""
            if self.take(","):
                message = self.string()
            self.expect(";")
            return syntax.Assert(line, condition, message)
        if self.is_at("check") and self.begins_operand(self.tokens[self.place + 1]):
            self.expect("check")
            condition = self.expression()
            self.expect(",")
            message = self.string()
            self.expect(";")
            return syntax.Check(line, condition, message)
        if self.is_at("while") and self.begins_operand(self.tokens[self.place + 1]):
            self.expect("while")
            return syntax.While(line, self.expression(), self.block())
        if self.take("return"):
            values = [self.expression()]
            while self.take(","):
                values.append(self.expression())
            self.expect(";")
            return syntax.Return(line, values)
        return self.change(line)

    def begins_operand(self, token):
        return token.kind in ("name", "int", "float") or token.text in ("(", "!", "-", "~")

    def declaration(self, line, is_var):
        names = [self.name()]
        while self.take(","):
            names.append(self.name())
        self.expect("=")
        value = self.expression()
        self.expect(";")
        return syntax.Let(line, names, value, is_var)

    def change(self, line):
        """Parses an assignment, a store or a call."""
        target = self.postfix()
        if operator := self.take("=", "+=", "-=", "*=", "/="):
            value = self.expression()
            self.expect(";")
            if isinstance(target, syntax.Name):
                return syntax.Assign(line, target.name, operator[:-1], value)
            if isinstance(target, syntax.Index) and operator == "=":
                return syntax.Store(line, target, value)
            raise NotUnderstood("cannot assign to this", line)
        self.expect(";")
        if isinstance(target, syntax.Name) and target.name == "break":
            return syntax.Break(line)
        if not isinstance(target, syntax.Call):
            raise NotUnderstood("a statement that does nothing", line)
        return syntax.Effect(line, target)

    def loop(self, line):
        name = self.name()
        self.expect("in")
        if self.take("range"):
            self.expect("(")
            ends = self.listed(")", self.expression)
            if len(ends) not in (2, 3):
                raise NotUnderstood("a range has a low and a high end, and perhaps a step", line)
            step = ends[2] if len(ends) == 3 else syntax.Number(line, 1)
            return syntax.ForRange(line, name, ends[0], ends[1], step, *self.condition_and_block())
        if not self.is_at("tiles"):
            raise NotUnderstood("expected 'tiles' or 'range'", line)
        return syntax.ForTiles(line, name, self.tiles(), *self.condition_and_block())

    def condition_and_block(self):
        condition = self.expression() if self.take("while") else None
        return condition, self.block()

    def tiles(self):
        line = self.line
        is_single = self.take("tile", "tiles") == "tile"
        self.expect("(")
        part, ends = None, []
        while True:
            if self.is_at("part") and self.tokens[self.place + 1].text == "=":
                self.expect("part")
                self.expect("=")
                number = self.expression()
                self.expect("of")
                part = number, self.expression()
            else:
                ends.append(self.expression())
            if self.take(")"):
                break
            self.expect(",")
        if len(ends) not in (2, 3) or is_single and len(ends) == 2:
            raise NotUnderstood("wrong number of arguments", line)
        low = ends[0] if len(ends) == 3 else syntax.Number(line, 0)
        return syntax.Tiles(line, low, ends[-2], ends[-1], part, is_single)

    def branch(self, line):
        condition, body, other = self.expression(), self.block(), []
        if self.take("else"):
            inner = self.line
            other = [self.branch(inner)] if self.take("if") else self.block()
        return syntax.If(line, condition, body, other)

    # Expressions.

    def expression(self):
        return self.binary(0)

    def sum(self):
        """Parses an expression without comparisons, unless in parentheses."""
        return self.binary(COMPARISONS + 1)

    def binary(self, level):
        if level == len(LEVELS):
            return self.conversion()
        left = self.binary(level + 1)
        while True:
            line = self.line
            operator = self.take(*LEVELS[level])
            if not operator:
                return left
            left = syntax.Binary(line, operator, left, self.binary(level + 1))
            if level == COMPARISONS and self.is_at(*LEVELS[level]):
                raise NotUnderstood("comparisons do not chain", line)

    def conversion(self):
        value = self.unary()
        while True:
            line = self.line
            if not self.take("as"):
                return value
            value = syntax.Cast(line, value, syntax.Name(line, self.name()))

    def unary(self):
        line = self.line
        if operator := self.take("-", "!", "~"):
            return syntax.Unary(line, operator, self.unary())
        return self.postfix()

    def postfix(self):
        value = self.primary()
        while True:
            line = self.line
            if self.take("["):
                value = syntax.Index(line, value, self.listed("]", self.index))
            elif self.take("."):
                value = syntax.Member(line, value, self.name())
            else:
                return value

    def index(self):
        start, line = self.place, self.line
        if self.take("("):
            first = self.expression()
            if self.take(","):
                return syntax.Paired(line, [first, *self.listed(")", self.expression)])
            self.place = start
        if word := self.take("_", ".."):
            return word
        low = None if self.is_at(":") else self.expression()
        if not self.take(":"):
            return low
        high = None if self.is_at(",", "]") else self.expression()
        return ":" if low is None and high is None else syntax.Part(line, low, high)

    def primary(self):
        token, line = self.token, self.line
        if token.kind == "int":
            self.place += 1
            return syntax.Number(line, int(token.text, 16 if token.text.startswith("0x") else 10))
        if token.kind == "float":
            self.place += 1
            return syntax.Number(line, float(token.text))
        if word := self.take("true", "false", "inf", "nan"):
            return syntax.Number(line, float(word) if word in ("inf", "nan") else word == "true")
        if self.take("("):
            value = self.expression()
            self.expect(")")
            return value
        if self.take("if"):
            return self.choice(line)
        following = self.tokens[self.place + 1]
        if self.is_at("tile", "tiles") and following.text == "(":
            return self.tiles()
        name = self.name()
        if self.take("("):
            return self.call(line, name)
        return syntax.Name(line, name)

    def call(self, line, name):
        arguments, named = [], []

        def argument():
            following = self.tokens[self.place + 1]
            if self.token.kind == "name" and following.text == "=" and following.kind == "sign":
                word = self.name()
                self.expect("=")
                named.append((word, self.expression()))
            elif self.token.kind == "string":
                arguments.append(syntax.Text(self.line, self.string()))
            else:
                arguments.append(self.expression())
            return True

        self.listed(")", argument)
        return syntax.Call(line, name, arguments, named)

    def choice(self, line):
        condition = self.expression()
        first, value = self.value_block()
        self.expect("else")
        inner = self.line
        if self.take("if"):
            return syntax.Choice(line, condition, first, value, [], self.choice(inner))
        return syntax.Choice(line, condition, first, value, *self.value_block())

    def value_block(self):
        self.expect("{")
        lets = []
        while self.is_at("let"):
            line = self.line
            self.expect("let")
            lets.append(self.declaration(line, False))
        value = self.expression()
        self.expect("}")
        return lets, value


def parse(text):
    return Parser(text).file()
