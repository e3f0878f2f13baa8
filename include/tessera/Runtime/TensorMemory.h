//===- TensorMemory.h - Memory of the arguments -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The memory ranges of tensors, and whether two of them overlap. A kernel may
// read its tensors in any order, several times, and through caches that stores
// do not update. Its outputs must therefore not overlap any other tensor.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_RUNTIME_TENSORMEMORY_H
#define TESSERA_RUNTIME_TENSORMEMORY_H

#include "tessera/Runtime/KernelMetadata.h"
#include "tessera/Runtime/LaunchPlan.h"

namespace tessera::rt {

/// Sets the strides of a tensor without strides to those of a dense one. The
/// size of its elements in bytes must fit into 64 bits.
void completeStrides(TensorArgument &tensor);

/// Checks whether the strides are those of a dense row-major tensor. The stride
/// of an extent of 1 does not matter.
bool isDense(const TensorArgument &tensor);

/// Whether two sets of elements share bytes.
enum class Overlap { None, Some, Unknown };

/// Checks whether a byte belongs to elements of both tensors. Both must fit
/// into the address space and have as many strides as extents. Interleaved
/// strides whose analysis takes too long give Unknown.
Overlap findOverlap(const TensorArgument &a, const TensorArgument &b);

/// Checks whether two elements of a tensor have the same address, for example
/// with a stride of 0.
Overlap findSelfOverlap(const TensorArgument &tensor);

/// The ranges of the tensors of a launch relative to their addresses, for
/// launches of the same tensors at other addresses.
class TensorRanges {
public:
  TensorRanges() = default;
  /// `kernel` must have accepted the arguments, and their strides must be
  /// complete.
  TensorRanges(const KernelMetadata &kernel,
               llvm::ArrayRef<Argument> arguments);

  /// Checks whether no other tensor reaches into the range of a written tensor,
  /// with the tensor for each parameter at its address. checkTensorMemory
  /// decides this case without a search.
  bool lieApartAt(llvm::ArrayRef<uint64_t> addresses) const;

private:
  /// The bytes from the first one to the end of a tensor with elements.
  struct Reach {
    size_t parameter;
    int64_t low, high;
    bool isWritten;
  };
  llvm::SmallVector<Reach, 8> reaches;
};

/// Checks that all tensors with elements have an address and end within the
/// address space. A written tensor must not overlap another tensor of the
/// launch, and its elements must not overlap each other. An error names the
/// parameters. The strides must be complete.
llvm::Error checkTensorMemory(const KernelMetadata &kernel,
                              llvm::ArrayRef<Argument> arguments);

} // namespace tessera::rt

#endif // TESSERA_RUNTIME_TENSORMEMORY_H
