# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The gated delta rule and its gradients, which include the tensors that the forward pass does not keep."""

import dataclasses

from . import peers
from .base import Problem, Shape
from .device import torch

CHUNK = 64


def split(x):
    """Views [B, L, H, …] as chunks [L / CHUNK, B, H, CHUNK, …]."""
    return x.unflatten(1, (-1, CHUNK)).movedim(1, 0).transpose(2, 3)


def run_chunks(q, k, v, g, beta, scale, multiply):
    """Returns o and the final state by operations of torch; L is a multiple of CHUNK.

    Gates g are [B, L, H, 1], or [B, L, H, D] with one gate for each row of the state. `multiply` takes q, k, and the
    running sums of g in each chunk. It returns q kᵀ and k kᵀ, with the decay between the two steps of each element."""
    q, k, v, g, beta = map(split, (q, k, v, g, beta[..., None]))
    c = g.cumsum(-2)
    p, kk = multiply(q, k, c)
    a = torch.eye(CHUNK, dtype=q.dtype, device=q.device) + (beta * kk).tril(-1)
    u, w = (torch.linalg.solve_triangular(a, x, upper=False, unitriangular=True)
            for x in (beta * v, beta * c.exp() * k))
    last = c[..., -1:, :]
    before, after, last = c.exp() * q, (last - c).exp() * k, last.mT.exp()
    s, rows = q.new_zeros(*q.shape[1:3], q.shape[4], v.shape[4]), []
    for n in range(len(q)):
        e = u[n] - w[n] @ s
        rows.append(scale * (before[n] @ s + p[n] @ e))
        s = last[n] * s + after[n].mT @ e
    return torch.stack(rows).transpose(2, 3).movedim(0, 1).flatten(1, 2), s


def multiply(q, k, c):
    lower = torch.ones(CHUNK, CHUNK, dtype=torch.bool, device=q.device).tril()
    decay = (c - c.mT).masked_fill(~lower, float("-inf")).exp()
    return decay * (q @ k.mT), decay * (k @ k.mT)


def captured(run):
    """Captures a call on the current stream, and returns a function that replays it and returns the same results."""
    for _ in range(2):  # Kernels are compiled and tuned first.
        run()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=torch.cuda.current_stream(), capture_error_mode="thread_local"):
        results = run()

    def replay():
        graph.replay()
        return results
    return replay


def normalise(x):
    return torch.nn.functional.normalize(x.float(), dim=3).to(x.dtype)


class DeltaProblem(Problem):
    def __init__(self, shape, device="cuda"):
        super().__init__(shape, device)
        self.scale = shape.D**-0.5
        size = (shape.B, shape.L, shape.H)
        q, k, v, self.do = (self.randn(*size, shape.D) for _ in range(4))
        g, beta = self.make_gates(*size)
        self.tensors = {"q": normalise(q), "k": normalise(k), "v": v, "g": g, "beta": beta}
        self.inputs = {**self.tensors, "scale": self.scale}
        self.compute()

    def make_gates(self, *size):
        """Returns the logarithms of decays, and beta."""
        g, beta = (self.randn(*size, dtype=torch.float32) for _ in range(2))
        return torch.nn.functional.logsigmoid(g + 3.0), beta.sigmoid()

    def leaves(self, dtype=None):
        """Returns the tensors with gradients, of another type if one is given."""
        return [x.detach().to(dtype or x.dtype).requires_grad_() for x in self.tensors.values()]

    def find_peers(self):
        """Returns fla as called, and as a graph of its kernels: the host may need longer than they do."""
        def prepare_fla():
            rule = self.load_fla()
            return self.prepare(lambda *given: rule(*given, scale=self.scale, output_final_state=True))

        return {"fla": prepare_fla, "fla in a graph": lambda: captured(prepare_fla())}

    def load_fla(self):
        return peers.load("fla").chunk_gated_delta_rule

    def run_chunks(self, q, k, v, g, beta):
        return run_chunks(q, k, v, g[..., None], beta, self.scale, multiply)

    def compute(self):
        with torch.no_grad():
            o, final = self.run_chunks(*(x.double() for x in self.tensors.values()))
        self.expected = {"o": o.float(), "final": final.float()}
        self.peers = self.find_peers()

    def prepare(self, rule, dtype=None):
        given = [x.detach() for x in self.leaves(dtype)]

        def run():
            with torch.no_grad():
                return dict(zip(("o", "final"), rule(*given)))
        return run


class DeltaGradientsProblem(DeltaProblem):
    """Gradients from that of o. The cases of the example compare those of g and beta."""

    def compute(self):
        self.inputs["do"] = self.do
        self.expected = {name: x.float() for name, x in self.prepare(self.run_chunks, torch.float64)().items()}
        self.peers = self.find_peers()

    def prepare(self, rule, dtype=None):
        leaves = self.leaves(dtype)
        o = rule(*leaves)[0]
        grad = self.do.to(o.dtype)

        def run():
            found = torch.autograd.grad(o, leaves, grad, retain_graph=True)
            return dict(zip(("dq", "dk", "dv"), found))
        return run


@dataclasses.dataclass(frozen=True)
class Delta(Shape):
    """B sequences of L tokens, H heads of D."""

    B: int
    L: int
    H: int
    D: int
    T: str = "bf16"
    family = "delta"
    kernel = "delta_rule"
    problem = DeltaProblem
    # Products of a step with the state, and with a chunk
    products = 3, 5

    @property
    def id(self):
        return f"{self.family} {self.B}x{self.L} {self.H} heads of {self.D} {self.T}"

    @property
    def group(self):
        return self.family

    @property
    def values(self):
        return {"T": self.T, "B": self.B, "L": self.L, "H": self.H, "DK": self.D, "DV": self.D, "INITIAL": False}

    @property
    def work(self):
        states, chunks = self.products
        return 2 * self.B * self.L * self.H * self.D * (states * self.D + chunks * CHUNK)


@dataclasses.dataclass(frozen=True)
class DeltaGradients(Delta):
    family = "delta-gradients"
    kernel = "delta_rule_gradients"
    problem = DeltaGradientsProblem
    products = 8, 12


SIZES = [(1, 8192, 16, 128), (4, 4096, 16, 128), (1, 32768, 32, 128), (8, 2048, 32, 64)]
SHAPES = [kind(*size) for kind in (Delta, DeltaGradients) for size in SIZES]
