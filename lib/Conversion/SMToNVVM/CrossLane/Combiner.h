//===- Combiner.h - One step of a reduction ---------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions and scans combine elements in a working type of 32 or 64 bits:
// narrow floats in f32, rounded once at the end, narrow integers in i32.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_SMTONVVM_CROSSLANE_COMBINER_H
#define TESSERA_LIB_CONVERSION_SMTONVVM_CROSSLANE_COMBINER_H

#include "tessera/Dialect/SM/IR/Exchange.h"

namespace tessera::sm {

/// Converts from the storage type of an element to its working type, and back.
Value emitToWork(OpBuilder &builder, Location loc, Type element, Value value);
Value emitFromWork(OpBuilder &builder, Location loc, Type element, Value value);

class Combiner {
public:
  Combiner(tile::ReduceKind kind, Type element)
      : kind(kind), element(element) {}

  /// Returns f32, i32 or i64.
  Type getWorkType() const { return sm::getWorkType(element); }
  /// Converts from the storage type of an element, and back.
  Value widen(OpBuilder &builder, Location loc, Value value) const {
    return emitToWork(builder, loc, element, value);
  }
  Value narrow(OpBuilder &builder, Location loc, Value value) const {
    return emitFromWork(builder, loc, element, value);
  }

  Value combine(OpBuilder &builder, Location loc, Value x, Value y) const;
  /// Combines all of `values` as a balanced tree. Products that may be rounded
  /// with their sum (`fastmath<contract>`) are its leaves, in short chains.
  Value combineAll(OpBuilder &builder, Location loc,
                   SmallVector<Value> values) const;
  /// Emits the identity element of the operation.
  Value emitIdentity(OpBuilder &builder, Location loc) const;

private:
  tile::ReduceKind kind;
  Type element;
};

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_SMTONVVM_CROSSLANE_COMBINER_H
