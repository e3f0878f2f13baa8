"""Log-probabilities of a linear layer with gradients: a loss over a large vocabulary without its logits.

    logp = linear_logp(h, w, target)
    logp, entropy = linear_logp(h, w, target, temperature=t, entropy=True)
    (-logp.sum() / (target != -100).sum()).backward()

h is [..., D], w [V, D], and target [...] of any integer type. Inputs that the kernels do not support go to
`expression`, which computes the same in torch operations with all logits in memory.
"""

import importlib.util
import pathlib

import tessera
import tessera.torch_ops
import torch

_HERE = pathlib.Path(__file__).resolve().parent
_SPEC = importlib.util.spec_from_file_location("linear_logp_choices", _HERE / "choices.py")
choices = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(choices)
KERNELS = tessera.load(_HERE / "kernel.tile")
# The largest number of gradients of logits in memory at a time.
MOST_LOGITS = 2**27
# The default number of bytes of exponentials that the forward pass keeps for the gradients: those of 4096 rows and
# 262144 words.
MOST_STORED = 2**31
# The parts of the vocabulary that linear_logp_restore computes at a time. Most of its programs end at once.
RESTORED_PARTS = 32


def _present(**arguments):
    """Returns the arguments that are not None."""
    return {name: value for name, value in arguments.items() if value is not None}


def run_forward(h, w, target, bias, temperature, ignore, ignored, moments, parts, stored):
    """Returns logp, the log-sum-exp, the moments of the logits, and tensors for the gradients.

    `moments` selects the moments: none, the entropy, or also the variance. The tensors for the gradients are the
    exponentials of the first `stored` words, and the log-sum-exp relative to their reference. Unselected results are
    empty. `parts` = 0 chooses the number of parts."""
    rows, words = h.shape[0], w.shape[0]
    has_bias, has_temperature = bias is not None, temperature is not None
    options = {"ENTROPY": moments > 0, "VARIANCE": moments > 1}
    multiprocessors = (torch.cuda.get_device_properties(h.device).multi_processor_count if h.is_cuda
                       else choices.MULTIPROCESSORS)

    def slice_words(low, high):
        """Returns the inputs for a range of words."""
        return {"h": h, "w": w[low:high],
                **_present(bias=bias[low:high] if has_bias else None, temperature=temperature),
                "BIAS": has_bias, "TEMPERATURE": has_temperature}

    pieces = [piece for piece in ((0, stored), (stored, words)) if piece[0] < piece[1]] or [(0, words)]
    counts = [parts or choices.choose_parts(rows, high - low, multiprocessors) for low, high in pieces]
    names = ["plse", "ppick", "pentropy", "pvariance"][:2 + moments]
    planes = {name: h.new_empty((sum(counts), rows), dtype=torch.float32) for name in names}
    p, shift = h.new_empty(0), h.new_empty(0, dtype=torch.float32)
    mine, flag = {}, None
    for (low, high), count, end in zip(pieces, counts, (counts[0], sum(counts))):
        given = slice_words(low, high)
        out = {name: plane[end - count:end] for name, plane in planes.items()}
        if high == stored:
            mine = {"bound": KERNELS["linear_logp_bound"](**given)}
            p = h.new_empty((rows, stored))
            KERNELS["linear_logp"](**given, **mine, target=target, first=low, S=count, **out, p=p, **options,
                                   STORED=True)
        else:
            KERNELS["linear_logp"](**given, target=target, first=low, words=words, S=count, **out, **options)
    found = KERNELS["linear_logp_merge"](**planes, **mine, target=target, words=words, ignore=ignore, ignored=ignored,
                                         **options, STORED=stored > 0)
    if stored:
        *found, shift, flag = found
        KERNELS["linear_logp_restore"](**slice_words(0, stored), lse=found[1], shift=shift, flag=flag,
                                       S=RESTORED_PARTS, p=p)
        KERNELS["linear_logp_target"](target, 0, ignore, found[0], shift, p)
    return (*found, *(h.new_empty(0, dtype=torch.float32) for _ in range(2 - moments)), p, shift)


def run_backward(h, w, target, bias, temperature, logp, lse, entropy, variance, p, shift, dlogp, dentropy, ignore,
                 chunk):
    """Returns dh, dw, dbias and dtemperature; the last two are empty without a bias or a temperature.

    dentropy is empty if nothing depends on the entropy."""
    words, has_entropy = w.shape[0], dentropy.numel() > 0
    stored = p.shape[1] if p.dim() == 2 else 0
    dw = torch.empty_like(w)
    dbias = h.new_empty(0) if bias is None else torch.empty_like(bias)
    # The gradient of an entropy needs registers that wide tiles do not leave.
    slope = {"entropy": entropy, "dentropy": dentropy, "BV": 128} if has_entropy else {}
    dh = None
    total = None if stored == words else (torch.empty_like if stored else torch.zeros_like)(h, dtype=torch.float32)
    chunks = [(0, stored)] * (stored > 0) + [(low, min(low + chunk, words)) for low in range(stored, words, chunk)]
    for low, high in chunks:
        rows = slice(low, high)
        if high == stored > 0:
            dz = p
            a, right = KERNELS["linear_logp_scale"](
                h, target=target, words=words, ignore=ignore, shift=shift, dlogp=dlogp,
                **_present(temperature=temperature), TEMPERATURE=temperature is not None)
            scale = {"a": a, "STORED": True}
        else:
            dz = KERNELS["linear_logp_dz"](
                h, w[rows], target=target, first=low, words=words, ignore=ignore, lse=lse, dlogp=dlogp, **slope,
                **_present(bias=bias if bias is None else bias[rows], temperature=temperature),
                BIAS=bias is not None, TEMPERATURE=temperature is not None, ENTROPY=has_entropy)
            right, scale = h, {}
        dh = KERNELS["linear_logp_dh"](dz, w[rows], first=low, words=words, **_present(total=total), **scale,
                                       FIRST=high == stored > 0, LAST=high == words)
        KERNELS["linear_logp_dw"](dz, right, out=dw[rows])
        if bias is not None:
            KERNELS["linear_logp_dbias"](dz, **scale, out=dbias[rows])
    dtemperature = h.new_empty(0, dtype=torch.float32)
    if temperature is not None and entropy.numel():
        spread = {"variance": variance, "dentropy": dentropy} if has_entropy else {}
        dtemperature = KERNELS["linear_logp_dtemperature"](
            temperature, target, words=words, ignore=ignore, logp=logp, entropy=entropy, dlogp=dlogp, **spread,
            ENTROPY=has_entropy)
    return dh, dw, dbias, dtemperature


forward_op = torch.library.custom_op(
    "tessera_examples::linear_logp", run_forward, mutates_args=(),
    schema="(Tensor h, Tensor w, Tensor target, Tensor? bias, Tensor? temperature, int ignore, float ignored, "
           "int moments, int parts, SymInt stored) -> (Tensor, Tensor, Tensor, Tensor, Tensor, Tensor)")
backward_op = torch.library.custom_op(
    "tessera_examples::linear_logp_backward", run_backward, mutates_args=(),
    schema="(Tensor h, Tensor w, Tensor target, Tensor? bias, Tensor? temperature, Tensor logp, Tensor lse, "
           "Tensor entropy, Tensor variance, Tensor p, Tensor shift, Tensor dlogp, Tensor dentropy, int ignore, "
           "SymInt chunk) "
           "-> (Tensor, Tensor, Tensor, Tensor)")


@forward_op.register_fake
def _(h, w, target, bias, temperature, ignore, ignored, moments, parts, stored):
    vectors = [h.new_empty(h.shape[0] if is_there else 0, dtype=torch.float32)
               for is_there in (True, True, moments > 0, moments > 1, stored > 0)]
    return (*vectors[:4], h.new_empty((h.shape[0], stored) if stored else 0), vectors[4])


@backward_op.register_fake
def _(h, w, target, bias, temperature, logp, lse, entropy, *rest):
    dbias = h.new_empty(0) if bias is None else torch.empty_like(bias)
    has_gradient = temperature is not None and entropy.shape[0] != 0
    dtemperature = torch.empty_like(temperature) if has_gradient else h.new_empty(0, dtype=torch.float32)
    return torch.empty_like(h), torch.empty_like(w), dbias, dtemperature


def _save(ctx, inputs, output):
    h, w, target, bias, temperature, ctx.ignore, *_ = inputs
    ctx.mark_non_differentiable(*output[4:])
    ctx.save_for_backward(h, w, target, bias, temperature, *output)


def _backward(ctx, dlogp, dlse, dentropy, dvariance, *_):
    h, w, target, bias, temperature, logp, lse, entropy, variance, p, shift = ctx.saved_tensors
    # Chunks are complete tiles of words. Kernels take dense tensors, but a gradient may be an expanded scalar.
    chunk = max(MOST_LOGITS // max(h.shape[0], 1) // 256, 1) * 256
    # The variance exists if the entropy is a result, or if the gradient of the temperature needs it. Exponentials are
    # stored if the entropy is not a result.
    has_entropy = entropy.numel() > 0 and (temperature is None or variance.numel() > 0) and shift.numel() == 0
    dh, dw, dbias, dtemperature = backward_op(
        h, w, target, bias, temperature, logp, lse, entropy, variance, p, shift, dlogp.contiguous(),
        dentropy.contiguous() if has_entropy else dentropy.new_empty(0), ctx.ignore, chunk)
    return (dh, dw, None, None if bias is None else dbias, dtemperature if dtemperature.numel() else None,
            None, None, None, None, None)


forward_op.register_autograd(_backward, setup_context=_save)


def expression(h, w, target, bias=None, temperature=None, ignore=-100, ignored=0.0, entropy=False):
    """Computes the same in torch operations, in f32, or in f64 for f64 inputs; h is [N, D]."""
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
                parts=0, stored=MOST_STORED, fallback=True):
    """Returns log_softmax((h wᵀ + bias) / temperature)[target] in f32; with `entropy` also the entropy of the softmax.

    A target equal to `ignore` gives `ignored`. Any other target that is not a word gives NaN; with `check`, which
    waits for the device, it raises an ArgumentError. The vocabulary is computed in `parts` in parallel. By default the
    number of rows determines their number. With a fixed number and stored = 0, the bits of a row do not depend on the
    number of rows.

    If gradients are needed, the forward pass keeps exponentials of logits, in at most `stored` bytes. The exponentials
    of all words take 2 N V bytes and save the backward pass one of four products. Gradients of other words, of f16
    inputs and with `entropy` recompute the logits.

    With fallback=False, inputs that the kernels do not support raise an ArgumentError.
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
    # A target that does not fit 32 bits must not become a word.
    target = target.clamp(-2**31, 2**31 - 1).to(torch.int32)
    needs_gradient = temperature is not None and temperature.requires_grad
    moments = 2 if entropy and temperature is not None else 1 if entropy or needs_gradient else 0
    temperature = temperature if temperature is None else temperature.float()
    has_gradient = torch.is_grad_enabled() and any(
        x is not None and x.requires_grad for x in (h, w, bias, temperature))
    words = (choices.choose_stored(h.shape[0], w.shape[0], stored)
             if has_gradient and not entropy and h.dtype == torch.bfloat16 else 0)
    logp, _, found, *_ = forward_op(h, w, target, bias, temperature, ignore, ignored, moments, parts, words)
    return (logp.view(shape), found.view(shape)) if entropy else logp.view(shape)
