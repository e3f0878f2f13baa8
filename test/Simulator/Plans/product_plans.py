# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans of products (`#sm.product`, `sm.warpgroups`) in the text of phase `products`."""

import dataclasses
import re

PHASE, PHASES, BEFORE = "products", "sm,fence", ()
TOLERANCE, KEEPS_BITS = 0.02, False
MORE = {}
PLANS_VARIANTS = False
MOST_REFUSALS, MAY_HAVE_NO_OTHER = 100, True

PRODUCT = re.compile(r"#sm\.product<(\w+), a = (\w+(?: \d+)?), b = (\w+(?: \d+)?)>")
WARPGROUPS = re.compile(r"sm\.warpgroups = (\d)")
OPERANDS = ["registers",
            *(f"{kind}{swizzle}" for kind in ("shared", "transposed") for swizzle in ("", " 32", " 64", " 128"))]


def read(text):
    return Plan(text) if PRODUCT.search(text) else None


@dataclasses.dataclass
class Plan:
    text: str

    def write(self):
        return self.text

    def draw(self, rng):
        """Returns a plan with one to three changed fields, or None if it is the old one."""
        plan = self
        for _ in range(rng.randint(1, 3)):
            plan, _ = plan.mutate(rng)
        return plan if plan.text != self.text else None

    def mutate(self, rng):
        """Changes one field; returns the plan and the name of the field."""
        products = list(PRODUCT.finditer(self.text))
        field = rng.choice(["unit", "a", "a", "b", "b", "warpgroups"])
        if field == "warpgroups":
            return Plan(WARPGROUPS.sub(f"sm.warpgroups = {rng.randint(1, 3)}", self.text)), field
        found = rng.choice(products)
        unit, a, b = found.groups()
        if field == "unit":
            unit = rng.choice(["tensor_cores", "threads"])
        elif field == "a":
            a = rng.choice(OPERANDS)
        else:
            b = rng.choice(OPERANDS)
        changed = f"#sm.product<{unit}, a = {a}, b = {b}>"
        # The masked and the whole copy of a product read their tiles from one place.
        if rng.random() < 0.7:
            return Plan(self.text.replace(found[0], changed)), field
        return Plan(self.text[:found.start()] + changed + self.text[found.end():]), field

    def expects(self, refusal):
        """Any change of a plan may be refused."""
        return True

    def traits(self):
        return []

    def summary(self):
        return f"{len(PRODUCT.findall(self.text))} products"
