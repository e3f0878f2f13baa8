#!/usr/bin/env python3
# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Executes the kernels of an example before the first and after every pass: `tilec --verify-passes`.

    verify.py EXAMPLE      (the name of its folder)

Each example must have a test, each of its kernels a case, and each variant of the compiler an execution. Tiles are
small, but still use the tensor cores and wrap around each ring. The compiler chooses sizes that are not named: two
tiles along each axis, the second one ragged.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parents[2] / "examples"

PRODUCT = "BM=128 BN=64 BK=16"
PINGPONG = "BM=64 BN=32 BK=16 WARPGROUPS=1"
HEADS = "q=randn(1,2,136,64) k=randn(1,1,72,64) v=randn(1,1,72,64) o=(1,2,136,64) lse=(1,2,136)"
GATED = "q=randn(1,136,2,64) k=randn(1,136,1,64) v=randn(1,136,1,32) scale=0.1"
# All sums have positive terms: sums that cancel differ by more than their own rounding.
GATED_BACK = GATED.replace("randn", "rand") + " do=rand(1,136,2,32) base=rand(1,2,136)"
GATED_PACKED = " cu=[0,70,70,136] longest=70"
PACKED = ("q=randn(90,2,64) k=randn(130,1,64) v=randn(130,1,32) o=(90,2,32) lse=(90,2) "
          "list=[[0,70,64,0,100],[0,70,0,0,100],[70,20,0,100,30],[0,0,0,0,0]]")
MERGED = ("plse=randn(3,40) ppick=randn(3,40) pentropy=rand(3,40) pvariance=rand(3,40) target=randint(-2,90,40) "
          "words=80 ignore=-1 ignored=0")
LOGITS = ("h=randn(136,72) w=randn(200,72) bias=randn(200) temperature=full(2,136) target=randint(0,190,136) "
          "first=8 words=190")
# All words of a shard with stored exponentials exist.
STORED = "h=randn(136,72) w=randn(200,72) bias=randn(200) temperature=full(2,136)"
SHARD = STORED + " target=randint(0,190,136) first=8"
FLAGS = " lse=full(9,136) shift=rand(136) flag=[0,1] S=2 p=rand(136,200)"
WORDS = LOGITS + " S=2 plse=(2,136) ppick=(2,136) pentropy=(2,136) pvariance=(2,136)"
LOGIT_GRADIENTS = (LOGITS + " ignore=5 lse=full(9,136) entropy=rand(136) dlogp=randn(136) dentropy=randn(136) "
                   "dz=(136,200)")

TEMPERATURES = ("temperature=full(2,40) target=randint(-2,90,40) words=80 ignore=-1 logp=randn(40) entropy=rand(40) "
                "variance=rand(40) dlogp=randn(40) dentropy=randn(40)")
ALL_OPTIONS = "BIAS=true TEMPERATURE=true ENTROPY=true"


def only(arguments, unwanted):
    """Returns the arguments except those of options that are off."""
    return " ".join(word for word in arguments.split() if word.split("=")[0] not in unwanted.split())
GRADIENTS = ("q=randn(90,2,64) k=randn(130,1,64) v=randn(130,1,32) do=randn(90,2,32) "
             "cu_q=[0,70,70,90] cu_k=[0,30,30,130]")
BACKWARD = ("q=randn(1,2,{Q},64) k=randn(1,1,{K},64) v=randn(1,1,{K},{D}) do=randn(1,2,{Q},{D}) "
            "shift=full(3,1,2,{Q}) delta=randn(1,2,{Q}) scale=0.1 ")
ROWS = BACKWARD.format(Q=136, K=136, D=64) + "sums=zeros(1,2,2,128,64)"
LATE = BACKWARD.format(Q=136, K=136, D=64) + "sums=zeros(1,2,3,64,64)"
DELTA = "q=rand(1,150,2,64) k=rand(1,150,2,64) g=full(-0.1,1,150,2) beta=full(0.02,1,150,2)"
# Running sums of full and of partial chunks.
DELTA_RULE = ("q=rand(1,150,2,64) k=rand(1,150,2,64) w=rand(1,150,2,64) u=rand(1,150,2,32) c=full(-0.1,1,2,3,64)")
KIMI_INPUTS = ("q=rand(1,150,2,64) k=rand(1,150,2,64) v=randn(1,150,2,32) g=full(-0.1,1,150,2,64) "
               "beta=full(0.02,1,150,2) scale=0.1")
KIMI = "ke=rand(1,150,2,64) w=rand(1,150,2,64) a=full(0.01,1,2,3,64) beta=full(0.02,1,150,2)"
KIMI_BACK = "beta=full(0.02,1,150,2) do=rand(1,150,2,32) r=rand(1,150,2,32)"
KEYS = BACKWARD.format(Q=40, K=72, D=32)
QUERIES = BACKWARD.format(Q=136, K=72, D=32)
COLUMNS = ("q=randn(1,2,40,128) k=randn(1,1,136,128) v=randn(1,1,136,32) do=randn(1,2,40,32) shift=full(3,1,2,40) "
           "delta=randn(1,2,40) scale=0.1 sums=zeros(1,2,3,128,16)")
CACHES = "q=randn(2,8,64) lengths=[70,100] M=2 S=2 part=(2,2,8,64) part_lse=(2,2,8) scale=0.1"
PARTS = "pmax=randn(3,40) psum=rand(3,40) ppick=randn(3,40) target=randint(0,90,40) V=80"
SCALED = "a=randn(150,272) sa=randn(3,150) b=randn(136,272) sb=randn(2,3) c=(150,136)"
GROUPED = "w=randn(3,72,80) first=[0,100,100,150] longest=100 y=(150,80)"

# Kernels whose f32 results are sums of bf16 numbers, which an intermediate rounding may change.
BY_RMS = {"attention_bwd": "1e-3", "varlen_bwd": "1e-3"}
# Running sums and differences, and products of rounded sums.
BY_RMS |= dict.fromkeys(("kda_chunks", "kda_back", "kda_values_back", "kda_chunks_back"), "1e-3")
# tile-lazy-rescale: weights relative to another reference are rounded differently.
BY_RMS |= dict.fromkeys(("flash_fwd", "gated_attention", "varlen_fwd", "decode"), "4e-3")

# For each example: a kernel, its compile-time parameters, and arguments that matter.
CASES = {
    "01-vector-add": [
        ("vector_add", "", ""),
        ("vector_add", "T=bf16 BN=256", "x=randn(1001) y=randn(1001) z=(1001)"),
    ],
    "02-softmax": [
        ("softmax", "BM=8 BN=64", ""),
        ("softmax", "T=f32 BM=64 BN=32", ""),
        ("softmax", "BM=8 BN=64", "x=randn(9,64) y=(9,64)"),
    ],
    "03-matmul": [
        *((f"matmul_{form}", PRODUCT, "") for form in ("nn", "nt", "tn", "tt")),
        ("matmul_nn", f"{PRODUCT} CLUSTER=2", "a=randn(300,72) c=(300,72)"),
        ("matmul_nt", f"{PRODUCT} CLUSTER=2 T=f16", ""),
        ("matmul_tt", "BM=64 BN=32 BK=16 T=f32", ""),
        *((f"matmul_{form}", f"{PINGPONG} STAGES=3", "") for form in ("nn", "nt", "tn", "tt")),
        ("matmul_nt", f"{PINGPONG} STAGES=1", "a=randn(200,40) b=randn(136,40) c=(200,136)"),
        ("matmul_nn", f"{PINGPONG} STAGES=4 CLUSTER=2", "a=randn(300,72) b=randn(72,72) c=(300,72)"),
        ("matmul_nt", "BM=64 BN=32 BK=32 T=f8e4m3", "a=randn(72,160) b=randn(40,160)"),
    ],
    "04-split-k-matmul": [
        ("split_k_matmul", PRODUCT, ""),
        *((f"split_k_partial_{form}", PRODUCT, "") for form in ("nn", "nt", "tn")),
        ("split_k_matmul", "BM=64 BN=32 BK=16 T=f32", "S=3"),
        ("split_k_sum", "", "part=randn(11,7,136) c=(7,136)"),
    ],
    "05-layer-norm": [
        ("layer_norm", "BM=8 BN=64", ""),
        ("layer_norm", "T=f32 BM=64 BN=32", ""),
        ("layer_norm", "BM=8 BN=64", "x=randn(9,64) gain=randn(64) bias=randn(64) y=(9,64)"),
    ],
    "06-lola": [
        *((kernel, f"{PRODUCT} ACT={act}", "") for kernel, act in (("lola", 1), ("lola_online", 2))),
        ("lola", "BM=64 BN=32 BK=16 T=f32 ACT=3", ""),
        ("lola_online", "BM=64 BN=32 BK=16 T=f32 ACT=0", ""),
        ("lola_rows", "BM=8 BK=64", ""),
        ("lola_given", f"{PRODUCT} WARPGROUPS=2 ACT=1", ""),
        ("lola_given", "BM=64 BN=64 BK=32 T=f16", ""),
        *(("lola_prepare", f"BN=64 BK=16 AFFINE={affine}", "") for affine in ("false", "true")),
    ],
    "07-flash-attention": [
        *(("flash_fwd", f"D=64 BM=128 BN=32 CAUSAL={causal}", HEADS) for causal in ("false", "true")),
        *(("flash_fwd", f"D=64 BM=128 BN=32 CAUSAL=true PERSISTENT=true DYNAMIC={dynamic}", HEADS)
          for dynamic in ("false", "true")),
        *(("flash_fwd", f"D=64 BM=128 BN=32 CLUSTER=2 PERSISTENT={persistent}", HEADS)
          for persistent in ("false", "true")),
        ("flash_fwd", "D=64 BM=64 BN=32 CLUSTER=4 T=f8e5m2 P=f16", HEADS),
        ("flash_fwd", "D=64 BM=64 BN=16 CAUSAL=true T=f32", HEADS),
    ],
    "08-gated-attention": [
        ("gate_cumsum", "BL=32 BH=4", ""),
        ("gate_cumsum", "BL=32 BH=4 VARLEN=true", "g=randn(1,136,2) cu=[0,70,70,136]"),
        ("gated_attention", "DK=64 DV=32 BM=128 BN=32", GATED),
        ("gated_attention", "DK=64 DV=32 BM=128 BN=32 SINK=true WINDOW=40 VARLEN=true", GATED + GATED_PACKED),
        ("gated_attention", "DK=64 DV=32 BM=64 BN=16 T=f32 GATED=false", GATED),
        ("gated_attention_rows", "DV=60 BM=32", ""),
        ("gated_attention_dq", "DK=64 DV=32 BM=128 BN=32", GATED_BACK + " odo=rand(1,2,136) c=rand(1,2,136)"),
        ("gated_attention_dq", "DK=64 DV=32 BM=128 BN=32 GATED=false SINK=true WINDOW=40 VARLEN=true",
         GATED_BACK + GATED_PACKED + " odo=rand(1,2,136) lse=rand(1,2,136)"),
        ("gated_attention_dkv", "DK=64 DV=32 BN=128 BM=32", GATED_BACK + " delta=rand(1,2,136) c=rand(1,2,136)"),
        ("gated_attention_dkv", "DK=64 DV=32 BN=128 BM=32 WINDOW=40 VARLEN=true VALUES=false",
         GATED_BACK + GATED_PACKED + " delta=rand(1,2,136) c=rand(1,2,136)"),
        ("gated_attention_dkv", "DK=60 DV=32 BN=64 BM=16 GATED=false KEYS=false",
         "q=rand(1,72,2,60) k=rand(1,72,1,60) do=rand(1,72,2,32) base=rand(1,2,72) scale=0.1"),
        ("gate_gradient", "BL=32 BH=4", ""),
        ("gate_gradient", "BL=32 BH=4 SINK=true VARLEN=true", "dc=randn(1,2,136) lse=rand(1,2,136) cu=[0,70,70,136]"),
        ("sink_gradient", "BL=64", ""),
    ],
    "09-linear-logp": [
        ("linear_logp", "BM=128 BV=64 BK=16", only(WORDS, "bias temperature pentropy pvariance")),
        ("linear_logp", f"BM=128 BV=64 BK=16 {ALL_OPTIONS} VARIANCE=true", WORDS),
        ("linear_logp_bound", "BM=128 BV=64 BK=16", only(STORED, "bias temperature")),
        ("linear_logp_bound", "BM=128 BV=64 BK=16 BIAS=true TEMPERATURE=true", STORED),
        ("linear_logp", "BM=128 BV=64 BK=16 STORED=true",
         only(SHARD, "bias temperature") + " S=2 bound=rand(136) plse=(2,136) ppick=(2,136) p=(136,200)"),
        ("linear_logp_merge", "BM=32", only(MERGED, "pentropy pvariance")),
        ("linear_logp_merge", "BM=32 STORED=true", only(MERGED, "pentropy pvariance") + " bound=randn(40)"),
        ("linear_logp_restore", "BM=128 BV=64 BK=16", only(STORED, "bias temperature") + FLAGS),
        ("linear_logp_restore", "BM=128 BV=64 BK=16 BIAS=true TEMPERATURE=true", STORED + FLAGS),
        ("linear_logp_target", "", "target=randint(-2,90,40) first=8 ignore=-1 logp=randn(40) shift=rand(40) p=rand(40,72)"),
        ("linear_logp_scale", "BM=32 BD=64 TEMPERATURE=true",
         "h=randn(40,72) temperature=full(2,40) target=randint(-2,90,40) words=80 ignore=-1 shift=rand(40) dlogp=randn(40)"),
        ("linear_logp_merge", "BM=32 ENTROPY=true VARIANCE=true", MERGED),
        ("linear_logp_dz", "BM=128 BV=64 BK=16", only(LOGIT_GRADIENTS, "bias temperature entropy dentropy")),
        ("linear_logp_dz", f"BM=64 BV=64 BK=16 {ALL_OPTIONS}", LOGIT_GRADIENTS),
        *(("linear_logp_dh", f"BM=128 BD=64 BK=16 LAST={last}", "first=8 words=190 dz=randn(136,200) w=randn(200,72)")
          for last in ("false", "true")),
        *(("linear_logp_dh", f"BM=128 BD=64 BK=16 STORED=true FIRST={first} LAST=true",
           "first=8 words=208 dz=rand(136,200) w=randn(200,72) a=rand(136)") for first in ("false", "true")),
        ("linear_logp_dw", "BM=128 BD=64 BK=16", ""),
        ("linear_logp_dbias", "BV=64 BK=16", ""),
        ("linear_logp_dbias", "BV=64 BK=16 STORED=true", ""),
        ("linear_logp_dtemperature", "BM=32", only(TEMPERATURES, "variance dentropy")),
        ("linear_logp_dtemperature", "BM=32 ENTROPY=true", TEMPERATURES),
    ],
    "10-varlen-attention": [
        *(("varlen_fwd", f"DK=64 DV=32 BM=64 BN=32 CAUSAL={causal}", f"{PACKED} tile=zeros(64)") for causal in ("false", "true")),
        ("varlen_fwd", "DK=64 DV=32 BM=64 BN=32 CAUSAL=true BOTTOM_RIGHT=true",
         PACKED.replace("0,100]", "0,30]").replace("100,30]", "30,100]") + " tile=zeros(64)"),
        ("varlen_fwd", "DK=64 DV=32 BM=64 BN=32 PERSISTENT=true", f"{PACKED} tile=zeros(64)"),
        ("varlen_fwd", "DK=64 DV=32 BM=128 BN=32 CAUSAL=true", PACKED.replace("[0,70,64,0,100],", "") + " tile=zeros(128)"),
        ("varlen_fwd", "DK=64 DV=32 BM=32 BN=16 CAUSAL=true T=f32",
         PACKED.replace("[0,70,0,", "[0,70,32,0,100],[0,70,0,") + " tile=zeros(32)"),
        ("varlen_tiles", "BM=32 BB=128", "cu_q=[0,40,40,170] cu_k=[0,9,90,99] N=9"),
        ("check_cu_seqlens", "BB=128", "cu=[0,3,2,9] rows=9 longest=5"),
    ],
    "11-attention-backward": [
        ("attention_delta", "DK=32 BM=16", "o=randn(1,2,40,32) do=randn(1,2,40,32) lse=randn(1,2,40)"),
        ("attention_delta", "DK=32 BM=32 SUMS=false T=f32", ""),
        ("attention_bwd", "DK=64 BM=128 BN=128 CAUSAL=true", ROWS),
        ("attention_bwd", "DK=64 BM=128 BN=128 EXCHANGE=2 CAUSAL=true", ROWS),
        ("attention_bwd", "DK=64 BM=64 BN=128 LATE=true CAUSAL=true", LATE),
        *(("attention_bwd", f"DK=128 DV=32 BM=16 BN=128 FLIP=true VALUES=false CAUSAL={causal}", COLUMNS)
          for causal in ("false", "true")),
        ("attention_bwd", "DK=64 DV=32 BM=16 BN=64 QUERIES=false CAUSAL=true", KEYS),
        ("attention_bwd", "DK=64 DV=32 BM=16 BN=64 QUERIES=false KEYS=false", KEYS),
        ("attention_bwd", "DK=64 DV=32 BM=16 BN=32 QUERIES=false T=f32", KEYS),
        ("attention_dkv", "DK=32 DV=16 BN=32", "dk_sums=randn(1,2,40,32) dv_sums=randn(1,2,40,16)"),
        ("attention_dq", "DK=32 BM=16 FLIP=true", "sums=randn(1,2,3,32,16) M=40"),
        ("attention_dq", "DK=32 BM=16", "sums=randn(1,2,3,16,32) M=40"),
        *(("attention_bwd_dq", f"DK=64 DV=32 BM=128 BN=32 CAUSAL={causal}", QUERIES)
          for causal in ("false", "true")),
        ("attention_bwd_dq", "DK=64 DV=32 BM=64 BN=16 CAUSAL=true T=f32", QUERIES),
    ],
    "12-varlen-backward": [
        ("varlen_delta", "DK=128 DV=64 BM=32", "o=randn(90,2,64) do=randn(90,2,64) lse=randn(90,2) cu_q=[0,70,70,90]"),
        ("varlen_bwd", "DK=64 DV=32 BM=64 BN=64", f"{GRADIENTS} max_k=100"),
        ("varlen_bwd", "DK=64 DV=32 BM=64 BN=128 GROUPED=true EXCHANGE=2", f"{GRADIENTS} max_k=100"),
        ("varlen_bwd", "DK=128 DV=32 BM=16 BN=128 CAUSAL=true SPLIT=true SUMS=false",
         f"{GRADIENTS} max_k=100 dk_part=(2,130,1,128) dv_part=(2,130,1,32)".replace(",64)", ",128)")),
        ("varlen_bwd", "DK=192 DV=32 BM=16 BN=128 CAUSAL=true BOTTOM_RIGHT=true",
         f"{GRADIENTS} max_k=100".replace(",64)", ",192)")),
        ("varlen_bwd_dq", "DK=64 DV=32 BQ=64 BK=32 CAUSAL=true BOTTOM_RIGHT=true", f"{GRADIENTS} max_q=70"),
        ("varlen_bwd_round", "DK=128 BM=32", "cu_q=[0,70,70,90] owner=[0,0,0,1,2] TQ=90 sums=randn(2,5,128,32)"),
        ("varlen_bwd_sum", "DK=64 DV=32", "dk_part=randn(3,40,2,64)"),
    ],
    "13-decoding": [
        ("decode", "D=64 G=4 BM=64 BN=32", f"{CACHES} k=randn(2,100,1,64) v=randn(2,100,1,64)"),
        ("decode", "D=64 G=4 BM=64 BN=32 PAGE=64",
         f"{CACHES} k=randn(5,64,1,64) v=randn(5,64,1,64) table=[[4,0],[1,3]]"),
        ("decode", "D=64 G=4 BM=16 BN=16 PAGE=16 T=f32",
         f"{CACHES} k=randn(9,16,1,64) v=randn(9,16,1,64) table=[[4,0,6,2,2,0,0],[1,3,7,8,1,5,4]]"),
        ("decode_merge", "D=64", "part=randn(3,2,10,64) part_lse=randn(3,2,10) o=(2,10,64) lse=(2,10)"),
    ],
    "14-scaled-matmul": [
        ("scaled_matmul", "BM=128 BN=64", SCALED),
        ("scaled_matmul", "BM=64 BN=32 WARPGROUPS=1 STAGES=3", SCALED),
        ("scaled_matmul", "BM=64 BN=64 F=f8e5m2 T=f16", SCALED),
    ],
    "15-grouped-matmul": [
        *(("grouped_matmul", f"{tiles} GATHER=true", GROUPED + " x=randn(40,72) rows=randint(0,40,150)")
          for tiles in ("BM=128 BN=64 BK=32", "BM=64 BN=64 BK=64 WARPGROUPS=1")),
        ("grouped_matmul", "BM=128 BN=64 BK=32 GATHER=false", GROUPED + " x=randn(150,72)"),
    ],
    "16-gated-delta-rule": [
        ("delta_chunks", "DK=64 DV=32", DELTA + " v=randn(1,150,2,32) scale=0.1"),
        ("delta_rule", "DK=64 DV=32 BV=32", DELTA_RULE + " p=rand(1,2,3,64,64) scale=0.1"),
        ("delta_rule", "DK=64 DV=32 BV=32 INITIAL=true STATES=true OUTPUTS=false",
         DELTA_RULE.replace("q=rand(1,150,2,64) ", "") + " initial=randn(1,2,64,32)"),
        ("delta_rule_back", "DK=64 DV=32 BV=32 FINAL=true",
         DELTA_RULE.replace(" u=", " do=") + " p=rand(1,2,3,64,64) scale=0.1 dfinal=rand(1,2,64,32)"),
        ("delta_chunks_back", "DK=64 DV=32",
         DELTA_RULE.replace(" w=rand(1,150,2,64)", "").replace(" u=", " do=") + " scale=0.1 e=rand(1,150,2,32) "
         "de=rand(1,150,2,32) v=rand(1,150,2,32) beta=full(0.02,1,150,2) t=rand(1,2,3,64,64) states=rand(1,2,3,64,32) "
         "dstates=rand(1,2,3,64,32)"),
    ],
    "17-kimi-delta-attention": [
        ("kda_chunks", "DK=64 DV=32 BK=32", KIMI_INPUTS),
        ("kda", "DK=64 DV=32 BV=32", KIMI + " qs=rand(1,150,2,64) p=rand(1,2,3,64,64) u=rand(1,150,2,32)"),
        ("kda", "DK=64 DV=32 BV=32 INITIAL=true STATES=true OUTPUTS=false",
         KIMI + " u=rand(1,150,2,32) initial=randn(1,2,64,32)"),
        ("kda_back", "DK=64 DV=32 BV=32 FINAL=true",
         KIMI + " qs=rand(1,150,2,64) p=rand(1,2,3,64,64) do=rand(1,150,2,32) dfinal=rand(1,2,64,32)"),
        ("kda_values_back", "DV=32",
         KIMI_BACK + " de=rand(1,150,2,32) t=rand(1,2,3,64,64) kk=rand(1,2,3,64,64) scale=0.1"),
        ("kda_chunks_back", "DK=64 DV=32 BK=32",
         KIMI_BACK + " q=rand(1,150,2,64) k=rand(1,150,2,64) g=full(-0.1,1,150,2,64) dv=rand(1,150,2,32) "
         "dp=rand(1,2,3,64,64) dkk=rand(1,2,3,64,64) same=rand(1,150,2) states=rand(1,2,3,64,32) "
         "dstates=rand(1,2,3,64,32) scale=0.1"),
    ],
}  # fmt: skip


def verify(source, kernel, constants, arguments, folder):
    """Runs one case; returns its error or an empty text, and the variants that were not made for it."""
    command = ["tilec", str(source), "--kernel", kernel, "--verify-passes", "--emit=nvvm", "-o", "/dev/null"]
    if kernel in BY_RMS:
        command += ["--verify-rms", BY_RMS[kernel]]
    for constant in constants.split():
        command += ["-D", constant]
    for argument in arguments.split():
        name, value = argument.split("=")
        if value.startswith("["):
            np.save(folder / f"{name}.npy", np.array(json.loads(value), np.int32))
            value = f"@{folder}/{name}.npy"
        command += ["--verify-arg", f"{name}={value}"]
    done = subprocess.run(command, capture_output=True, text=True)
    print(kernel, constants, done.stderr.strip().splitlines()[-1] if done.stderr else "")
    # Only warnings may come before it: small tiles leave warpgroups idle.
    said = re.fullmatch(r"(?s)(.*\n)?verify-passes: [1-9]\d* executions gave the same results"
                        r"(?P<skipped>(; these arguments .* not executed; .*)?)\n", done.stderr)
    if done.returncode == 0 and said:
        return "", set(re.findall(r"'(\w+)'", said["skipped"]))
    return f"exit status {done.returncode}: {' '.join(command)}\n{done.stderr}", set()


def verify_all(source, cases, folder):
    """Runs all cases; returns the errors."""
    complaints, skipped = [], {}
    for case in cases:
        complaint, variants = verify(source, *case, folder)
        complaints.append(complaint)
        skipped[case[0]] = skipped.get(case[0], variants) & variants
    complaints += [f"no case for variant {variant} of {kernel}" for kernel, variants in skipped.items()
                   for variant in sorted(variants)]
    return list(filter(None, complaints))


def main():
    example = sys.argv[1]
    source = EXAMPLES / example / "kernel.tile"
    kernels = set(re.findall(r"^kernel (\w+)", source.read_text(), re.MULTILINE))
    tests = {path.stem for path in HERE.glob("*.test")}
    if missing := {path.name for path in EXAMPLES.glob("[0-9]*-*")} - tests:
        sys.exit(f"no test for {', '.join(sorted(missing))}")
    if missing := kernels - {kernel for kernel, _, _ in CASES[example]}:
        sys.exit(f"no case for {', '.join(sorted(missing))} of {example}")
    with tempfile.TemporaryDirectory() as folder:
        complaints = verify_all(source, CASES[example], pathlib.Path(folder))
    sys.exit("\n".join(complaints) or 0)


if __name__ == "__main__":
    main()
