#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures loops that no constant of the clock was fitted to, and compares their predicted times.

    unseen_loops.py --compile FOLDER     machine with tilec: packages, and predictions in FOLDER/predicted.json
    unseen_loops.py FOLDER               machine with a GPU and torch
    unseen_loops.py --list               the kernels, shapes and choices

The loops are two products that share an operand, a chain of three products, a convolution, linear attention with a
carried state, and two products of rows normalised by RMSNorm. Each row has the predicted and the measured time of one
choice of tiles. A peer in torch computes the same function in several kernels. Results are compared with float32 or
float64 ones. The exit status is 1 if one is wrong.
"""

import json
import re
import statistics
import subprocess
import sys

import computed_operands

FOLDER = computed_operands.ROOT / "gpu" / "experiments"
LARGE = [{"M": 8192, "N": 8192, "K": 4096}, {"M": 4096, "N": 4096, "K": 4096}]
# By kernel: its file, the sizes of launches, and choices of tiles.
KERNELS = {
    "gated_unit": ("unseen_loops", [{"M": 8192, "N": 8192, "K": 4096}, {"M": 4096, "N": 14336, "K": 4096}],
                   [{}, {"BN": 64}, {"STAGES": 2}]),
    "chain": ("unseen_loops", [{"M": 65536, "J": 64}, {"M": 16384, "J": 256}],
              [{}, {"STAGES": 3}, {"BM": 64, "WARPGROUPS": 1}, {"BM": 192, "WARPGROUPS": 3}]),
    "convolution": ("unseen_loops", [{"B": 32, "H": 64, "W": 128, "C": 256, "O": 256},
                                     {"B": 16, "H": 56, "W": 56, "C": 512, "O": 512}],
                    [{}, {"BO": 256}, {"BW": 64, "WARPGROUPS": 1}]),
    "linear_attention": ("unseen_loops", [{"B": 4, "N": 8192, "H": 16, "V": 128}, {"B": 8, "N": 2048, "H": 32, "V": 128}],
                         [{}, {"BV": 128, "WARPGROUPS": 2}, {"BV": 32}]),
    "norm_product": ("computed_operands", LARGE, [{}, {"BN": 192}]),
    "folded_product": ("computed_operands", LARGE, [{}, {"BN": 192}]),
}  # fmt: skip
# The largest relative root-mean-square error of chains in bf16.
BAR = 1.5e-2


def row(kernel, sizes, choice):
    return f"{kernel} {'x'.join(str(size) for size in sizes.values())} {computed_operands.name('', choice)[1:] or '-'}"


def predict(source, kernel, sizes, choice):
    """Returns the microseconds that the compiler predicts, and its remarks about products that wait."""
    command = ["tilec", source, f"--kernel={kernel}", *(f"-D{key}={value}" for key, value in choice.items())]
    explain = "--explain=" + ",".join(f"{key}={value}" for key, value in sizes.items())
    text = subprocess.run([*command, explain], check=True, capture_output=True, text=True).stdout
    remarks = subprocess.run([*command, "--remarks", "--emit=ptx", "-o", "/dev/null"], check=True, capture_output=True,
                             text=True).stderr
    waits = re.findall(r"remark: (.*\[products-in-order\])", remarks)
    return float(re.search(r"([0-9.]+) us predicted", text)[1]), waits


def compile_all(folder):
    folder.mkdir(parents=True, exist_ok=True)
    predicted = {}
    for kernel, (stem, shapes, choices) in KERNELS.items():
        source = FOLDER / f"{stem}.tile"
        for choice in choices:
            computed_operands.compile_choice(source, kernel, choice,
                                             folder / f"{computed_operands.name(kernel, choice)}.tpk")
            for sizes in shapes:
                time, waits = predict(source, kernel, sizes, choice)
                predicted[row(kernel, sizes, choice)] = time
                print(f"{row(kernel, sizes, choice)}: {time:.1f} us predicted", *waits, sep="; ", flush=True)
    (folder / "predicted.json").write_text(json.dumps(predicted, indent=1) + "\n")


def make(kernel, sizes):
    """Returns the inputs, the empty result, the peer, and the expected result."""
    import torch
    import torch.nn.functional as F

    def randn(*extents, scale=1.0):
        return (torch.randn(*extents, device="cuda") * scale).bfloat16()

    if kernel == "chain":
        m, j, d, e = sizes["M"], sizes["J"], 128, 64
        x, a, b, c = randn(m, d), randn(j, e, d, scale=0.1), randn(j, e, e, scale=0.2), randn(j, e, d, scale=0.1)

        def peer():
            first = torch.matmul(x, a.flatten(0, 1).T).relu().view(m, j, e).transpose(0, 1)
            second = torch.bmm(first, b.transpose(1, 2)).relu()
            return torch.matmul(second.transpose(0, 1).reshape(m, j * e), c.flatten(0, 1))

        expected = torch.zeros(m, d, device="cuda")
        for i in range(j):
            first = (x.float() @ a[i].float().T).relu().bfloat16()
            second = (first.float() @ b[i].float().T).relu().bfloat16()
            expected += second.float() @ c[i].float()
        return {"x": x, "a": a, "b": b, "c": c}, {"y": torch.empty_like(x)}, peer, expected
    if kernel == "convolution":
        images, h, w, c, o = sizes.values()
        x, weight = randn(images, h, w, c), randn(3, 3, o, c, scale=0.02)
        channels_last = x.permute(0, 3, 1, 2)
        taps = weight.permute(2, 3, 0, 1).contiguous(memory_format=torch.channels_last)
        peer = lambda: F.conv2d(channels_last, taps, padding=1)  # noqa: E731
        expected = F.conv2d(channels_last.float(), taps.float(), padding=1).permute(0, 2, 3, 1)
        return {"x": x, "w": weight}, {"y": randn(images, h, w, o)}, peer, expected
    if kernel == "linear_attention":
        batch, n, h, v = sizes.values()
        q, k, values = randn(batch, n, h, 128, scale=0.1), randn(batch, n, h, 128, scale=0.1), randn(batch, n, h, v)
        heads = [t.float().transpose(1, 2).unflatten(2, (n // 64, 64)) for t in (q, k, values)]
        states = torch.einsum("bhcik,bhciv->bhckv", heads[1], heads[2]).cumsum(2)
        before = torch.cat([torch.zeros_like(states[:, :, :1]), states[:, :, :-1]], 2)
        scores = torch.einsum("bhcik,bhcjk->bhcij", heads[0], heads[1]).tril()
        expected = (heads[0] @ before + scores @ heads[2]).flatten(2, 3).transpose(1, 2)
        return {"q": q, "k": k, "v": values}, {"o": torch.empty_like(values)}, None, expected
    if kernel == "gated_unit":
        m, n, k = sizes.values()
        x, gate, up = randn(m, k), randn(n, k, scale=0.02), randn(n, k, scale=0.02)
        peer = lambda: F.silu(x @ gate.T) * (x @ up.T)  # noqa: E731
        expected = F.silu(x.float() @ gate.float().T) * (x.float() @ up.float().T)
        return {"x": x, "gate": gate, "up": up}, {"y": randn(m, n)}, peer, expected
    m, n, k = sizes.values()
    inputs, expected = computed_operands.make_problem(kernel, m, n, k)
    x, w = inputs["x"], inputs["w"]
    return inputs, {"c": randn(m, n)}, lambda: F.rms_norm(x, (k,)) @ w.T, expected


def run_all(folder):
    import tessera
    import torch

    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    predicted = json.loads((folder / "predicted.json").read_text())
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
    failed, errors = False, {}
    with torch.cuda.stream(torch.cuda.Stream()):
        for kernel, (_, shapes, choices) in KERNELS.items():
            for sizes in shapes:
                inputs, results, peer, expected = make(kernel, sizes)
                graphs = {"peer": computed_operands.capture(peer)} if peer else {}
                for choice in choices:
                    package = tessera.Package(str(folder / f"{computed_operands.name(kernel, choice)}.tpk"))
                    launch = package.kernel(kernel).prepare(**inputs, **results)
                    (result,) = results.values()
                    result.zero_()
                    key = row(kernel, sizes, choice)
                    graphs[key] = computed_operands.capture(
                        lambda launch=launch: launch(torch.cuda.current_stream().cuda_stream))
                    error = ((result.double() - expected.double()).norm() / expected.double().norm()).item()
                    if not error <= BAR:
                        failed = True
                        print(f"WRONG {key}: error {error:.1e}")
                times = computed_operands.measure(graphs)
                peer_time = times.pop("peer", None)
                for key, time in times.items():
                    error = predicted[key] / time - 1
                    errors.setdefault(kernel, []).append(abs(error))
                    ratio = f", torch {peer_time:.1f}, ratio {peer_time / time:.3f}" if peer_time else ""
                    print(f"{key}: predicted {predicted[key]:.1f}, measured {time:.1f} us, {error:+.1%}{ratio}",
                          flush=True)
                del graphs
    for kernel, values in errors.items():
        print(f"{kernel}: median error {statistics.median(values):.1%}, worst {max(values):.1%}")
    return 1 if failed else 0


def list_all():
    for kernel, (_, shapes, choices) in KERNELS.items():
        for sizes in shapes:
            for choice in choices:
                print(row(kernel, sizes, choice))


if __name__ == "__main__":
    sys.exit(computed_operands.run_script("Measure loops that are new to the clock.", list_all, compile_all, run_all))
