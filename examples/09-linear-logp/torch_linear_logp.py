"""Log-probabilities of a linear layer with gradients: a loss over a large vocabulary without its logits.

    logp = linear_logp(h, w, target)
    logp, entropy = linear_logp(h, w, target, temperature=t, entropy=True)
    (-logp.sum() / (target != -100).sum()).backward()

h is [..., D], w [V, D], and target [...] of any integer type. Inputs that the kernels are not made for go to
`expression`, which is the same in operations of torch and has all logits in memory.
"""

import pathlib

import tessera
import tessera.torch_ops
import torch

_HERE = pathlib.Path(__file__).resolve().parent
KERNELS = tessera.load(_HERE / "kernel.tile")
# The elements of the gradients of logits that are in memory at a time.
MOST_LOGITS = 2**27
# The rows and words of a tile of linear_logp, and the multiprocessors of an H100 or H200.
ROWS, WORDS, MULTIPROCESSORS = 128, 192, 132


def _present(**arguments):
    """The arguments that there are."""
    return {name: value for name, value in arguments.items() if value is not None}


def choose_parts(rows, words, multiprocessors):
    """The number of parts of the vocabulary with which programs fill whole waves of multiprocessors. Of numbers
    that fill them about as well, the least is chosen: each part is a partial result for each row."""
    tiles = max(-(-rows // ROWS), 1)
    most = max(min(max(multiprocessors // tiles, 8), words // WORDS), 1)
    fill = {parts: tiles * parts / (-(-tiles * parts // multiprocessors) * multiprocessors)
            for parts in range(1, most + 1)}
    return min(parts for parts in fill if fill[parts] >= 0.97 * max(fill.values()))


def run_forward(h, w, target, bias, temperature, ignore, ignored, moments, parts):
    """logp, the log-sum-exp, and the moments of the logits that are asked for: none, the entropy, or the
    variance, too. Results that are not asked for have no elements. `parts` is 0 to choose the number."""
    options = {"ENTROPY": moments > 0, "VARIANCE": moments > 1}
    given = _present(bias=bias, temperature=temperature)
    multiprocessors = (torch.cuda.get_device_properties(h.device).multi_processor_count if h.is_cuda
                       else MULTIPROCESSORS)
    parts = parts or choose_parts(h.shape[0], w.shape[0], multiprocessors)
    found = KERNELS["linear_logp"](
        h, w, target=target, first=0, words=w.shape[0], S=parts, **given, **options, BIAS=bias is not None,
        TEMPERATURE=temperature is not None)
    names = ("plse", "ppick", "pentropy", "pvariance")
    merged = KERNELS["linear_logp_merge"](**dict(zip(names, found)), target=target, words=w.shape[0], ignore=ignore,
                                          ignored=ignored, **options)
    return (*merged, *(h.new_empty(0, dtype=torch.float32) for _ in range(2 - moments)))


def run_backward(h, w, target, bias, temperature, logp, lse, entropy, variance, dlogp, dentropy, ignore, chunk):
    """dh, dw, dbias and dtemperature, the last two without elements if there is no bias or no temperature.
    dentropy has no elements if nothing depends on the entropy."""
    words, has_entropy = w.shape[0], dentropy.numel() > 0
    dw, total = torch.empty_like(w), torch.zeros_like(h, dtype=torch.float32)
    dbias = h.new_empty(0) if bias is None else torch.empty_like(bias)
    # The gradient of an entropy takes registers that wide tiles have not left.
    slope = {"entropy": entropy, "dentropy": dentropy, "BV": 128} if has_entropy else {}
    dh = None
    for low in range(0, words, chunk):
        rows = slice(low, min(low + chunk, words))
        dz = KERNELS["linear_logp_dz"](
            h, w[rows], target=target, first=low, words=words, ignore=ignore, lse=lse, dlogp=dlogp, **slope,
            **_present(bias=bias if bias is None else bias[rows], temperature=temperature), BIAS=bias is not None,
            TEMPERATURE=temperature is not None, ENTROPY=has_entropy)
        dh = KERNELS["linear_logp_dh"](dz, w[rows], first=low, words=words, total=total, LAST=rows.stop == words)
        KERNELS["linear_logp_dw"](dz, h, out=dw[rows])
        if bias is not None:
            KERNELS["linear_logp_dbias"](dz, out=dbias[rows])
    dtemperature = h.new_empty(0, dtype=torch.float32)
    if temperature is not None and entropy.numel():
        spread = {"variance": variance, "dentropy": dentropy} if has_entropy else {}
        dtemperature = KERNELS["linear_logp_dtemperature"](
            temperature, target, words=words, ignore=ignore, logp=logp, entropy=entropy, dlogp=dlogp, **spread,
            ENTROPY=has_entropy)
    return dh, dw, dbias, dtemperature


forward_op = torch.library.custom_op(
    "tessera_examples::linear_logp", run_forward, mutates_args=(), device_types="cuda",
    schema="(Tensor h, Tensor w, Tensor target, Tensor? bias, Tensor? temperature, int ignore, float ignored, "
           "int moments, int parts) -> (Tensor, Tensor, Tensor, Tensor)")
backward_op = torch.library.custom_op(
    "tessera_examples::linear_logp_backward", run_backward, mutates_args=(), device_types="cuda",
    schema="(Tensor h, Tensor w, Tensor target, Tensor? bias, Tensor? temperature, Tensor logp, Tensor lse, "
           "Tensor entropy, Tensor variance, Tensor dlogp, Tensor dentropy, int ignore, SymInt chunk) "
           "-> (Tensor, Tensor, Tensor, Tensor)")


@forward_op.register_fake
def _(h, w, target, bias, temperature, ignore, ignored, moments, parts):
    return tuple(h.new_empty(h.shape[0] if i < 2 + moments else 0, dtype=torch.float32) for i in range(4))


@backward_op.register_fake
def _(h, w, target, bias, temperature, logp, lse, entropy, *rest):
    dbias = h.new_empty(0) if bias is None else torch.empty_like(bias)
    has_gradient = temperature is not None and entropy.shape[0] != 0
    dtemperature = torch.empty_like(temperature) if has_gradient else h.new_empty(0, dtype=torch.float32)
    return torch.empty_like(h), torch.empty_like(w), dbias, dtemperature


def _save(ctx, inputs, output):
    h, w, target, bias, temperature, ctx.ignore, _, _, _ = inputs
    ctx.save_for_backward(h, w, target, bias, temperature, *output)


def _backward(ctx, dlogp, dlse, dentropy, dvariance):
    h, w, target, bias, temperature, logp, lse, entropy, variance = ctx.saved_tensors
    # In whole tiles of words; kernels take dense tensors, and a gradient may be a number that is repeated.
    chunk = max(MOST_LOGITS // max(h.shape[0], 1) // 256, 1) * 256
    # There is a variance where the entropy is a result, or no temperature whose gradient needs it.
    has_entropy = entropy.numel() > 0 and (temperature is None or variance.numel() > 0)
    dh, dw, dbias, dtemperature = backward_op(
        h, w, target, bias, temperature, logp, lse, entropy, variance, dlogp.contiguous(),
        dentropy.contiguous() if has_entropy else dentropy.new_empty(0), ctx.ignore, chunk)
    return (dh, dw, None, None if bias is None else dbias, dtemperature if dtemperature.numel() else None,
            None, None, None, None)


forward_op.register_autograd(_backward, setup_context=_save)


def expression(h, w, target, bias=None, temperature=None, ignore=-100, ignored=0.0, entropy=False):
    """The same in operations of torch, in f32 or, for f64, in f64; h is [N, D]."""
    wide = torch.promote_types(h.dtype, torch.float32)
    z = h.to(wide) @ w.to(wide).T
    if bias is not None:
        z = z + bias.to(wide)
    if temperature is not None:
        z = z / temperature.to(wide)[:, None]
    logs = z.log_softmax(1)
    exists = (target >= 0) & (target < w.shape[0]) & (target != ignore)
    picked = logs.gather(1, torch.where(exists, target, 0).long()[:, None])[:, 0]
    logp = torch.where(exists, picked, torch.where(target == ignore, ignored, float("nan")))
    if not entropy:
        return logp
    finite = logs.masked_fill(logs == float("-inf"), 0.0)
    return logp, -(logs.exp() * finite).sum(1)


def linear_logp(h, w, target, bias=None, temperature=None, ignore=-100, ignored=0.0, entropy=False, check=False,
                parts=0, fallback=True):
    """log_softmax((h wᵀ + bias) / temperature)[target], and with `entropy` that of the softmax, in f32.

    Where a target is `ignore` it is `ignored`; where it is no word, NaN, or with `check`, which waits for the device,
    an ArgumentError. The vocabulary is computed in `parts` at the same time. By default the number of rows determines
    how many; with a fixed number, the bits of a row do not depend on the number of rows.
    With fallback=False inputs that the kernels are not made for are an ArgumentError.
    """
    if check:
        tessera.require_targets(target, w.shape[0], ignore)
    shape, h, target = target.shape, h.flatten(0, -2), target.flatten()
    temperature = temperature if temperature is None else temperature.flatten()
    reason = tessera.torch_ops.reason_against(_present(h=h, w=w, bias=bias))
    if reason is not None:
        if not fallback:
            raise tessera.ArgumentError(f"no kernel of linear_logp: {reason}")
        found = expression(h, w, target, bias, temperature, ignore, ignored, entropy)
        return tuple(x.view(shape) for x in found) if entropy else found.view(shape)
    # What does not fit 32 bits must not become a word.
    target = target.clamp(-2**31, 2**31 - 1).to(torch.int32)
    needs_gradient = temperature is not None and temperature.requires_grad
    moments = 2 if entropy and temperature is not None else 1 if entropy or needs_gradient else 0
    temperature = temperature if temperature is None else temperature.float()
    logp, _, found, _ = forward_op(h, w, target, bias, temperature, ignore, ignored, moments, parts)
    return (logp.view(shape), found.view(shape)) if entropy else logp.view(shape)
