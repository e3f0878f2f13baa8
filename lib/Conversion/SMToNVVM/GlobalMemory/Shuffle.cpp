//===- Shuffle.cpp - Values of other lanes ----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shuffle.h"

#include "Kernel/LoweringContext.h"
#include "VectorAccess.h"

using namespace tessera;

Value sm::emitShuffle(OpBuilder &builder, Location loc, NVVM::ShflKind kind,
                      Value value, Value lane) {
  auto shuffle = [&](Value word) -> Value {
    return NVVM::ShflOp::create(builder, loc, word.getType(),
                                emitI32(builder, loc, -1), word, lane,
                                emitI32(builder, loc, 31), kind, UnitAttr());
  };
  if (value.getType().getIntOrFloatBitWidth() < 64)
    return shuffle(value);
  SmallVector<Value> words = packWords(builder, loc, value);
  for (Value &word : words)
    word = shuffle(word);
  return unpackWords(builder, loc, value.getType(), 1, words).front();
}

Value sm::emitAny(OpBuilder &builder, Location loc, ValueRange conditions) {
  Value any = conditions.front();
  for (Value condition : conditions.drop_front())
    any = LLVM::OrOp::create(builder, loc, any, condition);
  return NVVM::VoteSyncOp::create(builder, loc, builder.getI1Type(),
                                  emitI32(builder, loc, -1), any,
                                  NVVM::VoteSyncKind::any);
}
