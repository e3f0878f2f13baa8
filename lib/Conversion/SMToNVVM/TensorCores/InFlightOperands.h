//===- InFlightOperands.h - Operands of products in flight ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product reads its left operand from registers until it is complete. Values
// have no such end: LLVM takes the operand for dead once the product is issued,
// and a tile that a loop carries may then be written in its place. So the wait
// for a product takes what it reads as well.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_SMTONVVM_TENSORCORES_INFLIGHTOPERANDS_H
#define TESSERA_LIB_CONVERSION_SMTONVVM_TENSORCORES_INFLIGHTOPERANDS_H

#include "tessera/Dialect/SM/IR/SM.h"

namespace tessera::sm {

class InFlightOperands {
public:
  /// Before the ops of `function` are lowered.
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

  /// By await or retire.
  llvm::DenseMap<Operation *, SmallVector<Operation *>> products;
  llvm::DenseMap<Operation *, SmallVector<Value>> registersOf;
};

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_SMTONVVM_TENSORCORES_INFLIGHTOPERANDS_H
