//===- InFlightOperands.h - Operands of products in flight ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An MMA reads its left operand from registers until it is complete. SSA values
// do not model this: for LLVM, the operand is dead once the MMA is issued, and
// a loop-carried tile may then be written to its registers. The wait for an MMA
// therefore uses the operands of the MMA as well, which extends their live
// ranges.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_SMTONVVM_TENSORCORES_INFLIGHTOPERANDS_H
#define TESSERA_LIB_CONVERSION_SMTONVVM_TENSORCORES_INFLIGHTOPERANDS_H

#include "tessera/Dialect/SM/IR/SM.h"

namespace tessera::sm {

class InFlightOperands {
public:
  /// Create it before the ops of `function` are lowered.
  explicit InFlightOperands(Operation *function);

  void set(MmaIssueOp issue, SmallVector<Value> registers) {
    registersOf[issue] = std::move(registers);
  }

  /// Returns the registers read by products that are complete after `wait` and
  /// were issued in its block.
  SmallVector<Value> get(Operation *wait) const;

private:
  void add(MmaAwaitOp await);
  void add(MmaRetireOp retire);

  /// MMAs by await or retire.
  llvm::DenseMap<Operation *, SmallVector<Operation *>> products;
  llvm::DenseMap<Operation *, SmallVector<Value>> registersOf;
};

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_SMTONVVM_TENSORCORES_INFLIGHTOPERANDS_H
