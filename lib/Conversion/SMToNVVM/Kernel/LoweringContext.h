//===- LoweringContext.h - Context of lowering patterns ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values that exist once per kernel: the numbers of the thread, the start of
// shared memory, and the function's arguments by their meaning. They are
// created at the entry of the function, before any pattern runs, and dominate
// all other values.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_SMTONVVM_KERNEL_LOWERINGCONTEXT_H
#define TESSERA_LIB_CONVERSION_SMTONVVM_KERNEL_LOWERINGCONTEXT_H

#include "KernelSignature.h"

#include "tessera/Dialect/SM/IR/Target.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tessera::sm {

/// The threads that execute an operation together, and the number of the
/// executing thread among them. All values are i32; the warp number is uniform
/// in a warp.
struct ThreadGroup {
  const GpuTarget *target;
  Value thread;
  Value lane;
  Value warp;
  int64_t warps = 0;
  int64_t firstWarp = 0;
  /// Number of the hardware barrier of the group.
  int64_t barrier = 0;
  /// Of a role in a ping-pong of roles: the group of its successor.
  std::optional<unsigned> next;
  /// Only one thread of a warp executes. Its number is 0.
  bool elected = false;
  /// The lane in the warp, also where `lane` is that of an elected thread.
  Value ownLane;

  int64_t getThreads() const { return warps * 32; }
};

class LoweringContext {
public:
  /// Creates the values at the start of `function`, which has the arguments of
  /// `signature`. The kernel still has its body.
  LoweringContext(KernelOp kernel, LLVM::LLVMFuncOp function,
                  const KernelSignature &signature);

  /// Checks whether several CTAs run one program.
  bool hasCluster() const { return signature.getMetadata().cluster[0] > 1; }
  int64_t getClusterSize() const { return signature.getMetadata().cluster[0]; }
  const KernelSignature &getSignature() const { return signature; }
  LLVM::LLVMFuncOp getFunction() const { return function; }
  const GpuTarget &getTarget() const { return target; }

  /// Returns the threads of the kernel (group 0), and of each role (1, 2, …).
  ArrayRef<ThreadGroup> getGroups() const { return groups; }
  /// Returns the threads that execute `op`.
  const ThreadGroup &getThreads(Operation *op) const;
  /// Declares that group `group` executes the ops in `region`. The lowering of
  /// roles calls this before patterns run; the region must stay.
  void setGroup(Region *region, unsigned group);

  /// Returns the start of the dynamic shared memory, an i32.
  Value getSharedBase() const { return sharedBase; }
  /// Returns the address `bytes` after it.
  Value getSharedAddress(OpBuilder &builder, Location loc, int64_t bytes) const;

  /// Records that `global`, a value of type !tile.global, is parameter `index`.
  void setParameter(Value global, unsigned index);
  unsigned getParameter(Value global) const;
  /// Returns the address of the tensor parameter `global`, a !llvm.ptr<1>.
  Value getAddress(Value global) const;
  /// Returns the stride of `dim`, in elements, of the tensor parameter
  /// `global`: an i64 if it is not a constant. Dimension -1 means the whole
  /// tensor, if it is fetched.
  OpFoldResult getStride(Value global, int64_t dim) const;
  /// Returns the argument for a tensor map of the signature.
  Value getTensorMap(unsigned index) const;
  /// Returns the counter from which programs are fetched, a !llvm.ptr<1>.
  Value getCounter() const;
  /// Returns the scalar parameter `index` in the type of the kernel.
  Value getScalar(OpBuilder &builder, Location loc, unsigned index,
                  Type type) const;
  /// Returns the value of a size as i32.
  Value getSize(tile::SizeAttr size) const;

private:
  const GpuTarget &target;
  KernelSignature signature;
  LLVM::LLVMFuncOp function;
  SmallVector<ThreadGroup> groups;
  llvm::DenseMap<Region *, unsigned> groupOfRegion;
  llvm::DenseMap<Value, unsigned> parameters;
  Value sharedBase;
};

/// Emits a barrier of all threads that execute `op`. Afterwards each thread
/// observes the earlier writes of the others to shared memory.
void emitRoleBarrier(OpBuilder &builder, const LoweringContext &context,
                     Operation *op);

/// Emits whether this thread acts for all threads that execute `op`, an i1.
Value emitIsElected(OpBuilder &builder, const LoweringContext &context,
                    Operation *op);

/// Emits an i32 constant.
Value emitI32(OpBuilder &builder, Location loc, int64_t value);
/// Emits `index` as i32.
Value emitToI32(OpBuilder &builder, Location loc, Value index);

/// Emits the conjunction of `a` and `b`, which are i1; null is true.
Value emitAnd(OpBuilder &builder, Location loc, Value a, Value b);

/// Emits a pointer to shared memory from an i32 address.
Value emitSharedPointer(OpBuilder &builder, Location loc, Value address);

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_SMTONVVM_KERNEL_LOWERINGCONTEXT_H
