"""Splits paragraphs into sentences, and applies the rules of wording to them."""

import re
import statistics

END = re.compile(r"[.!?][\")\]’”*_]*(?=\s+[\"(\[“*_]*[A-Z0-9<]|\s*$)")
ABBREVIATION = re.compile(r"\b(e\.g|i\.e|etc|vs|cf|Fig|No|St|resp)\.$")
WORD = re.compile(r"[A-Za-z0-9][\w'’./+-]*")
LONG = 30
BEGINNINGS = re.compile(r"^\W*(What|Who|Whoever|Whatever|Those|All that)\b")
BANNED = re.compile(
    r"\bbeside\b|\b(?:of|by) which\b|\bwho\b|\bg(?:ive|ives|iving|ave|iven) (?:\w+ )?back\b"
    r"|\bhand(?:s|ed|ing)? (?:\w+ )?on\b|\ble(?:ave|aves|aving|ft) (?:\w+ )?away\b|\bno whole\b|\bas many as\b"
    r"|\bstands?\b|\bstood\b|\bha(?:s|ve) (?:its|their) room\b|, too\b|\b(?:is|are|was|were) to be\b|\bbut for\b",
    re.IGNORECASE)


def clean(paragraph):
    """Replaces code by one word, links by their text, and drops tags; line ends stay."""
    def keep_lines(word):
        return lambda match: word + "\n" * match[0].count("\n")
    text = re.sub(r"<!--.*?-->", keep_lines(""), paragraph, flags=re.S)
    text = re.sub(r"``.+?``|`[^`]*`", keep_lines("<code>"), text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", lambda match: match[1], text)
    text = re.sub(r"</?[a-z][^>\n]*>", lambda match: match[0] if match[0] == "<code>" else "", text)
    return text.replace("**", "")


def split(line, paragraph):
    """Yields (line, sentence). A sentence has three words or more."""
    text, start = clean(paragraph), 0
    ends = [match.end() for match in END.finditer(text) if not ABBREVIATION.search(text[:match.end()])]
    for end in [*ends, len(text)]:
        sentence = text[start:end]
        words = " ".join(sentence.split())
        if len(WORD.findall(words.replace("<code>", "code"))) >= 3:
            begin = start + len(sentence) - len(sentence.lstrip())
            yield line + text.count("\n", 0, begin), words
        start = end


def length(sentence):
    return len(WORD.findall(sentence.replace("<code>", "code")))


# Each rule returns how often a sentence breaks it.
RULES = {
    "begins": lambda sentence: int(bool(BEGINNINGS.match(sentence))),
    "banned": lambda sentence: len(BANNED.findall(sentence)),
    "long": lambda sentence: int(length(sentence) > LONG),
}


def count(sentences):
    """Returns the counts of the rules, the number of sentences and the median of their words."""
    counts = {rule: sum(map(breaks, sentences)) for rule, breaks in RULES.items()}
    median = statistics.median(map(length, sentences)) if sentences else 0
    return {"sentences": len(sentences), **counts, "median": median}
