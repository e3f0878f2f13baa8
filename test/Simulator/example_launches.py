"""Launches of the examples' kernels for mutation, at sizes that execute all of their code in a short time.

mutated_examples.py and ../Emulator/mutated_ptx.py use them.
"""

import subprocess
import sys

import numpy as np


def product(m, n, k):
    return {"a": (m, k), "b": (k, n)}


def attention(queries, keys, scale):
    return {"q": (1, 1, queries, 64), "k": (1, 1, keys, 64), "v": (1, 1, keys, 64), "scale": scale}


def backward(queries, keys, sums=None, columns=128, **more):
    """Two query heads share a key head; `sums` is the shape of their blocks for dq."""
    shape = {"q": (1, 2, queries, columns), "k": (1, 1, keys, columns), "v": (1, 1, keys, 64),
             "do": (1, 2, queries, 64)}
    padded = (1, 2, (queries + 3) // 4 * 4)
    vectors = {"shift": np.full(padded, 8.0), "delta": padded, "scale": 0.1}
    blocks = {"sums": np.zeros((1, 2, *sums))} if sums else {}
    return {**shape, **vectors, **blocks, **more}


def scaled(m, n, k):
    blocks = -(-k // 128)
    return {"a": (m, k), "sa": (blocks, m), "b": (n, k), "sb": (-(-n // 128), blocks)}


def gated(n, **others):
    """Returns a head of gated attention of n rows, and further arguments of a kernel."""
    shape = {name: (1, n, 1, 64) for name in "qkv"}
    return {**shape, "c": (1, 1, n), "scale": 0.1, **others}


def gated_gradient(n, delta):
    """Returns the same for a gradient, with another name for delta."""
    return gated(n, do=(1, n, 1, 64), base=np.ones((1, 1, n)), **{delta: (1, 1, n)})


def packed(queries, keys):
    """Returns sequences of these lengths."""
    shape = {name: (sum(lengths), 1, 64) for name, lengths in (("q", queries), ("k", keys), ("v", keys))}
    ends = {name: np.cumsum([0, *lengths]).astype(np.int32)
            for name, lengths in (("cu_q", queries), ("cu_k", keys))}
    return {**shape, **ends, "scale": 0.1}


def tile_list(queries, keys, rows):
    """Returns the list of varlen_tiles, sequence by sequence, and an entry without rows."""
    starts = np.cumsum([0, *queries]), np.cumsum([0, *keys])
    entries = [[q0, count, start, k0, length] for q0, count, k0, length in zip(starts[0], queries, starts[1], keys)
               for start in range(0, count, rows)]
    return np.int32([*entries, [0] * 5])


def listed(queries, keys, rows):
    """Returns the same sequences in tiles of `rows` queries."""
    given = packed(queries, keys)
    del given["cu_q"], given["cu_k"]
    return {**given, "list": tile_list(queries, keys, rows), "tile": np.zeros(rows, np.int8)}


def packed_gradients(queries, keys, columns, block, heads=1, **more):
    """Returns the same with the inputs of the backward pass, which need not come from the forward pass. Vectors have
    blocks of `block` queries of one sequence."""
    given = packed(queries, keys)
    given["q"], given["k"] = (sum(queries), heads, columns), (sum(keys), 1, columns)
    rows = (heads, (sum(queries) // block + len(queries)) * block)
    return {**given, "do": (sum(queries), heads, 64), "shift": np.full(rows, 3.0), "delta": rows, **more}


# For each example: kernels with their compile-time parameters and arguments. Optional entries are the kernel of the
# module to mutate instead, and options of tile-run. A tuple means random numbers of a shape.
SMALL = "BM=64 BN=64 BK=32"
EXAMPLES = {
    "01-vector-add": [("vector_add", "BN=64", [{"x": (100,), "y": (100,)}])],
    "02-softmax": [("softmax", "BM=4 BN=64", [{"x": (7, 150)}])],
    "03-matmul": [
        ("matmul_nn", SMALL, [product(160, 160, 304)]),
        ("matmul_nt", SMALL, [{"a": (160, 304), "b": (160, 304)}]),
        ("matmul_tn", SMALL, [{"a": (304, 160), "b": (304, 160)}]),
        ("matmul_tt", SMALL, [{"a": (304, 160), "b": (160, 304)}]),
        ("matmul_nn", SMALL + " CLUSTER=2", [product(304, 160, 304)], "matmul_nn", "--multiprocessors=4"),
        ("matmul_nt", "BM=64 BN=32 BK=32 WARPGROUPS=1 STAGES=3", [{"a": (160, 304), "b": (96, 304)}],
         "matmul_nt", "--multiprocessors=1"),
        # One multiprocessor: each CTA runs several programs, and fetches first reach data that was read last.
        ("matmul_nn", "BM=128 BN=64 BK=32", [product(160, 160, 75)], "matmul_nn_plain", "--multiprocessors=1"),
    ],
    "04-split-k-matmul": [
        ("split_k_matmul", SMALL, [{**product(72, 72, 304), "S": 2, "c": np.zeros((72, 72))}]),
        ("split_k_partial_nn", SMALL, [{**product(72, 72, 304), "S": 2}]),
        ("split_k_sum", "", [{"part": (3, 5, 150)}]),
    ],
    "05-layer-norm": [
        ("layer_norm", "BM=4 BN=64", [{"x": (7, 150), "gain": (150,), "bias": (150,), "eps": 0.001}]),
    ],
    "06-lola": [
        ("lola", "BM=128 BN=64 BK=32",
         [{"x": (416, 304), "w": (304, 128), "wsum": (128,), "bias": (128,), "eps": 0.001}]),
        ("lola_online", "BM=128 BN=64 BK=32",
         [{"x": (416, 304), "w": (304, 128), "bias": (128,), "eps": 0.001}]),
        ("lola_prepare", "BN=64 BK=32", [{"w": (100, 100), "bias": (100,), "gamma": (100,), "beta": (100,)}]),
        ("lola_rows", "BM=4 BK=64", [{"x": (7, 150), "eps": 0.001}]),
        ("lola_given", "BM=64 BN=64 BK=32",
         [{"x": (352, 304), "w": (304, 128), "mean": (352,), "rstd": (352,), "wsum": (128,), "bias": (128,)}]),
    ],
    "07-flash-attention": [
        # With and without a masked block at the end; with rows that see less than a block.
        ("flash_fwd", "D=64 BM=128 BN=64", [attention(128, 420, 0.1), attention(128, 448, -0.1)]),
        ("flash_fwd", "D=64 BM=128 BN=48 CAUSAL=true",
         [attention(256, 256, 0.1), attention(500, 500, -0.1), attention(300, 200, 0.1)]),
        # One CTA fetches all programs, long and short ones.
        ("flash_fwd", "D=64 BM=128 BN=48 CAUSAL=true PERSISTENT=true DYNAMIC=true",
         [attention(500, 500, -0.1), attention(900, 40, 0.1)], "flash_fwd", "--multiprocessors=1"),
        # Two CTAs that share the copies of keys; at the end the second one has no queries.
        ("flash_fwd", "D=64 BM=128 BN=64 CLUSTER=2", [attention(300, 420, 0.1), attention(256, 448, -0.1)]),
    ],
    "08-gated-attention": [
        ("gate_cumsum", "BL=32 BH=4", [{"g": (1, 75, 5)}]),
        ("gated_attention", "DK=64 DV=64 BM=128 BN=48", [gated(256), gated(500)]),
        ("gated_attention_dq", "DK=64 DV=64 BM=128 BN=48", [gated_gradient(256, "odo"), gated_gradient(300, "odo")]),
        ("gated_attention_dkv", "DK=64 DV=64 BN=128 BM=48",
         [gated_gradient(256, "delta"), gated_gradient(300, "delta")]),
        ("gate_gradient", "BL=32 BH=4", [{"dc": (1, 5, 75)}]),
        ("sink_gradient", "BL=64", [{"sink": (2,), "lse": np.ones((1, 2, 75)), "delta": (1, 2, 75)}]),
    ],
    "09-linear-logp": [
        ("linear_logp", "BM=64 BV=64 BK=32 BIAS=true ENTROPY=true",
         [{"h": (70, 200), "w": (700, 200), "bias": (700,), "target": np.arange(70, dtype=np.int32) * 4,
           "first": 0, "words": 690, "S": 2}]),
        ("linear_logp_merge", "",
         [{"plse": (3, 70), "ppick": (3, 70), "target": np.arange(70, dtype=np.int32),
           "words": 60, "ignore": 1, "ignored": 0.0}]),
        ("linear_logp_dz", "BM=64 BV=64 BK=32",
         [{"h": (70, 200), "w": (152, 200), "target": np.arange(70, dtype=np.int32) * 2, "lse": np.full(70, 20.0),
           "dlogp": (70,), "first": 0, "words": 130, "ignore": 4}], "linear_logp_dz", "--multiprocessors=1"),
        ("linear_logp_dh", "BM=64 BD=64 BK=32",
         [{"dz": (70, 152), "w": (152, 72), "total": (70, 72), "first": 0, "words": words} for words in (20, 130)],
         "linear_logp_dh", "--multiprocessors=1"),
        ("linear_logp_dw", "BM=64 BD=64 BK=32", [{"dz": (150, 72), "h": (150, 72)}], "linear_logp_dw",
         "--multiprocessors=1"),
        ("linear_logp_dbias", "BV=64 BK=32", [{"dz": (100, 100)}]),
        ("linear_logp", "BM=64 BV=64 BK=32 STORED=true",
         [{"h": (70, 200), "w": (328, 200), "target": np.arange(70, dtype=np.int32) * 2, "first": 0, "S": 1,
           "bound": np.full(70, 30.0)}]),
    ],
    "10-varlen-attention": [
        # The last sequence has as many full blocks as the ring has slots, and a partial block.
        ("varlen_fwd", "DK=64 DV=64 BM=128 BN=64 PERSISTENT=false", [listed([130, 64, 20], [420, 448, 150], 128)]),
        # One CTA fetches all programs, long and short ones.
        ("varlen_fwd", "DK=64 DV=64 BM=128 BN=32 CAUSAL=true",
         [listed([260, 500], [260, 500], 128), listed([20, 60, 9, 30, 9], [20, 60, 9, 30, 9], 128)], "varlen_fwd",
         "--multiprocessors=1"),
    ],
    "11-attention-backward": [
        # Tensor copies add the sums of two warpgroups; both have written the numbers.
        ("attention_bwd", "DK=128 DV=64 BM=16 BN=128 FLIP=true CAUSAL=true",
         [backward(90, 40, (6, 128, 16)), backward(40, 160, (3, 128, 16))]),
        ("attention_bwd", "DK=128 DV=64 BM=16 BN=128 QUERIES=false", [backward(90, 40)]),
        ("attention_bwd_dq", "DK=128 DV=64 BM=128 BN=32", [backward(40, 90), backward(40, 192)]),
        # Two slots of ds, and programs that add to dk and dv for one query head. There are more than 16 blocks of
        # queries, so one additional arrival per phase accumulates to a phase.
        ("attention_bwd", "DK=64 DV=64 BM=64 BN=128 EXCHANGE=2 PARTS=2",
         [backward(1150, 40, (18, 64, 64), 64, dk_sums=np.zeros((1, 1, 40, 64)), dv_sums=np.zeros((1, 1, 40, 64)))]),
    ],
    "12-varlen-backward": [
        # With dq accumulated in transposed form, in one part and in two. The first case has partial blocks. It also has
        # more steps than warps that release the slots of both stages, so an additional arrival in each step completes a
        # phase.
        ("varlen_bwd", "DK=128 DV=64 BM=32 BN=128",
         [packed_gradients([610, 64], [140, 30], 128, 32, max_k=140, sums=np.zeros((1, 23, 128, 32)),
                           dk=np.zeros((170, 1, 128)), dv=np.zeros((170, 1, 64)))]),
        ("varlen_bwd", "DK=192 DV=64 BM=16 BN=128 SPLIT=true",
         [packed_gradients([128, 70], [128, 128], 192, 16, max_k=128, sums=np.zeros((1, 14, 256, 16)))]),
        # Many queries before and after the diagonal.
        ("varlen_bwd", "DK=64 DV=64 BM=32 BN=128 CAUSAL=true SPLIT=true SUMS=false",
         [packed_gradients([500, 128], [256, 128], 64, 32, max_k=256)]),
        ("varlen_bwd_dq", "DK=64 DV=64 BQ=128 BK=32 CAUSAL=true BOTTOM_RIGHT=true",
         [packed_gradients([128, 128], [500, 30], 64, 64, max_q=128)]),
        ("varlen_delta", "DV=64 BM=32 SUMS=false",
         [{"o": (70, 2, 64), "do": (70, 2, 64), "lse": (70, 2), "cu_q": np.array([0, 40, 70], np.int32), "scale": 0.1}]),
        ("varlen_bwd_round", "DK=128 BM=32",
         [{"sums": (2, 4, 128, 32), "cu_q": np.array([0, 40, 70], np.int32),
           "owner": np.array([0, 0, 1, 1], np.int32), "TQ": 70}]),
        ("varlen_bwd_sum", "DK=64 DV=64", [{"dk_part": (3, 40, 1, 64), "dv_part": (3, 40, 1, 64)}]),
        # A program processes the queries of two heads, with two slots of ds.
        ("varlen_bwd", "DK=64 DV=64 BM=64 BN=128 GROUPED=true EXCHANGE=2",
         [packed_gradients([600, 64], [70, 30], 64, 64, heads=2, max_k=70, sums=np.zeros((2, 12, 64, 64)))]),
    ],
    "13-decoding": [
        # One sequence has as many full blocks as the ring has slots, and a partial block, whose slot is the first to be
        # refilled.
        ("decode", "D=64 G=4 BM=64 BN=32",
         [{"q": (2, 8, 64), "k": (2, 420, 1, 64), "v": (2, 420, 1, 64), "lengths": np.int32([420, 130]),
           "M": 2, "S": 2, "scale": 0.1},
          {"q": (3, 8, 64), "k": (3, 110, 1, 64), "v": (3, 110, 1, 64), "lengths": np.int32([20, 3, 110]),
           "M": 2, "S": 1, "scale": 0.1}]),
        ("decode", "D=64 G=4 BM=64 BN=32 PAGE=64",
         [{"q": (2, 4, 64), "k": (8, 64, 1, 64), "v": (8, 64, 1, 64), "lengths": np.int32([300, 130]),
           "table": np.int32([[4, 0, 2, 6, 7], [1, 3, 5, -1, -1]]), "M": 1, "S": 1, "scale": 0.1},
          {"q": (3, 4, 64), "k": (8, 64, 1, 64), "v": (8, 64, 1, 64), "lengths": np.int32([20, 3, 110]),
           "table": np.int32([[4, -1], [1, -1], [6, 3]]), "M": 1, "S": 1, "scale": 0.1}]),
        ("decode_merge", "D=64", [{"part": (3, 2, 10, 64), "part_lse": (3, 2, 10)}]),
    ],
    "14-scaled-matmul": [
        ("scaled_matmul", "BM=128 BN=64", [scaled(150, 136, 1040)], "scaled_matmul", "--multiprocessors=1"),
        ("scaled_matmul", "BM=64 BN=32 WARPGROUPS=1 STAGES=3", [scaled(150, 136, 528)], "scaled_matmul",
         "--multiprocessors=1"),
    ],
}


def write_arguments(given, folder, rng):
    """Writes the arguments; returns the words for tile-run."""
    words = []
    for name, value in given.items():
        if isinstance(value, tuple):
            value = rng.standard_normal(value)
        if isinstance(value, np.ndarray):
            np.save(folder / f"{name}.npy", value if value.dtype.kind == "i" else value.astype(np.float32))
            value = f"@{folder / name}.npy"
        words += ["--arg", f"{name}={value}"]
    return words


def run(*command):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"exit status {done.returncode}: {' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def spell_defines(parameters):
    """Returns compile-time parameters as options."""
    return [word for parameter in parameters.split() for word in ("-D", parameter)]


def interpret(source, kernel, parameters, given, folder, rng):
    """Returns the arguments of a launch as options, and by name the files with the results of the interpreter."""
    folder.mkdir(parents=True, exist_ok=True)
    words = write_arguments(given, folder, rng)
    command = ["tile-run", source, f"--kernel={kernel}", *spell_defines(parameters), *words]
    listing = run(*command)
    written = [line.split()[0] for line in listing.splitlines() if line.split()[1:2] in (["out"], ["inout"])]
    files = {name: folder / f"{name}-expected.npy" for name in written}
    run(*command, *(word for name, file in files.items() for word in ("--save", f"{name}={file}")))
    return words, files
