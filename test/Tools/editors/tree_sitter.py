"""Checks the tree-sitter grammar without its command: makes the LALR(1) parser that it describes, and parses.

Usage: tree_sitter.py ROOT

The grammar has no conflict that its precedences leave open. It parses every example and every source of the suite that
the front end accepts, and gives the trees of the corpus. Node evaluates grammar.js.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
from collections import defaultdict

# The functions of a grammar.js, as JSON. Rules are values such as ["seq", [RULE, ...]].
DSL = """
const rule = (x) => (typeof x === "string" ? ["token", x] : x instanceof RegExp ? ["pattern", x.source] : x);
const all = (xs) => xs.map(rule);
const ranked = (side) => (level, x) => ["prec", level, side, rule(x)];
const dsl = {
  seq: (...xs) => ["seq", all(xs)], choice: (...xs) => ["choice", all(xs)], repeat: (x) => ["repeat", rule(x)],
  optional: (x) => ["choice", [rule(x), ["seq", []]]], field: (name, x) => ["field", name, rule(x)],
  alias: (x, to) => ["alias", rule(x), to[1]], prec: Object.assign(ranked("none"), { left: ranked("left") }),
  grammar: (options) => {
    const $ = new Proxy({}, { get: (_, name) => ["symbol", name] });
    const rules = Object.entries(options.rules).map(([name, make]) => [name, rule(make($))]);
    return { name: options.name, word: options.word($)[1], extras: all(options.extras($)), rules };
  },
};
Object.assign(globalThis, dsl);
console.log(JSON.stringify(require(process.argv[1])));
"""
END = "end"


class Grammar:
    """Productions of symbols. A terminal is a token's text in quotes, or the name of a rule that is one pattern."""

    def __init__(self, path):
        node = ["node", "-e", DSL, path]
        self.source = json.loads(subprocess.run(node, capture_output=True, check=True, text=True).stdout)
        self.rules = dict(self.source["rules"])
        self.patterns = {name: rule[1] for name, rule in self.rules.items() if rule[0] == "pattern"}
        self.tokens, self.productions, self.count = set(), [], 0
        for name, rule in self.rules.items():
            if name not in self.patterns:
                self.add(name, rule)
        used = {symbol for _, body, *_ in self.productions for symbol, _, _ in body}
        unused = set(self.rules) - used - {next(iter(self.rules)), "comment"}
        assert not unused, f"rules that nothing uses: {unused}"
        self.terminals = {f'"{token}"' for token in self.tokens} | set(self.patterns) | {END}
        self.by_name = defaultdict(list)
        for number, (name, *_) in enumerate(self.productions):
            self.by_name[name].append(number)

    def new_rule(self, kind):
        self.count += 1
        return f"{kind}#{self.count}"

    def add(self, name, rule):
        for body, level, side in self.expand(rule):
            self.productions.append((name, tuple(body), level, side))

    def expand(self, rule):
        """Returns the alternatives of a rule as lists of (symbol, field, alias), with their precedence."""
        kind, *rest = rule
        if kind == "token":
            self.tokens.add(rest[0])
            return [([(f'"{rest[0]}"', None, None)], 0, "none")]
        if kind == "pattern":
            name = self.new_rule("pattern")
            self.patterns[name] = rest[0]
            return [([(name, None, None)], 0, "none")]
        if kind == "symbol":
            assert rest[0] in self.rules, f"there is no rule {rest[0]}"
            return [([(rest[0], None, None)], 0, "none")]
        if kind == "choice":
            return [found for part in rest[0] for found in self.expand(part)]
        if kind == "repeat":
            name = self.new_rule("repeat")
            self.productions.append((name, (), 0, "none"))
            for body, level, side in self.expand(rest[0]):
                self.productions.append((name, ((name, None, None), *body), level, side))
            return [([(name, None, None)], 0, "none")]
        if kind == "seq":
            bodies = [([], 0, "none")]
            for part in rest[0]:
                bodies = [(a + b, max(x, y), s if s != "none" else t)
                          for a, x, s in bodies for b, y, t in self.expand(part)]
            return bodies
        if kind == "prec":
            return [(body, rest[0], rest[1]) for body, _, _ in self.expand(rest[2])]
        wrap = {"field": lambda s, f, a: (s, rest[0], a), "alias": lambda s, f, a: (s, f, rest[1])}[kind]
        inner = self.expand(rest[1] if kind == "field" else rest[0])
        return [([wrap(*symbol) for symbol in body], level, side) for body, level, side in inner]


class Parser:
    """LALR(1): the sets of items of LR(0), and the lookaheads of their kernels by propagation."""

    def __init__(self, grammar):
        self.grammar = grammar
        start = next(iter(grammar.rules))
        self.start = len(grammar.productions)
        grammar.productions.append(("start#", ((start, None, None),), 0, "none"))
        self.find_firsts()
        self.make_states()
        self.propagate()
        self.make_actions()

    def find_firsts(self):
        productions = self.grammar.productions
        self.first = {terminal: {terminal} for terminal in self.grammar.terminals}
        self.first.update({name: set() for name, *_ in productions})
        self.nullable = set()
        changed = True
        while changed:
            changed = False
            for name, body, *_ in productions:
                before = len(self.first[name]), name in self.nullable
                found, is_nullable = self.first_of([symbol for symbol, *_ in body])
                self.first[name] |= found
                if is_nullable:
                    self.nullable.add(name)
                changed |= before != (len(self.first[name]), name in self.nullable)

    def first_of(self, symbols):
        found = set()
        for symbol in symbols:
            found |= self.first[symbol]
            if symbol not in self.nullable:
                return found, False
        return found, True

    def next_symbol(self, item):
        number, dot = item
        body = self.grammar.productions[number][1]
        return body[dot][0] if dot < len(body) else None

    def close(self, kernel):
        """Returns the items of a state with their lookaheads; `kernel` maps items to lookaheads."""
        items = {item: set(ahead) for item, ahead in kernel.items()}
        work = list(items)
        while work:
            item = work.pop()
            name = self.next_symbol(item)
            if name not in self.grammar.by_name:
                continue
            number, dot = item
            rest = [symbol for symbol, *_ in self.grammar.productions[number][1][dot + 1:]]
            ahead, is_nullable = self.first_of(rest)
            if is_nullable:
                ahead = ahead | items[item]
            for other in self.grammar.by_name[name]:
                known = items.get((other, 0))
                if known is None or not ahead <= known:
                    items[other, 0] = (known or set()) | ahead
                    work.append((other, 0))
        return items

    def make_states(self):
        first = frozenset([(self.start, 0)])
        self.states, self.numbers, self.edges = [first], {first: 0}, []
        for state in self.states:
            targets = defaultdict(set)
            for item in self.close({item: set() for item in state}):
                symbol = self.next_symbol(item)
                if symbol is not None:
                    targets[symbol].add((item[0], item[1] + 1))
            edges = {}
            for symbol, kernel in targets.items():
                kernel = frozenset(kernel)
                if kernel not in self.numbers:
                    self.numbers[kernel] = len(self.states)
                    self.states.append(kernel)
                edges[symbol] = self.numbers[kernel]
            self.edges.append(edges)

    def propagate(self):
        self.ahead = [{item: set() for item in state} for state in self.states]
        self.ahead[0][self.start, 0].add(END)
        work = set(range(len(self.states)))
        while work:
            number = work.pop()
            for item, ahead in self.close(self.ahead[number]).items():
                symbol = self.next_symbol(item)
                if symbol is None:
                    continue
                target = self.edges[number][symbol]
                known = self.ahead[target][item[0], item[1] + 1]
                if not ahead <= known:
                    known |= ahead
                    work.add(target)

    def make_actions(self):
        self.actions = []
        for number in range(len(self.states)):
            actions = {}
            items = self.close(self.ahead[number])
            for item, ahead in items.items():
                if self.next_symbol(item) is None:
                    for token in ahead:
                        if token in actions:
                            sys.exit(f"two rules end before `{token}`: {self.describe(item)}, "
                                     f"{self.describe((actions[token], 0))}")
                        actions[token] = item[0]
            for token in list(actions):
                if token in self.edges[number] and not self.reduces(items, actions[token], token):
                    del actions[token]
            self.actions.append(actions)

    def reduces(self, items, number, token):
        """Decides by precedence between the end of a rule and a longer one."""
        _, _, level, side = self.grammar.productions[number]
        shifts = [item for item in items if self.next_symbol(item) == token]
        levels = {self.grammar.productions[item[0]][2] for item in shifts}
        if all(level > other for other in levels):
            return True
        if all(level < other for other in levels):
            return False
        if levels == {level} and side == "left":
            return True
        sys.exit(f"conflict at `{token}`: {self.describe((number, 0))}, or {', '.join(map(self.describe, shifts))}")

    def describe(self, item):
        name, body, *_ = self.grammar.productions[item[0]]
        return f"{name} -> {' '.join(symbol for symbol, *_ in body)}"

    def parse(self, text):
        """Returns the tree as nested lists; raises SyntaxError."""
        patterns, word = self.grammar.patterns, self.grammar.source["word"]
        states, values, at = [0], [], 0
        texts = sorted(self.grammar.tokens, key=len, reverse=True)
        while True:
            skipped = re.compile(r"(?:\s|//[^\n]*)*").match(text, at)
            at = skipped.end()
            state = states[-1]
            valid = set(self.edges[state]) | set(self.actions[state])
            found = []
            for name, pattern in patterns.items():
                match = name in valid and re.compile(pattern).match(text, at)
                if match:
                    found.append((match.end() - at, 0, name))
            for token in texts:
                # A keyword is a whole word.
                if f'"{token}"' in valid and text.startswith(token, at):
                    whole = re.compile(patterns[word]).match(text, at)
                    if not whole or whole[0] == token:
                        found.append((len(token), 1, f'"{token}"'))
            length, _, token = max(found, default=(0, 0, END if at == len(text) else None))
            while token in self.actions[states[-1]]:
                number = self.actions[states[-1]][token]
                name, body, *_ = self.grammar.productions[number]
                if number == self.start:
                    return values[0]
                count = len(body)
                children = list(zip(body, values[len(values) - count:]))
                del states[len(states) - count:], values[len(values) - count:]
                states.append(self.edges[states[-1]][name])
                values.append(self.make_node(name, children))
            if token not in self.edges[states[-1]]:
                line = text.count("\n", 0, at) + 1
                raise SyntaxError(f"line {line}: unexpected {text[at:at + 20]!r}")
            states.append(self.edges[states[-1]][token])
            values.append([token] if token in patterns and "#" not in token else [])
            at += length

    def make_node(self, name, children):
        """Returns [name, (field, node), ...]; a hidden rule is the list of its nodes."""
        found = []
        for (symbol, field, alias), value in children:
            nodes = [(None, value)] if value and isinstance(value[0], str) else value
            if alias and value:
                nodes = [(None, [alias, *value[1:]])] if isinstance(value[0], str) else nodes
            found += [(field or inner, node) for inner, node in nodes]
        return found if name.startswith("_") or "#" in name else [name, *found]


def write_tree(node, depth=0):
    name, *children = node
    lines = [f"{'  ' * depth}({name}"]
    for field, child in children:
        inner = write_tree(child, depth + 1)
        lines.append(f"{'  ' * (depth + 1)}{field + ': ' if field else ''}{inner.lstrip()}")
    return "\n".join(lines) + ")"


def check_corpus(parser, folder):
    count = 0
    for path in sorted(folder.iterdir()):
        pattern = r"===+\n(.*)\n===+\n((?:.|\n)*?)\n---+\n((?:.|\n)*?)(?=\n===|\Z)"
        for name, text, tree in re.findall(pattern, path.read_text()):
            found = write_tree(parser.parse(text))
            if found.split() != tree.split():
                sys.exit(f"{path}: {name}: got\n{found}")
            count += 1
    return count


def main():
    if not shutil.which("node"):
        return print("0 sources without node")
    root = pathlib.Path(sys.argv[1])
    folder = root / "editors/tree-sitter-tile"
    parser = Parser(Grammar(folder / "grammar.js"))
    print(f"{len(parser.states)} states")
    paths = [path for name in ("examples", "test") for path in sorted((root / name).rglob("*.tile"))
             if "invalid" not in path.as_posix().lower()]
    for path in paths:
        try:
            parser.parse(path.read_text())
        except SyntaxError as error:
            sys.exit(f"{path}: {error}")
    print(f"{len(paths)} sources")
    for wrong in ("kernel f() { let x 1; }", "kernel f() { x = 1 }", "fn f(a { return a; }", "kernel f() { x[1 = 2; }",
                  "kernel f() { a < b < c; }", "let x = 1;"):
        try:
            parser.parse(wrong)
        except SyntaxError:
            continue
        sys.exit(f"accepts {wrong!r}")
    print(f"{check_corpus(parser, folder / 'test/corpus')} trees")
    names = set(parser.grammar.rules) | parser.grammar.tokens
    # Without comments and predicates.
    query = re.sub(r"^;.*$|\(#.*$", "", (folder / "queries/highlights.scm").read_text(), flags=re.MULTILINE)
    unknown = [name for name in re.findall(r'\((\w+)|"([^"]+)"', query) if "".join(name) not in names]
    assert not unknown, f"highlights.scm has unknown names: {unknown}"


if __name__ == "__main__":
    main()
