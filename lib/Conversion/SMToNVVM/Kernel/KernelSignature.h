//===- KernelSignature.h - The arguments of a lowered kernel ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arguments of the machine code of a kernel, in order, and their
// description for the launcher. Both are derived from the kernel before it is
// lowered.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_SMTONVVM_KERNEL_KERNELSIGNATURE_H
#define TESSERA_LIB_CONVERSION_SMTONVVM_KERNEL_KERNELSIGNATURE_H

#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Runtime/KernelMetadata.h"

#include "llvm/ADT/StringMap.h"

namespace tessera::sm {

/// The symbol of the dynamic shared memory in a lowered module.
inline constexpr llvm::StringLiteral kSharedMemorySymbol = "smem";

class KernelSignature {
public:
  /// Fails, with a diagnostic, if a launch could not provide an argument.
  static FailureOr<KernelSignature> get(KernelOp kernel);

  const rt::KernelMetadata &getMetadata() const { return metadata; }
  /// Returns the types of the function's arguments.
  ArrayRef<Type> getTypes() const { return types; }

  /// Returns positions among the arguments.
  std::optional<unsigned> findAddress(unsigned parameter) const;
  std::optional<unsigned> findScalar(unsigned parameter) const;
  std::optional<unsigned> findSize(StringRef expression) const;
  std::optional<unsigned> findStride(StringRef expression) const;
  unsigned getTensorMapArgument(unsigned map) const;
  /// Returns the index of the counter of dynamically scheduled programs, if
  /// any.
  std::optional<unsigned> findCounter() const;

  /// Returns the tensor map of a recipe, if the kernel uses it.
  std::optional<unsigned>
  findTensorMap(const rt::TensorMapRecipe &recipe) const;

  /// Returns the stride of a dimension of a dense tensor whose stride is not
  /// constant (getConstantStride), as text: the product of the extents after
  /// it.
  static std::string getStrideExpression(tile::GlobalType type, int64_t dim);

private:
  friend class SignatureBuilder;
  void add(rt::ArgumentInfo argument, Type type);

  rt::KernelMetadata metadata;
  SmallVector<Type> types;
};

/// Returns the tensor map of `op`, if it is a tensor copy. The field
/// `parameter` of the recipe is set.
std::optional<rt::TensorMapRecipe> getTensorMapRecipe(Operation *op);

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_SMTONVVM_KERNEL_KERNELSIGNATURE_H
