//===- Machine.h - Parts of the machine's lowering --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Patterns for shared memory, products, barriers and copies, by topic.
// `populateMachinePatterns` adds them all.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_SMTONVVM_KERNEL_MACHINE_H
#define TESSERA_LIB_CONVERSION_SMTONVVM_KERNEL_MACHINE_H

#include "Patterns.h"
#include "tessera/Layout/RegisterTile.h"

namespace tessera::sm {

void populateProductPatterns(const LoweringContext &context,
                             const RegisterTypeConverter &converter,
                             RewritePatternSet &patterns);
void populateDotPatterns(const LoweringContext &context,
                         const RegisterTypeConverter &converter,
                         RewritePatternSet &patterns);
void populateBarrierPatterns(const LoweringContext &context,
                             const RegisterTypeConverter &converter,
                             RewritePatternSet &patterns);
void populateTurnPatterns(const LoweringContext &context,
                          const RegisterTypeConverter &converter,
                          RewritePatternSet &patterns);
void populateTensorCopyPatterns(const LoweringContext &context,
                                const RegisterTypeConverter &converter,
                                RewritePatternSet &patterns);
void populateTensorStorePatterns(const LoweringContext &context,
                                 const RegisterTypeConverter &converter,
                                 RewritePatternSet &patterns);
void populateSharedAccessPatterns(const LoweringContext &context,
                                  const RegisterTypeConverter &converter,
                                  RewritePatternSet &patterns);
void populateFetchPatterns(const LoweringContext &context,
                           const RegisterTypeConverter &converter,
                           RewritePatternSet &patterns);

/// Makes writes of generic accesses visible to the tensor cores and to TMA.
/// Each thread that wrote calls it, before a barrier.
void emitProxyFence(OpBuilder &builder, Location loc);

/// Emits the address of `op`'s result in shared memory, or null after a
/// diagnostic.
Value emitAllocatedAddress(OpBuilder &builder, const LoweringContext &context,
                           Operation *op, std::optional<int64_t> address);

/// Emits the address of an element of an array of memory barriers.
Value emitBarrierAddress(OpBuilder &builder, Location loc, Value barriers,
                         Value index);

/// Emits whether this is the first thread of its warpgroup, an i1.
Value emitIsFirstOfWarpgroup(OpBuilder &builder, Location loc,
                             const ThreadGroup &threads);

/// The part of the rows and of the columns of a product that a warpgroup
/// computes, both i32; null if there is one part.
struct ProductPart {
  Value rows, columns;
};
ProductPart emitProductPart(OpBuilder &builder, Location loc, Value warpgroup,
                            layout::ProductSplit split);

/// Checks whether the buffers of `op` can be copied to its tensor. Emits a
/// diagnostic otherwise.
LogicalResult verifyTensorCopy(TmaStoreOp op);

/// Waits, in the threads that start them, until at most `leave` groups of
/// tensor stores still read shared memory.
void emitTmaStoreWait(OpBuilder &builder, Location loc,
                      const ThreadGroup &threads, int64_t leave);

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_SMTONVVM_KERNEL_MACHINE_H
