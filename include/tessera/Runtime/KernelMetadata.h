//===- KernelMetadata.h - What a launch must know of a kernel ---*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The description of a kernel that travels with its machine code. It has two
// sides: the *parameters* that a caller passes (tensors and scalars, by the
// names of the source), and the *arguments* that the machine code takes (tensor
// maps, addresses, sizes, strides), which the runtime derives from them.
//
// Text form: JSON, with the names of the fields as keys. Reading checks
// everything that can be checked without a launch, so a KernelMetadata that was
// read is consistent: indices are in range, names are known, expressions parse.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_RUNTIME_KERNELMETADATA_H
#define TESSERA_RUNTIME_KERNELMETADATA_H

#include "tessera/Array/ElementType.h"
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

  // Of a tensor:
  Access access = Access::Read;
  /// The extents, outermost first, over the sizes of the kernel.
  std::vector<SizeExpression> dims;
  /// Whether the kernel wants the elements dense and row-major. If not, the
  /// strides of the caller reach it by tensor maps or arguments.
  bool dense = true;
  /// What the address must be a multiple of, in bytes; 0 for the size of an
  /// element. Tensor maps ask for more by themselves.
  int64_t alignment = 0;
};

/// Two expressions that a launch must find equal.
struct Equality {
  SizeExpression left, right;
};

/// How the tensor map over a parameter is made (PTX ISA, "Tensors"). Map
/// dimensions count from the innermost, tensor dimensions from the outermost.
struct TensorMapRecipe {
  enum class Swizzle : uint8_t { None = 0, B32 = 1, B64 = 2, B128 = 3 };

  /// Index into the parameters.
  unsigned parameter = 0;
  /// The tensor dimension of each map dimension. The first one must have
  /// stride 1.
  std::vector<unsigned> order;
  /// The box in elements.
  std::vector<int64_t> box;
  /// Empty for 1 everywhere.
  std::vector<int64_t> elementStrides;
  Swizzle swizzle = Swizzle::None;

  /// Bytes that the inner extent of the box may have, 0 for no limit.
  static int64_t getSwizzleSpan(Swizzle swizzle);
};

/// What the address of a tensor is a multiple of.
struct Alignment {
  /// Index into the parameters.
  unsigned parameter = 0;
  int64_t bytes = 0;
};

/// One argument of the machine code, in the order of its parameters.
struct ArgumentInfo {
  enum class Kind {
    /// 128 bytes, `index` is that of the recipe.
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
    /// The address of the counter, 4 bytes, that the blocks of this launch draw
    /// their programs from. It is 0 before and after each launch.
    Counter,
  };

  Kind kind = Kind::Address;
  unsigned index = 0;
  unsigned dim = 0;
  array::ElementType type = array::ElementType::I32;
  std::optional<SizeExpression> size;
};

/// One variant of a kernel. A package may hold several of a name, with the same
/// parameters; a launch takes the first one whose conditions hold.
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
  /// Expressions that are 0 at every launch of this variant. That its tensor
  /// maps can be made is a condition, too.
  std::vector<SizeExpression> conditions;
  /// Likewise, of addresses at every launch of this variant.
  std::vector<Alignment> alignments;
  std::vector<TensorMapRecipe> tensorMaps;
  std::vector<ArgumentInfo> arguments;
  /// Blocks along x, y, z. A launch with a 0 among them does nothing.
  std::vector<SizeExpression> grid;
  /// Whether a block walks over many programs: then there are at most as many
  /// blocks, along x, as the device runs at once.
  bool persistent = false;
  /// Whether the machine code itself waits for the launch before it (PTX ISA,
  /// "griddepcontrol"), so that its blocks may start while that one ends.
  bool overlapsPrevious = false;
  /// Blocks of a cluster along x, y, z; the grid is a multiple of it.
  int64_t cluster[3] = {1, 1, 1};
  /// Threads of a block.
  int64_t threads = 0;
  /// Dynamic shared memory in bytes.
  int64_t sharedMemory = 0;
  /// Registers per thread at entry, for reports; 0 if unknown.
  int64_t registers = 0;
};

/// Whether the blocks of a persistent kernel draw their programs from a
/// counter, instead of each taking every n-th one.
bool drawsPrograms(const KernelMetadata &kernel);

/// The attribute of a kernel function in the compiler that holds its metadata,
/// as JSON text.
inline constexpr llvm::StringLiteral kMetadataAttrName = "sm.metadata";

llvm::json::Value toJSON(const KernelMetadata &kernel);

/// Reads and checks one kernel. An error names the place in the JSON text or
/// the field that is wrong.
llvm::Expected<KernelMetadata> readKernelMetadata(const llvm::json::Value &v);

/// The checks of reading, for metadata that a compiler has built.
llvm::Error verifyKernelMetadata(const KernelMetadata &kernel);

} // namespace tessera::rt

#endif // TESSERA_RUNTIME_KERNELMETADATA_H
