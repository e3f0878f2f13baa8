"""Compares counts of broken rules with the committed counts, which may only fall."""

import json

from prose import sentences, texts

# The number of sentences is informative, but not compared.
COMPARED = (*sentences.RULES, "median")


def find_sentences(root, kind):
    """Yields (path, line, sentence) of a kind."""
    for path, line, paragraph in texts.read_kind(root, kind):
        yield from ((path, *sentence) for sentence in sentences.split(line, paragraph))


def count_all(root):
    """Returns {kind: counts}."""
    return {kind: sentences.count([sentence for _, _, sentence in find_sentences(root, kind)])
            for kind in texts.PATTERNS}


def list_broken(root, kind, rule):
    """Yields `path:line: sentence` of the sentences that break a rule."""
    for path, line, sentence in find_sentences(root, kind):
        if sentences.RULES[rule](sentence):
            yield f"{path}:{line}: {sentence}"


def compare(found, committed):
    """Yields a problem for each count that rose."""
    for kind, counts in found.items():
        for rule in COMPARED:
            most = committed[kind][rule]
            if counts[rule] > most:
                how = "use --list to print them" if rule in sentences.RULES else "shorten new sentences"
                yield f"{kind}: {rule} rose from {most} to {counts[rule]}; {how}"


def write(path, found):
    rows = ",\n".join(f' "{kind}": {json.dumps(counts)}' for kind, counts in found.items())
    path.write_text("{\n" + rows + "\n}\n")
