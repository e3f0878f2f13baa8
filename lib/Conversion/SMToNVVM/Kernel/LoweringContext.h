//===- LoweringContext.h - Context of lowering patterns ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The values that exist once per kernel: the numbers of the thread, the start
// of shared memory, and the function's arguments by what they mean. They are
// created at the entry of the function, before any pattern runs, and dominate
// everything.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_SMTONVVM_KERNEL_LOWERINGCONTEXT_H
#define TESSERA_LIB_CONVERSION_SMTONVVM_KERNEL_LOWERINGCONTEXT_H

#include "KernelSignature.h"

#include "tessera/Dialect/SM/IR/Target.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tessera::sm {

/// The threads that execute an operation together, and the number of the
/// present one among them. All values are i32; those of a warp are uniform.
struct ThreadGroup {
  const GpuTarget *target;
  Value thread;
  Value lane;
  Value warp;
  int64_t warps = 0;
  int64_t firstWarp = 0;
  /// Of the hardware barrier at which the group meets.
  int64_t barrier = 0;
  /// Of a role that takes turns as a whole: the group whose turn comes next.
  std::optional<unsigned> next;
  /// Only one thread of a warp is there.
  bool elected = false;

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
  /// `bytes` after it.
  Value getSharedAddress(OpBuilder &builder, Location loc, int64_t bytes) const;

  /// Says that `global`, a value of type !tile.global, is parameter `index`.
  void setParameter(Value global, unsigned index);
  unsigned getParameter(Value global) const;
  /// Of the tensor parameter that `global` is: its address, a !llvm.ptr<1>.
  Value getAddress(Value global) const;
  /// Returns the stride of `dim`, in elements, of the tensor parameter
  /// `global`: an i64 if it is not a constant. Dimension -1 means the whole
  /// tensor, if it is fetched.
  OpFoldResult getStride(Value global, int64_t dim) const;
  /// Returns the argument for a tensor map of the signature.
  Value getTensorMap(unsigned index) const;
  /// Returns the counter that programs are drawn from, a !llvm.ptr<1>.
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

/// All threads that execute `op` wait for each other, and see what each of them
/// wrote to shared memory before.
void emitRoleBarrier(OpBuilder &builder, const LoweringContext &context,
                     Operation *op);

/// Whether this is the one thread that acts for those that execute `op`, an i1.
Value emitIsElected(OpBuilder &builder, const LoweringContext &context,
                    Operation *op);

/// Emits an i32 constant.
Value emitI32(OpBuilder &builder, Location loc, int64_t value);
/// `index` as i32.
Value emitToI32(OpBuilder &builder, Location loc, Value index);

/// `a` and `b`, which are i1; null is true.
Value emitAnd(OpBuilder &builder, Location loc, Value a, Value b);

/// Emits a pointer to shared memory from an i32 address.
Value emitSharedPointer(OpBuilder &builder, Location loc, Value address);

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_SMTONVVM_KERNEL_LOWERINGCONTEXT_H
