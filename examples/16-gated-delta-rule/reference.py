"""Float64 reference of the gated delta rule and its gradients."""

from delta_steps import ALWAYS_F32, bars, make_inputs, reference  # noqa: F401


def inputs(case, rng):
    return make_inputs(case, rng, (case.B, case.L, case.H))


def launches(case):
    tiles = "T DK DV C"
    initial, final = (" initial", " dfinal") if case.INITIAL else ("", "")
    yield "delta_chunks", tiles, "q k v g beta scale", "c p t w u"
    if case.PART != "gradients":
        yield "delta_rule", tiles + " BV INITIAL", "q k w u c p scale" + initial, "o final"
    if case.PART == "forward":
        return
    yield ("delta_rule", tiles + " BV INITIAL OUTPUTS=false STATES=true", "k w u c" + initial, "states e")
    yield ("delta_rule_back", f"{tiles} BV FINAL={str(case.INITIAL).lower()}", "q k w do c p scale" + final,
           "de dstates dinitial")
    yield ("delta_chunks_back", tiles, "q k v beta do e de c t states dstates scale", "dq dk dv dg dbeta")
