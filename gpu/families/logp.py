# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Log-probabilities of a linear layer, without and with gradients."""

import dataclasses
import importlib.util
import pathlib

from . import peers
from .base import Problem, Shape, product
from .device import torch


_CHOICES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "09-linear-logp" / "choices.py"


def choose_parts(rows, words):
    """Returns the number of vocabulary parts that torch_linear_logp.py chooses."""
    spec = importlib.util.spec_from_file_location("linear_logp_choices", _CHOICES)
    choices = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(choices)
    return choices.choose_parts(rows, words)


def log_probability(h, w, target):
    z = torch.nn.functional.linear(h, w)
    return -torch.nn.functional.cross_entropy(z.float(), target, reduction="none")


class LogpProblem(Problem):
    def __init__(self, shape, device="cuda"):
        super().__init__(shape, device)
        h = self.randn(shape.N, shape.D)
        w = (self.randn(shape.V, shape.D).float() / shape.D**0.5).to(h.dtype)
        target = torch.randint(shape.V, (shape.N,), device=device, generator=self.random)
        self.h, self.w, self.target = h, w, target
        self.inputs = {"h": h, "w": w, "target": target.int(), "words": shape.V, "first": 0,
                       "ignore": -100, "ignored": 0.0, "V": shape.V}
        self.compute()

    def softmax(self):
        """Yields for slices of rows: the slice, logits and log-sum-exp in float64."""
        w = self.w.double()
        for low in range(0, self.shape.N, 512):
            rows = slice(low, low + 512)
            z = self.h[rows].double() @ w.T
            yield rows, z, torch.logsumexp(z, 1)

    def compute(self):
        logp = torch.cat([z.gather(1, self.target[rows, None])[:, 0] - lse
                          for rows, z, lse in self.softmax()])
        self.expected = {"logp": logp.float()}

        def prepare(function):
            def run():
                with torch.no_grad():
                    return {"logp": function(self.h, self.w, self.target)}
            return run

        self.peers = {
            "torch": lambda: prepare(log_probability),
            "torch.compile": lambda: prepare(peers.compiled(log_probability)),
            "Liger": self.prepare_liger,
        }
        self.ceilings = {"cuBLAS product": lambda: self.prepare_products(1)}

    def liger(self, **options):
        function = peers.load("Liger").fused_linear_cross_entropy_forward
        return function(self.h, self.w, self.target, **options)

    def prepare_liger(self):
        return lambda: {"logp": -self.liger(reduction="none", compute_gradients=False,
                                            weight_requires_grad=False)[0]}

    def prepare_products(self, count):
        """Prepares the products alone: of the logits, and of two gradients."""
        z = torch.empty(self.shape.N, self.shape.V, dtype=self.h.dtype, device=self.device)
        dh, dw = torch.empty_like(self.h), torch.empty_like(self.w)

        def run():
            torch.mm(self.h, self.w.T, out=z)
            if count > 1:
                torch.mm(z, self.w, out=dh)
                torch.mm(z.T, self.h, out=dw)
        return run


class LogpTrainingProblem(LogpProblem):
    """Forward and backward pass of a cross entropy, the sum of all -logp."""

    def compute(self):
        self.inputs |= {
            "dlogp": torch.full((self.shape.N,), -1.0, device=self.device),
            "dw": torch.empty_like(self.w)}
        logp, dz = [], torch.empty(self.shape.N, self.shape.V, dtype=torch.float32,
                                   device=self.device)
        for rows, z, lse in self.softmax():
            target = self.target[rows, None]
            logp.append(z.gather(1, target)[:, 0] - lse)
            p = z.sub_(lse[:, None]).exp_()
            dz[rows] = p.scatter_add_(1, target, -torch.ones_like(target, dtype=p.dtype)).float()
        self.expected = {"logp": torch.cat(logp).float(), "dh": product(dz, self.w),
                         "dw": product(dz.T, self.h)}

        def prepare(function):
            h, w = (x.detach().requires_grad_() for x in (self.h, self.w))

            def run():
                logp = function(h, w, self.target)
                dh, dw = torch.autograd.grad(-logp.sum(), (h, w))
                return {"logp": logp.detach(), "dh": dh, "dw": dw}
            return run

        self.peers = {
            "torch": lambda: prepare(log_probability),
            "torch.compile": lambda: prepare(peers.compiled(log_probability)),
            "Liger": self.prepare_liger,
        }
        self.ceilings = {"three cuBLAS products": lambda: self.prepare_products(3)}

    def prepare_liger(self):
        def run():
            found = self.liger(reduction="sum", compute_gradients=True, weight_requires_grad=True)
            return {"dh": found[4], "dw": found[5]}
        return run


@dataclasses.dataclass(frozen=True)
class Logp(Shape):
    """N rows of D and a vocabulary of V words."""

    N: int
    D: int
    V: int
    T: str = "bf16"
    family = "logp"
    group = "logp"
    kernel = "linear_logp"
    problem = LogpProblem

    @property
    def id(self):
        return f"{self.family} {self.N}x{self.D}x{self.V} {self.T}"

    @property
    def work(self):
        return 2 * self.N * self.D * self.V

    @property
    def values(self):
        return vars(self)


@dataclasses.dataclass(frozen=True)
class LogpTraining(Logp):
    family = "logp-training"
    group = "logp-training"
    kernel = "linear_logp_training"
    problem = LogpTrainingProblem

    @property
    def work(self):
        """Counts three products; recomputed logits do not count."""
        return 3 * super().work


@dataclasses.dataclass(frozen=True)
class LogpRows(Logp):
    """Few rows, with the number of parts that the torch function chooses."""

    family = "logp-rows"
    group = "logp-rows"
    kernel = "linear_logp_rows"

    @property
    def values(self):
        return {**vars(self), "S": choose_parts(self.N, self.V)}


SIZES = [(4096, 2048, 32000), (4096, 2048, 128256), (4096, 4096, 128256)]
ROWS = [(64, 2048, 151936), (256, 2048, 151936), (1000, 2048, 151936)]

SHAPES = [kind(*size) for kind in (Logp, LogpTraining) for size in SIZES] + [LogpRows(*size) for size in ROWS]
