//===- TensorMemory.h - The memory that arguments take ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the elements of tensors lie, and whether two of them share a place. A
// kernel may read its tensors in any order, several times, and through caches
// that no store reaches; so what it writes must lie apart from all else.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_RUNTIME_TENSORMEMORY_H
#define TESSERA_RUNTIME_TENSORMEMORY_H

#include "tessera/Runtime/KernelMetadata.h"
#include "tessera/Runtime/LaunchPlan.h"

namespace tessera::rt {

/// Gives a tensor without strides those of a dense one. Its elements must fit
/// into 64 bits of bytes.
void completeStrides(TensorArgument &tensor);

/// Whether the strides are those of a dense row-major tensor; the stride of an
/// extent of 1 does not matter.
bool isDense(const TensorArgument &tensor);

/// What is known about elements that may share a place.
enum class Overlap { None, Some, Unknown };

/// Whether a byte belongs to elements of both tensors. Both must fit into the
/// address space and have as many strides as extents. Strides that mesh in a
/// way that takes long to take apart give Unknown.
Overlap findOverlap(const TensorArgument &a, const TensorArgument &b);

/// Whether two elements of a tensor lie at one place, as with a stride of 0.
Overlap findSelfOverlap(const TensorArgument &tensor);

/// How far the tensors of a launch reach from their addresses: for launches of
/// the same tensors at other addresses.
class TensorRanges {
public:
  TensorRanges() = default;
  /// `kernel` must have accepted the arguments, and their strides be complete.
  TensorRanges(const KernelMetadata &kernel,
               llvm::ArrayRef<Argument> arguments);

  /// Whether each written tensor takes a range of addresses that no other
  /// tensor reaches into, with the tensor for each parameter at its address:
  /// what checkTensorMemory knows at once.
  bool lieApartAt(llvm::ArrayRef<uint64_t> addresses) const;

private:
  /// The bytes from the first to after the last of a tensor with elements.
  struct Reach {
    size_t parameter;
    int64_t low, high;
    bool isWritten;
  };
  llvm::SmallVector<Reach, 8> reaches;
};

/// Checks that all tensors with elements have an address and end within the
/// address space, that no written one overlaps another tensor of the launch,
/// and that its elements lie apart from each other. An error names the
/// parameters. The strides must be complete.
llvm::Error checkTensorMemory(const KernelMetadata &kernel,
                              llvm::ArrayRef<Argument> arguments);

} // namespace tessera::rt

#endif // TESSERA_RUNTIME_TENSORMEMORY_H
