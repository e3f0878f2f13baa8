//===- MatrixDescriptors.h - wgmma's view of tiles --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A descriptor is found by looking at every element of a tile, and every
// verification of a product asks for two. A kernel has few types of tiles, so
// the dialect remembers what it has found.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_SM_IR_MATRIXDESCRIPTORS_H
#define TESSERA_DIALECT_SM_IR_MATRIXDESCRIPTORS_H

#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Layout/MatrixDescriptor.h"
#include "tessera/Target/GpuTarget.h"

#include "mlir/IR/DialectInterface.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/RWMutex.h"
#include <variant>

namespace tessera::sm {

/// layout::getMatrixDescriptor of `tile`.
llvm::Expected<layout::MatrixDescriptor>
getMatrixDescriptor(SmemType tile, unsigned kDim, int64_t block);

/// Returns the columns of the widest instruction that divides each of `parts`
/// of a product by `b`, or 0. Along N, an instruction reads whole rows of the
/// swizzle.
int64_t getInstructionColumns(const GpuTarget &target, SmemType b,
                              bool isTransposed, int64_t parts = 1);

/// `b`, or the same tile in a narrower swizzle, if instructions can read each
/// of `parts` of a product's columns there; null if they cannot.
SmemType findReadableInParts(const GpuTarget &target, SmemType b,
                             bool isTransposed, int64_t parts);

/// Caches the descriptors of tiles of a context. Passes on several kernels ask
/// at the same time.
class MatrixDescriptors
    : public mlir::DialectInterface::Base<MatrixDescriptors> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MatrixDescriptors)

  explicit MatrixDescriptors(mlir::Dialect *dialect) : Base(dialect) {}

  /// The descriptor, or why there is none.
  using Answer = std::variant<layout::MatrixDescriptor, std::string>;
  Answer get(SmemType tile, unsigned kDim, int64_t block) const;

private:
  using Key = std::tuple<mlir::Type, unsigned, int64_t>;

  mutable llvm::sys::RWMutex mutex;
  mutable llvm::DenseMap<Key, Answer> answers;
};

} // namespace tessera::sm

#endif // TESSERA_DIALECT_SM_IR_MATRIXDESCRIPTORS_H
