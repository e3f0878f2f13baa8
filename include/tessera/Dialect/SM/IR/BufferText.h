//===- BufferText.h - Descriptions of buffers -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reports and errors are read by authors of kernels, and these have never
// seen the types of this dialect.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_SM_IR_BUFFERTEXT_H
#define TESSERA_DIALECT_SM_IR_BUFFERTEXT_H

#include "tessera/Dialect/SM/IR/SM.h"

namespace tessera::sm {

/// "64x192 f16, swizzle 128".
std::string describeTile(SmemType tile);

/// "bf16[M, K]", as the language has it.
std::string describeTensor(tile::GlobalType tensor);

/// Describes the contents of the shared memory that `op` allocates: "4 slots
/// of 64x192 f16, swizzle 128", "2 barriers", "scratch of a reduction".
std::string describeBuffer(SharedMemoryOpInterface op);

/// Returns the ops that copy between tensors and the memory that `alloc`
/// allocates.
SmallVector<Operation *> findTensorCopies(Operation *alloc);

/// Describes the contents of the memory, a ring or a queue, with the names of
/// the tensors: "tiles of 'a', 'b': 4 slots of 64x192 f16".
std::string describeContents(KernelOp kernel, Operation *alloc);

} // namespace tessera::sm

#endif // TESSERA_DIALECT_SM_IR_BUFFERTEXT_H
