//===- ForeignNames.cpp - Names of CUDA, Triton and NumPy -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernel engineers know the words of CUDA, Triton and NumPy. For such a word
// the message names the equivalent in this language. The nearest spelling would
// be misleading: `dot` is not a misspelled `iota`.
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"
#include "Entity.h"

#include "llvm/ADT/StringSwitch.h"

using namespace tessera::frontend;

llvm::StringRef tessera::frontend::findForeignType(llvm::StringRef word) {
  llvm::StringRef hint = findForeignName(word);
  if (!hint.consume_front("it is called `"))
    return "";
  llvm::StringRef name = hint.split('`').first;
  return isReservedTypeName(name) ? name : "";
}

llvm::StringRef tessera::frontend::findForeignName(llvm::StringRef word) {
  return llvm::StringSwitch<llvm::StringRef>(word)
      // Types.
      .Cases({"float16", "half", "fp16", "__half"}, "it is called `f16` here")
      .Cases({"bfloat16", "__nv_bfloat16", "nv_bfloat16"},
             "it is called `bf16` here")
      .Cases({"float32", "fp32", "float"}, "it is called `f32` here")
      .Cases({"float64", "fp64", "double"}, "it is called `f64` here")
      .Cases({"int8", "char", "int8_t"}, "it is called `i8` here")
      .Cases({"int32", "int32_t"}, "it is called `i32` here")
      .Cases({"int64", "long", "int64_t"}, "it is called `i64` here")
      .Cases({"int16", "int16_t", "short"}, "it is called `i16` here")
      .Cases({"uint8", "uint8_t"}, "it is called `u8` here")
      .Cases({"uint16", "uint16_t"}, "it is called `u16` here")
      .Cases({"uint32", "uint32_t", "unsigned"}, "it is called `u32` here")
      .Cases({"uint64", "uint64_t", "size_t"}, "it is called `u64` here")
      .Cases({"usize", "isize"},
             "a size is an `int`, and integers of 64 bits are `i64` and `u64`")
      .Cases({"Tensor", "tensor", "ndarray", "Array", "array"},
             "a tensor is written as its type and its sizes in brackets, as in "
             "`x: f32[M, N]`")
      .Cases({"f8", "fp8", "float8"},
             "the 8-bit types are `f8e4m3` and `f8e5m2`")
      .Cases({"float8_e4m3fn", "f8e4m3fn", "float8e4nv", "__nv_fp8_e4m3"},
             "it is called `f8e4m3` here")
      .Cases({"float8_e5m2", "float8e5", "__nv_fp8_e5m2"},
             "it is called `f8e5m2` here")
      .Cases({"i4", "u4", "int4", "uint4", "int4_t"},
             "two integers of 4 bits are packed in a `u8`: `x & 15` and `x >> "
             "4`, or with a sign in an `i8`: `x << 4 >> 4` and `x >> 4`")
      .Cases({"i1", "bool_"}, "it is called `bool` here")
      .Cases({"not"}, "the negation is written `!`")
      .Cases({"dtype", "element_ty"},
             "a type that varies is a compile-time parameter, as in "
             "`kernel f<T: type = f16>(x: T[M])`")
      // Values.
      .Cases({"True", "False"}, "they are written `true` and `false`")
      .Cases({"None", "newaxis", "null", "nullptr"},
             "a dimension of extent 1 is added by `x[:, _]` or `x[_, :]`; a "
             "parameter is always there")
      .Cases({"INFINITY", "INF", "infinity", "HUGE_VALF"},
             "it is written `inf`")
      .Cases({"NAN", "NaN"}, "it is written `nan`")
      .Cases({"pi", "PI", "M_PI"}, "it is the number 3.141592653589793")
      .Cases({"constexpr"}, "compile-time parameters are written in `<…>` "
                            "after the name of the kernel")
      // Where a program is, and its threads.
      .Cases({"program_id", "blockIdx", "threadIdx", "thread_idx", "block_idx"},
             "a kernel is written for one point of its `grid`, whose axes are "
             "named there; the number of `m in tiles(M, BM)` is `m.start / BM`")
      .Cases({"num_programs", "gridDim", "blockDim", "get_global_id",
              "get_local_id", "laneid", "warpSize"},
             "a kernel is written for one point of its `grid`, whose axes are "
             "named there")
      .Cases({"sync", "grid_sync", "sync_grid", "grid_barrier", "this_grid",
              "cooperative_groups"},
             "`barrier(grid);` waits for all programs")
      .Cases({"__threadfence", "threadfence"},
             "atomic operations with `order` order programs")
      .Cases({"__syncthreads", "syncthreads", "sync_threads", "debug_barrier"},
             "a program has no threads to wait for; `barrier()` orders its own "
             "accesses to global memory")
      .Cases({"__shfl_sync", "__shfl_down_sync", "__shfl_xor_sync",
              "__ballot_sync", "__syncwarp"},
             "a program has no threads; `sum`, `max` and `min` reduce tiles")
      .Cases({"__shared__", "shared", "alloc_shared", "SharedMemory"},
             "the compiler places tiles in registers and shared memory")
      // Clauses in the body.
      .Cases({"grid", "schedule", "numerics"},
             "`grid (…)`, `schedule (…)` and `numerics (…)` are written "
             "between the parameters of the kernel and `{`")
      // Memory.
      .Cases({"store"}, "a store is written `x[m, n] = t`")
      .Cases({"make_block_ptr", "make_tensor_descriptor", "advance"},
             "a tensor is indexed by ranges, as in `x[m, n]`, and the compiler "
             "chooses how it is moved")
      .Cases({"mask"}, "elements outside of a tensor are masked automatically; "
                       "`where` masks others")
      .Cases({"gather", "take", "index_select", "take_along_dim"},
             "a gather is written `x[rows[m], n]`, with `i32` positions")
      .Cases(
          {"scatter", "index_put", "scatter_add", "index_add"},
          "a scatter is written `x[rows[m], n] = t` or `atomic_add(x[rows[m], "
          "n], t)`")
      .Cases({"atomicAdd"}, "it is called `atomic_add(x[m], t)` here")
      .Cases({"atomic_sub", "atomicSub"}, "it is `atomic_add` of `-t`")
      .Cases({"atomic_xchg", "atomicExch"},
             "it is called `atomic_exchange(x[m], t)` here")
      .Cases({"atomicMax"}, "it is called `atomic_max(x[m], t)` here")
      .Cases({"atomicMin"}, "it is called `atomic_min(x[m], t)` here")
      .Cases({"atomicAnd"}, "it is called `atomic_and(x[m], t)` here")
      .Cases({"atomicOr"}, "it is called `atomic_or(x[m], t)` here")
      .Cases({"atomicXor"}, "it is called `atomic_xor(x[m], t)` here")
      .Cases({"atomicCAS"}, "it is called `atomic_cas(x[m], expected, t)` here")
      // Making tiles.
      .Cases({"fill"}, "a tile of one number is `full(f32[64], x)`, and a "
                       "number is stored to all elements by `y[n] = x`")
      .Cases({"linspace"}, "it is written `low + (iota(64) as f32) * ((high - "
                           "low) / 63.0)`")
      .Cases({"one_hot"},
             "it is written `where(x[:, _] == iota(16)[_, :], 1.0, 0.0)`")
      .Cases({"arange"}, "`iota(n)` counts from 0, and `m.index` are the "
                         "positions of a range")
      .Cases({"zeros_like", "ones_like", "full_like", "empty", "empty_like"},
             "a tile is made of its type, as in `zeros(f32[64, 64])`")
      .Cases({"rand", "randn", "randint", "random", "curand"},
             "random numbers are fns of the standard library: `use "
             "\"std/random.tile\" (uniform);`")
      .Cases({"tril"},
             "it is written `where(m.index[:, _] >= n.index[_, :], x, 0.0)`")
      .Cases({"triu"},
             "it is written `where(m.index[:, _] <= n.index[_, :], x, 0.0)`")
      .Cases({"eye", "identity"}, "it is written `where(iota(8)[:, _] == "
                                  "iota(8)[_, :], 1.0, 0.0)`")
      // The shape of tiles.
      .Cases({"shape", "size", "len", "ndim", "numel"},
             "sizes have the names that the parameters give them, as in "
             "`x: f32[M, N]`")
      .Cases({"stride", "strides", "data_ptr"},
             "addresses are computed from the index; a launch passes strides")
      .Cases({"expand_dims", "unsqueeze"},
             "a dimension of extent 1 is added by `x[:, _]` or `x[_, :]`")
      .Cases({"squeeze"},
             "a reduction or an integer as an index drops a dimension")
      .Cases({"view", "flatten", "ravel"},
             "it is called `reshape` here, as in `reshape(x, 32, 64)`")
      .Cases({"broadcast_to", "expand"},
             "it is called `broadcast` here; `x[:, _]` adds a dimension of "
             "extent 1")
      .Cases({"repeat", "repeat_interleave"},
             "each element is repeated by `reshape(broadcast(x[:, _], 64, 4), "
             "256)`, and the whole tile by `reshape(broadcast(x[_, :], 4, 64), "
             "256)`")
      .Cases({"roll"}, "the positions of a load rotate, as in `x[(n.index + 1) "
                       "% N]`")
      .Cases({"transpose", "trans"}, "the transpose is written `x.T`")
      .Cases({"swapaxes", "moveaxis"},
             "it is called `permute` here, as in `permute(x, 0, 2, 1)`")
      .Cases({"concatenate", "cat", "hstack", "vstack"},
             "it is called `concat` here, as in `concat(x, y, axis = 0)`")
      .Cases({"stack"}, "it is written `concat(x[_, :], y[_, :], axis = 0)`")
      .Cases({"interleave"}, "it is called `join` here")
      .Cases({"chunk", "unbind"},
             "parts of a tile are written `x[:, 0:32]`, and `split` separates "
             "even and odd positions")
      .Cases({"reverse"}, "it is called `flip` here")
      .Cases({"astype", "to", "cast", "static_cast"},
             "a conversion is written `x as f16`")
      // Products, reductions, scans.
      .Cases({"dot", "matmul", "gemm", "mma"},
             "the matrix product is written `a @ b`")
      .Cases({"einsum", "bmm", "tensordot", "inner", "mv"},
             "a product of tiles of rank 2 is written `a @ b`, others "
             "`sum(x * y, axis = n)`")
      .Cases({"outer"}, "it is written `x[:, _] * y[_, :]`")
      .Cases({"mean", "average"},
             "a mean is a `sum` along the axis, divided by the size")
      .Cases({"std", "variance", "norm"}, "it is written with `sum` and `sqrt`")
      .Cases({"softmax", "log_softmax", "logsumexp"},
             "it is written with `max`, `exp` and `sum`")
      .Cases({"count_nonzero"}, "it is `sum(where(x != 0, 1, 0), axis = n)`")
      .Cases({"associative_scan"},
             "it is called `scan` here, as in `scan(x, axis = 0, with = f)`")
      .Cases({"fold"}, "it is called `reduce` here, as in `reduce(x, axis = "
                       "0, with = f)`")
      .Cases({"topk"}, "it is called `top` here, as in `let values, "
                       "positions = top(x, 8, axis = 1);`")
      .Cases({"histogram", "bincount"},
             "a histogram is `atomic_add(counts[key], 1)`")
      .Cases({"nonzero", "argwhere"},
             "a mask is `x != 0.0`, and `cumsum(where(x != 0.0, 1, 0), axis = "
             "0) - 1` numbers its elements")
      .Cases({"unique"},
             "in a sorted tile, an element is new if it differs from the one "
             "before it")
      // Elementwise functions.
      .Cases({"maximum", "fmax", "fmaxf", "amax"}, "it is called `max` here")
      .Cases({"minimum", "fmin", "fminf", "amin"}, "it is called `min` here")
      .Cases({"expf", "__expf"}, "it is called `exp` here")
      .Cases({"exp2f"}, "it is called `exp2` here")
      .Cases({"logf", "__logf", "ln"}, "it is called `log` here")
      .Cases({"log2f"}, "it is called `log2` here")
      .Cases({"sqrtf", "__fsqrt_rn"}, "it is called `sqrt` here")
      .Cases({"rsqrtf"}, "it is called `rsqrt` here")
      .Cases({"tanhf"}, "it is called `tanh` here")
      .Cases({"fabs", "fabsf", "absolute"}, "it is called `abs` here")
      .Cases({"fmaf", "__fmaf_rn"}, "it is called `fma` here")
      .Cases({"floorf"}, "it is called `floor` here")
      .Cases({"ceilf"}, "it is called `ceil` here")
      .Cases({"erff"}, "it is called `erf` here")
      .Cases({"select"}, "it is called `where` here")
      .Cases({"cdiv", "ceildiv", "ceil_div"},
             "a loop over tiles is written `for k in tiles(K, BK)`; otherwise "
             "`(a + b - 1) / b`")
      .Cases({"log10"}, "it is written `0.30102999566 * log2(x)`")
      .Cases({"sinf", "__sinf"}, "it is called `sin` here")
      .Cases({"cosf", "__cosf"}, "it is called `cos` here")
      .Cases({"arcsin", "asinf"}, "it is called `asin` here")
      .Cases({"arccos", "acosf"}, "it is called `acos` here")
      .Cases({"arctan", "atanf"}, "it is called `atan` here")
      .Cases({"arctan2", "atan2f"}, "it is called `atan2` here")
      .Cases({"tanf"}, "it is called `tan` here")
      .Cases({"sincos", "sincosf"}, "it is written `sin(x)` and `cos(x)`")
      .Cases({"log1pf"}, "it is called `log1p` here")
      .Cases({"expm1f"}, "it is called `expm1` here")
      .Cases({"cbrtf"}, "it is called `cbrt` here")
      .Cases({"power", "powf"}, "it is called `pow` here")
      .Cases({"asinh"}, "it is written `copysign(log1p(abs(x) + x * x / (1.0 "
                        "+ sqrt(x * x + 1.0))), x)`")
      .Cases({"acosh"}, "it is written `log(x + sqrt(x * x - 1.0))`")
      .Cases({"atanh"}, "it is written `0.5 * log1p(2.0 * x / (1.0 - x))`")
      .Cases({"square"}, "it is written `x * x`")
      .Cases({"reciprocal", "rcp"}, "it is written `1.0 / x`")
      .Cases({"div", "divide", "floor_divide"}, "it is written `x / y`")
      .Cases({"mod", "remainder"},
             "it is written `x % y` for integers and `fmod(x, y)` for floats")
      .Cases({"fmodf"}, "it is called `fmod` here")
      .Cases({"rint", "nearbyint", "rintf", "roundf"},
             "`round` rounds to the nearest integer, halves to the even one")
      .Cases({"truncf", "fix"}, "it is called `trunc` here")
      .Cases({"sgn", "signum"}, "it is called `sign` here")
      .Cases({"copysignf"}, "it is called `copysign` here")
      .Cases({"clamp", "clip"}, "it is written `min(max(x, low), high)`")
      .Cases({"swish"}, "it is `silu` of the standard library: `use "
                        "\"std/activations.tile\" (silu);`")
      .Cases({"softplus"}, "it is written `max(x, 0.0) + log1p(exp(-abs(x)))`")
      // Output and assertions.
      .Cases({"printf", "device_print", "static_print"},
             "values are printed by `print(\"text\", x)`")
      .Cases({"check"},
             "a check is written without parentheses: `check c, \"message\";`")
      .Cases({"static_assert", "device_assert"},
             "it is written `assert c, \"message\";`, and checked at compile "
             "time")
      .Cases({"static_range", "enumerate", "xrange"},
             "loops are written `for i in range(low, high) { … }` and "
             "`for m in tiles(n, B) { … }`")
      .Cases({"multiple_of", "max_contiguous", "assume"},
             "the compiler finds it out, and a launch checks it")
      .Default("");
}

namespace {
/// A parameter of a function of another language.
struct ForeignParameter {
  llvm::StringLiteral word;
  /// The parameter of the functions that the hint is for; empty for all.
  llvm::StringLiteral parameter;
  llvm::StringLiteral hint;
};
} // namespace

static constexpr ForeignParameter kForeignParameters[] = {
    // Reductions, scans and orders.
    {"dim", "axis", "it is called `axis` here"},
    {"dims", "axis", "it is called `axis` here"},
    {"keepdims", "axis", "the dimension is dropped; `[:, _]` adds it again"},
    {"keepdim", "axis", "the dimension is dropped; `[:, _]` adds it again"},
    {"keep_dims", "axis", "the dimension is dropped; `[:, _]` adds it again"},
    {"return_indices", "axis",
     "the positions are `argmax(x, axis = n)` and `argmin(x, axis = n)`"},
    {"combine_fn", "with", "it is called `with` here"},
    {"dtype", "axis", "convert before, as in `sum(x as f32, axis = 1)`"},
    {"reverse", "descending", "it is called `descending` here"},
    {"stable", "descending", "the order is stable"},
    {"largest", "k", "`descending = false` takes the least elements"},
    // Memory.
    {"sem", "order", "it is called `order` here, as in `order = acquire`"},
    {"other", "fill", "the value outside of the tensor is `fill`"},
    {"padding_option", "fill", "the value outside of the tensor is `fill`"},
    {"boundary_check", "fill",
     "elements outside of a tensor are masked automatically"},
    {"cache_modifier", "fill", "the compiler chooses how a tile is loaded"},
    {"eviction_policy", "fill", "the compiler chooses how a tile is loaded"},
    {"volatile", "fill", "`barrier()` orders the accesses of a program"},
    // Loops.
    {"num_stages", "", "the schedule is a clause: `schedule (stages = 3)`"},
};

llvm::StringRef
tessera::frontend::findForeignParameter(llvm::StringRef word,
                                        llvm::ArrayRef<llvm::StringRef> own) {
  for (const ForeignParameter &foreign : kForeignParameters)
    if (word == foreign.word && (foreign.parameter.empty() ||
                                 llvm::is_contained(own, foreign.parameter)))
      return foreign.hint;
  return findForeignName(word);
}
