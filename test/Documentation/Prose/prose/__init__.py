"""Counts sentences of the repository that break the rules of wording.

`texts` takes paragraphs out of files, `sentences` splits them and applies the rules, `ratchet` compares the counts
with the committed ones.
"""
