//===- ForeignNames.cpp - What other languages call our things --*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Who writes kernels brings the words of CUDA, Triton and NumPy along. Where
// such a word is unknown here, the message says how the thing is written in
// this language; the nearest spelling would be misleading (`dot` is not a slip
// for `iota`).
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"

#include "llvm/ADT/StringSwitch.h"

using namespace tessera::frontend;

llvm::StringRef tessera::frontend::findForeignName(llvm::StringRef word) {
  return llvm::StringSwitch<llvm::StringRef>(word)
      .Cases({"dot", "matmul", "gemm", "mma"},
             "the matrix product is written `a @ b`")
      .Cases({"float16", "half", "fp16"}, "it is called `f16` here")
      .Cases({"bfloat16"}, "it is called `bf16` here")
      .Cases({"float32", "fp32", "float"}, "it is called `f32` here")
      .Cases({"float64", "fp64", "double", "f64"},
             "the widest float type is `f32`")
      .Cases({"int8", "char"}, "it is called `i8` here")
      .Cases({"int32"}, "it is called `i32` here")
      .Cases({"int64", "long"}, "it is called `i64` here")
      .Cases({"fp8", "float8", "float8_e4m3fn", "f8e4m3fn", "float8_e5m2"},
             "the 8-bit types are `f8e4m3` and `f8e5m2`")
      .Cases({"program_id", "blockIdx", "threadIdx", "thread_idx", "block_idx"},
             "a kernel is written for one point of its `grid`, whose axes are "
             "named there")
      .Cases({"__syncthreads", "syncthreads", "sync_threads", "debug_barrier"},
             "a program has no threads to wait for; `barrier()` orders its own "
             "accesses to global memory")
      .Cases({"arange"}, "`iota(n)` counts from 0, and `m.index` are the "
                         "positions of a range")
      .Cases({"cdiv", "ceildiv", "ceil_div"},
             "a loop over tiles is written `for k in tiles(K, BK)`; otherwise "
             "`(a + b - 1) / b`")
      .Cases({"maximum", "fmax", "fmaxf", "amax"}, "it is called `max` here")
      .Cases({"minimum", "fmin", "fminf", "amin"}, "it is called `min` here")
      .Cases({"expf", "__expf"}, "it is called `exp` here")
      .Cases({"logf", "__logf", "ln"}, "it is called `log` here")
      .Cases({"fabs", "fabsf", "absolute"}, "it is called `abs` here")
      .Cases({"mean", "average"},
             "a mean is a `sum` along the axis, divided by the size")
      .Cases({"softmax", "log_softmax", "logsumexp"},
             "it is written with `max`, `exp` and `sum`")
      .Cases({"argmax", "argmin"},
             "a position is the `min` of `where(x == top, n.index, …)` along "
             "the axis")
      .Cases({"sin", "cos"}, "there are no trigonometric functions; a tensor "
                             "can bring a table of values")
      .Cases({"pow", "power"},
             "a power is written as products, or `exp2(y * log2(x))`")
      .Cases({"relu"}, "it is written `max(x, 0.0)`")
      .Cases({"silu", "swish"}, "it is written `x * sigmoid(x)`")
      .Cases({"store"}, "a store is written `x[m, n] = t`")
      .Cases({"transpose", "trans"}, "the transpose is written `x.T`")
      .Cases({"astype", "to", "cast", "static_cast"},
             "a conversion is written `x as f16`")
      .Cases({"select"}, "it is called `where` here")
      .Cases({"shape", "size", "len"},
             "sizes have the names that the parameters give them, as in "
             "`x: f32[M, N]`")
      .Cases({"expand_dims", "unsqueeze", "reshape", "view"},
             "a dimension of extent 1 is added by `x[:, _]` or `x[_, :]`")
      .Cases({"constexpr"}, "compile-time parameters stand in `<…>` behind the "
                            "name of the kernel")
      .Default("");
}
