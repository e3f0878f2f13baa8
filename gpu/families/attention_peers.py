# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention of torch, FlashAttention-3, FlashAttention-4 and Triton, on tensors [B, H, S, D]."""

from . import peers
from .device import torch

BACKENDS = {"cuDNN": "CUDNN_ATTENTION", "FA2": "FLASH_ATTENTION"}


def sdpa(backend, q, k, v, scale, causal):
    from torch.nn.attention import SDPBackend, sdpa_kernel
    with sdpa_kernel(getattr(SDPBackend, BACKENDS[backend])):
        return torch.nn.functional.scaled_dot_product_attention(
            q, k, v, is_causal=causal, scale=scale, enable_gqa=q.shape[1] != k.shape[1])


def gradients(o, inputs, do):
    """Returns a function that computes dq, dk, dv from the results of the forward pass o."""
    def run():
        return dict(zip(("dq", "dk", "dv"), torch.autograd.grad(o, inputs, do, retain_graph=True)))
    return run


def with_gradient(*tensors):
    return [tensor.detach().requires_grad_() for tensor in tensors]


def sdpa_forward(backend, q, k, v, scale, causal):
    """Returns prepare() for a backend of scaled_dot_product_attention."""
    def prepare():
        return lambda: {"o": sdpa(backend, q, k, v, scale, causal)}
    return prepare


def sdpa_backward(backend, q, k, v, do, scale, causal):
    def prepare():
        inputs = with_gradient(q, k, v)
        return gradients(sdpa(backend, *inputs, scale, causal), inputs, do)
    return prepare


def sequence_first(tensor):
    """Returns [B, H, S, D] as dense [B, S, H, D]."""
    return tensor.transpose(1, 2).contiguous()


def flash3_forward(q, k, v, scale, causal):
    def prepare():
        flash = peers.load("FlashAttention-3")
        tensors = [sequence_first(x) for x in (q, k, v)]
        return lambda: {"o": flash.flash_attn_func(*tensors, softmax_scale=scale, causal=causal).transpose(1, 2)}
    return prepare


def triton_forward(q, k, v, scale, causal):
    return lambda: peers.load("Triton").attention(q, k, v, scale, causal)


def flash4_forward(q, k, v, scale, causal):
    def prepare():
        flash = peers.load("FlashAttention-4")
        tensors = [sequence_first(x) for x in (q, k, v)]

        def run():
            o = flash._flash_attn_fwd(*tensors, softmax_scale=scale, causal=causal)[0]
            return {"o": o.transpose(1, 2)}
        return run
    return prepare


def flash4_backward(q, k, v, do, scale, causal):
    def prepare():
        flash = peers.load("FlashAttention-4")
        tensors, grad = [sequence_first(x) for x in (q, k, v)], sequence_first(do)
        o, lse = flash._flash_attn_fwd(*tensors, softmax_scale=scale, causal=causal,
                                       return_lse=True)[:2]

        def run():
            results = flash._flash_attn_bwd(*tensors, o, grad, lse, softmax_scale=scale,
                                            causal=causal)
            return {name: x.transpose(1, 2) for name, x in zip(("dq", "dk", "dv"), results)}
        return run
    return prepare
