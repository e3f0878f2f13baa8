//===- KernelMetadata.h - Description of a kernel ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The description of a kernel that is packaged with its machine code. It has
// two lists. A caller passes *parameters*: tensors and scalars, by the names of
// the source. The machine code takes *arguments*: tensor maps, addresses, sizes
// and strides, which the runtime derives from the parameters.
//
// The text form is JSON, with the names of the fields as keys. Reading performs
// all checks that need no launch. A KernelMetadata that was read is therefore
// consistent: indices are in range, names are known, and expressions parse.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_RUNTIME_KERNELMETADATA_H
#define TESSERA_RUNTIME_KERNELMETADATA_H

#include "tessera/Array/ElementType.h"
#include "tessera/Runtime/ReportInfo.h"
#include "tessera/Runtime/SizeExpression.h"
#include "llvm/Support/JSON.h"

namespace tessera::rt {

/// A tensor or a scalar that the caller passes.
struct ParameterInfo {
  enum class Kind { Tensor, Scalar };
  enum class Access { Read, Write, ReadWrite };

  Kind kind = Kind::Tensor;
  std::string name;
  array::ElementType dtype = array::ElementType::F32;
  /// Whether a scalar is an `int` of the source, which a launch passes as
  /// `I32`.
  bool isIndex = false;

  // Of a tensor:
  Access access = Access::Read;
  /// The extents, outermost first, over the sizes of the kernel.
  std::vector<SizeExpression> dims;
  /// Whether the kernel requires dense row-major elements. If not, tensor maps
  /// or arguments pass the strides of the caller to the kernel.
  bool dense = true;
  /// Required alignment of the address in bytes; 0 for the size of an element.
  /// Tensor maps have requirements of their own.
  int64_t alignment = 0;

  /// Returns the type of a scalar or of elements in the words of the source:
  /// "int", "f8e4m3".
  llvm::StringRef getTypeName() const;
  /// Returns "bf16[M, K]", or "int" for a scalar.
  std::string describeType() const;
};

/// Two expressions that must be equal at each launch.
struct Equality {
  SizeExpression left, right;
};

/// Construction of the tensor map over a parameter (PTX ISA, "Tensors"). Map
/// dimensions count from the innermost, tensor dimensions from the outermost.
struct TensorMapRecipe {
  enum class Swizzle : uint8_t { None = 0, B32 = 1, B64 = 2, B128 = 3 };

  /// Index into the parameters.
  unsigned parameter = 0;
  /// The tensor dimension of each map dimension. The first one must have
  /// stride 1.
  std::vector<unsigned> order;
  /// Extents of the box in elements.
  std::vector<int64_t> box;
  /// Strides between elements of the box; empty for 1 everywhere.
  std::vector<int64_t> elementStrides;
  Swizzle swizzle = Swizzle::None;

  /// Returns the largest inner extent of the box in bytes, 0 for no limit.
  static int64_t getSwizzleSpan(Swizzle swizzle);
};

/// Required alignment of the address of a tensor.
struct Alignment {
  /// Index into the parameters.
  unsigned parameter = 0;
  int64_t bytes = 0;
};

/// One argument of the machine code, in the order of its parameters.
struct ArgumentInfo {
  enum class Kind {
    /// A tensor map of 128 bytes; `index` is that of the recipe.
    TensorMap,
    /// The address of the tensor parameter `index`, 8 bytes.
    Address,
    /// The value of the scalar parameter `index`, in its type.
    Scalar,
    /// The value of `size` in `type` (i32 or i64).
    Size,
    /// The stride of dimension `dim` of parameter `index`, in elements, in
    /// `type` (i32 or i64).
    Stride,
    /// The address of the counters of this launch. The blocks of a persistent
    /// kernel fetch their programs from the first word, which is 0 before and
    /// after each launch. The second word counts arrivals at barriers of the
    /// grid, and is 0 or -2^31.
    Counter,
    /// The address of the buffer of checks and prints, 8 bytes.
    Reports,
  };

  /// The word of arrivals, and the bytes of all counters of a launch.
  static constexpr int kArrivalsWord = 1, kCounterBytes = 8;

  Kind kind = Kind::Address;
  unsigned index = 0;
  unsigned dim = 0;
  array::ElementType type = array::ElementType::I32;
  std::optional<SizeExpression> size;
};

/// One variant of a kernel. A package may hold several variants of a kernel,
/// with the same parameters. A launch uses the first one whose conditions hold.
struct KernelMetadata {
  /// The name in the source, and the name of the entry in the machine code.
  std::string name;
  std::string entry;
  /// The names of the sizes. Each one is bound by the first dimension of a
  /// tensor of the form `name + constant`, by a scalar parameter of that name,
  /// or by the caller.
  std::vector<std::string> sizes;
  std::vector<ParameterInfo> parameters;
  std::vector<Equality> equalities;
  /// Expressions that are 0 at every launch of this variant. A further
  /// condition is that its tensor maps can be encoded.
  std::vector<SizeExpression> conditions;
  /// Alignments of addresses at every launch of this variant.
  std::vector<Alignment> alignments;
  std::vector<TensorMapRecipe> tensorMaps;
  std::vector<ArgumentInfo> arguments;
  /// Blocks along x, y, z. A launch with a 0 among them does nothing.
  std::vector<SizeExpression> grid;
  /// Whether a block executes many programs. The number of blocks along x is
  /// then at most that which the device runs at once.
  bool persistent = false;
  /// Whether blocks meet at barriers of the grid, so that all must run at the
  /// same time (CUDA: a cooperative launch). Not for persistent kernels.
  bool cooperative = false;
  /// Whether the machine code itself waits for the launch before it (PTX ISA,
  /// "griddepcontrol"), so that its blocks may start while that launch ends.
  bool overlapsPrevious = false;
  /// Blocks of a cluster along x, y, z; the grid is a multiple of them.
  int64_t cluster[3] = {1, 1, 1};
  /// Threads of a block.
  int64_t threads = 0;
  /// Dynamic shared memory in bytes.
  int64_t sharedMemory = 0;
  /// Registers per thread at entry, for reports; 0 if unknown.
  int64_t registers = 0;
  /// The checks and prints of the kernel, if it has any on the GPU. A launch
  /// then waits for their results.
  std::optional<ReportInfo> reports;
};

/// Checks whether a launch of the kernel needs counters.
bool hasCounters(const KernelMetadata &kernel);

/// Checks whether the blocks of a persistent kernel fetch their programs from a
/// counter, instead of each executing every n-th one.
bool drawsPrograms(const KernelMetadata &kernel);

/// The attribute of a kernel function in the compiler that holds its metadata,
/// as JSON text.
inline constexpr llvm::StringLiteral kMetadataAttrName = "sm.metadata";

llvm::json::Value toJSON(const KernelMetadata &kernel);

/// Reads and checks one kernel. An error names the wrong place in the JSON text
/// or the wrong field.
llvm::Expected<KernelMetadata> readKernelMetadata(const llvm::json::Value &v);

/// Performs the checks of reading on metadata that a compiler built.
llvm::Error verifyKernelMetadata(const KernelMetadata &kernel);

} // namespace tessera::rt

#endif // TESSERA_RUNTIME_KERNELMETADATA_H
