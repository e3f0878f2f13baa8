# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How a notebook displays kernels and their compilation."""

import html

_STYLE = "border: 1px solid; border-radius: 4px; padding: 8px; overflow: auto; max-height: 24em"


def summarise(kernel):
    """Returns HTML with the comment, the source and the parameters of a kernel."""
    signature = kernel.signature
    rows = [(row["name"], row["access"], signature.describe(row["name"])) for row in signature.parameters.values()]
    rows += [(name, "compile-time", f"{row['type']} = {signature.default(name) or ''}".removesuffix(" = "))
             for name, row in signature.compile_time.items()]
    cells = "".join("<tr>" + "".join(f"<td style='text-align: left'>{html.escape(text)}</td>" for text in row) + "</tr>"
                    for row in rows)
    needed = ", ".join(f"{name}=…" for name, row in signature.compile_time.items() if not row["hasDefault"])
    return (f"<div><p><b>kernel {html.escape(kernel.name)}</b> of {html.escape(str(kernel.source.path))}</p>"
            f"<p>{html.escape(signature.documentation)}</p><table>{cells}</table>"
            f"<details><summary>source</summary><pre style='{_STYLE}'>"
            f"{html.escape(kernel.source.text.decode('utf-8', 'replace'))}</pre></details>"
            f"<p><code>kernel.page({html.escape(needed)})</code> shows how it is compiled.</p></div>")


class Page:
    """The page of a compilation. `path` is its file, which every browser shows."""

    def __init__(self, path):
        self.path = path

    def __repr__(self):
        return f"<page {self.path}>"

    def _repr_html_(self):
        text = html.escape(self.path.read_text(encoding="utf-8", errors="replace"))
        return f'<iframe srcdoc="{text}" style="width: 100%; height: 45em; border: 1px solid"></iframe>'
