//===- InlinePTX.h - Inline assembly of the machine's engines ---*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// InlinePTX.cpp contains all PTX that the lowering writes as text: products,
// their waits, memory barriers and tensor copies. Addresses in shared memory
// are i32. Instructions that the nvvm dialect provides without drawbacks are
// not included.
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
  /// Elements of the operands: f16, bf16, f32 (as TF32), f8E4M3FN, f8E5M2 or
  /// i8.
  Type a, b;
  /// MN-major; only for 16-bit elements.
  bool transposesA = false, transposesB = false;
  /// Whether the product is added to the accumulator or overwrites it.
  bool accumulates = true;
};

/// Emits the product of `a` by the descriptor `b`. `a` is a descriptor (i64) or
/// the four i32 of a fragment in registers. Operands and results are n/2
/// accumulators: f32, or i32 for i8.
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

/// Waits until the phase of `parity` of the barrier is complete.
void emitBarrierWait(OpBuilder &builder, Location loc, Value barrier,
                     Value parity);
/// Arrives if `predicate`, an i32, is not 0; always without `predicate`.
void emitBarrierArrive(OpBuilder &builder, Location loc, Value barrier,
                       Value predicate);
void emitBarrierExpect(OpBuilder &builder, Location loc, Value barrier,
                       Value bytes);

/// Copies a box by TMA. `coordinates` are i32, the innermost first.
void emitTensorLoad(OpBuilder &builder, Location loc, Value destination,
                    Value map, ValueRange coordinates, Value barrier);
/// Copies a box to the same place in each of `size` CTAs of the cluster.
void emitTensorMulticast(OpBuilder &builder, Location loc, Value destination,
                         Value map, ValueRange coordinates, Value barrier,
                         int64_t size);
void emitTensorStore(OpBuilder &builder, Location loc, Value map, Value source,
                     ValueRange coordinates);
/// Adds elements of the map's type to the tensor.
void emitTensorAdd(OpBuilder &builder, Location loc, Value map, Value source,
                   ValueRange coordinates);

/// Emits an asynchronous copy of `size` bytes (4, 8 or 16) from global to
/// shared memory. The first `bytes`, an i32, are read; the others become zero.
void emitAsyncCopy(OpBuilder &builder, Location loc, Value destination,
                   Value source, Value bytes, int64_t size);
/// Emits a copy of all bytes. If `isValid` (an i1; null if always) is false,
/// they become zero. ptxas emits one instruction. For a number of bytes it
/// emits six instructions, which move the address.
void emitWholeAsyncCopy(OpBuilder &builder, Location loc, Value destination,
                        Value source, Value isValid, int64_t size);
/// Waits for all asynchronous copies.
void emitAsyncCopyWait(OpBuilder &builder, Location loc);
/// Commits the asynchronous copies since the last group as a group.
void emitAsyncCopyCommit(OpBuilder &builder, Location loc);
/// Waits for all but `leave` groups.
void emitAsyncCopyWait(OpBuilder &builder, Location loc, int64_t leave);

/// Makes this thread arrive at the barrier when all its asynchronous copies are
/// complete.
void emitAsyncCopyArrive(OpBuilder &builder, Location loc, Value barrier);

/// Returns `value`, an i32, an i64 or a pointer to global memory, as a value
/// about which the compiler knows nothing.
Value emitOpaque(OpBuilder &builder, Location loc, Value value);

/// Adds `share`, an i32, to the word at `arrivals` in global memory, and waits
/// until the sign of the word differs from that before the addition. Releases
/// before, and acquires after it, at the scope of the GPU.
void emitGridMeeting(OpBuilder &builder, Location loc, Value arrivals,
                     Value share);

/// Arrives at the barrier at the same place in each of the `size` CTAs of the
/// cluster. The first `size` threads of a warpgroup, whose number is `thread`,
/// arrive at one CTA each. Without `thread`, the only thread arrives at all
/// CTAs.
void emitClusterArrive(OpBuilder &builder, Location loc, Value barrier,
                       Value thread, int64_t size);

/// Permits the next launch of the stream to start.
void emitLaunchOfDependents(OpBuilder &builder, Location loc);
/// Waits until the previous launch is complete. Inline assembly, since the
/// intrinsic is declared not to access memory, and loads could move above it.
void emitDependencyWait(OpBuilder &builder, Location loc);

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_SMTONVVM_KERNEL_INLINEPTX_H
