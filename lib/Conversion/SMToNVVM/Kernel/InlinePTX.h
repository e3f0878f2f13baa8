//===- InlinePTX.h - Inline assembly of the machine's engines ---*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// InlinePTX.cpp contains all PTX that the lowering writes as text: products,
// their waits, memory barriers and tensor copies. Addresses in shared memory
// are i32. Instructions that the nvvm dialect has without drawbacks are not
// here.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_SMTONVVM_KERNEL_INLINEPTX_H
#define TESSERA_LIB_CONVERSION_SMTONVVM_KERNEL_INLINEPTX_H

#include "tessera/Support/LLVM.h"

#include "mlir/IR/Builders.h"

namespace tessera::sm {

/// One wgmma instruction of 64 rows and a step of 32 bytes along K.
struct WgmmaForm {
  int64_t n = 8;
  /// Elements of the operands: f16, bf16, f8E4M3FN, f8E5M2 or i8.
  Type a, b;
  /// MN-major; of 16-bit elements only.
  bool transposesA = false, transposesB = false;
  /// Whether to add to the accumulator or to overwrite it.
  bool accumulates = true;
};

/// Emits the product of `a`, a descriptor (i64) or the four i32 of a fragment
/// in registers, by the descriptor `b`; n/2 accumulators in and out, f32, or
/// i32 of i8.
SmallVector<Value> emitWgmma(OpBuilder &builder, Location loc,
                             const WgmmaForm &form, ValueRange accumulators,
                             ValueRange a, Value b);

/// Emits a fence that orders writes of registers before the next products.
/// `values`, the accumulators of these products, pass through and get registers
/// of their own: the copies come before the fence. The operands that the
/// products read from registers, `read`, are complete before the fence as well.
SmallVector<Value> emitWgmmaFence(OpBuilder &builder, Location loc,
                                  ValueRange values, ValueRange read);

/// Waits until at most `leave` groups of products are in flight. `values`, the
/// accumulators that are complete then, pass through, so that no reader can
/// move before the wait. The operands that these products read from registers,
/// `read`, are live until the wait, so that no other value gets their registers
/// before.
SmallVector<Value> emitWgmmaWait(OpBuilder &builder, Location loc,
                                 int64_t leave, ValueRange values,
                                 ValueRange read);

/// Returns when the phase of `parity` of the barrier is complete.
void emitBarrierWait(OpBuilder &builder, Location loc, Value barrier,
                     Value parity);
/// Arrives where `predicate`, an i32, is not 0; everywhere without.
void emitBarrierArrive(OpBuilder &builder, Location loc, Value barrier,
                       Value predicate);
void emitBarrierExpect(OpBuilder &builder, Location loc, Value barrier,
                       Value bytes);

/// `coordinates` are i32, the innermost first.
void emitTensorLoad(OpBuilder &builder, Location loc, Value destination,
                    Value map, ValueRange coordinates, Value barrier);
/// The same, to the same place in each of `size` CTAs of the cluster.
void emitTensorMulticast(OpBuilder &builder, Location loc, Value destination,
                         Value map, ValueRange coordinates, Value barrier,
                         int64_t size);
void emitTensorStore(OpBuilder &builder, Location loc, Value map, Value source,
                     ValueRange coordinates);
/// Adds to what is there, by elements of the map's type.
void emitTensorAdd(OpBuilder &builder, Location loc, Value map, Value source,
                   ValueRange coordinates);

/// Emits an asynchronous copy of `size` bytes (4, 8 or 16) from global to
/// shared memory. The first `bytes`, an i32, are read; the others become zero.
void emitAsyncCopy(OpBuilder &builder, Location loc, Value destination,
                   Value source, Value bytes, int64_t size);
/// The same, for all bytes: where `isValid` (an i1; null if always) is false,
/// they become zero. ptxas makes one instruction of it. For a number of bytes
/// it makes six instructions, which move the address.
void emitWholeAsyncCopy(OpBuilder &builder, Location loc, Value destination,
                        Value source, Value isValid, int64_t size);
/// Waits for all of them.
void emitAsyncCopyWait(OpBuilder &builder, Location loc);
/// Makes a group of those since the last group.
void emitAsyncCopyCommit(OpBuilder &builder, Location loc);
/// Waits for all but `leave` groups.
void emitAsyncCopyWait(OpBuilder &builder, Location loc, int64_t leave);

/// Lets this thread arrive at the barrier once all that it has started to copy
/// is complete.
void emitAsyncCopyArrive(OpBuilder &builder, Location loc, Value barrier);

/// Returns `value`, an i32, an i64 or a pointer to global memory, as a value
/// that the compiler knows nothing else about.
Value emitOpaque(OpBuilder &builder, Location loc, Value value);

/// Arrives at the barrier at the same place in each of the `size` CTAs of the
/// cluster. The first `size` threads of a warpgroup, whose number is `thread`,
/// arrive at one each; without `thread`, the only thread arrives at all.
void emitClusterArrive(OpBuilder &builder, Location loc, Value barrier,
                       Value thread, int64_t size);

/// The next launch of the stream may start from here on.
void emitLaunchOfDependents(OpBuilder &builder, Location loc);
/// Waits until the launch before this one is complete. In assembly, since the
/// intrinsic claims not to touch memory, and loads could move before it.
void emitDependencyWait(OpBuilder &builder, Location loc);

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_SMTONVVM_KERNEL_INLINEPTX_H
