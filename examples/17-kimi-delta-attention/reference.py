"""Float64 reference of Kimi delta attention and its gradients."""

from delta_steps import ALWAYS_F32, bars, make_inputs, reference  # noqa: F401


def inputs(case, rng):
    return make_inputs(case, rng, (case.B, case.L, case.H, case.DK))


def launches(case):
    tiles = "T DK DV C"
    initial, final = (" initial", " dfinal") if case.INITIAL else ("", "")
    yield "kda_chunks", tiles + " BK", "q k v g beta scale", "a kk p t w u qs ke"
    if case.PART != "gradients":
        yield "kda", tiles + " BV INITIAL", "qs ke w u p a beta" + initial, "o final"
    if case.PART == "forward":
        return
    yield "kda", tiles + " BV INITIAL OUTPUTS=false STATES=true", "ke w u a beta" + initial, "states r"
    yield ("kda_back", f"{tiles} BV FINAL={str(case.INITIAL).lower()}", "qs ke w p do a beta" + final,
           "de dstates dinitial")
    yield "kda_values_back", "T DV C", "beta do r de t kk scale", "dv dbeta same dp dkk"
    yield ("kda_chunks_back", tiles + " BK", "q k g beta do r dv dp dkk same states dstates scale", "dq dk dg")
