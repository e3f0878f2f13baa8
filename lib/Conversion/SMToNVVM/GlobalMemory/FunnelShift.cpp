//===- FunnelShift.cpp - Bytes out of two aligned chunks --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A barrel shifter: selects move words by powers of two, from the largest one
// on. Funnel shifts then move the bytes within words, if elements have less
// than 4 bytes.
//
//===----------------------------------------------------------------------===//

#include "FunnelShift.h"
#include "Kernel/LoweringContext.h"

using namespace tessera;

SmallVector<Value> sm::emitShiftedWords(OpBuilder &builder, Location loc,
                                        ArrayRef<Value> words, Value shift,
                                        int64_t elementBytes) {
  size_t count = words.size() / 2;
  SmallVector<Value> rest(words);
  for (int64_t bytes = count * 4 / 2; bytes >= 4; bytes /= 2) {
    if (bytes < elementBytes)
      break;
    Value bit =
        LLVM::AndOp::create(builder, loc, shift, emitI32(builder, loc, bytes));
    Value skips = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne,
                                       bit, emitI32(builder, loc, 0));
    size_t by = bytes / 4;
    for (size_t i = 0; i + by < rest.size(); ++i)
      rest[i] =
          LLVM::SelectOp::create(builder, loc, skips, rest[i + by], rest[i]);
    rest.resize(rest.size() - by);
  }
  if (elementBytes < 4) {
    // A funnel shift takes its amount modulo 32.
    Value bits =
        LLVM::MulOp::create(builder, loc, shift, emitI32(builder, loc, 8));
    for (size_t i = 0; i < count; ++i)
      rest[i] = LLVM::FshrOp::create(builder, loc, rest[i].getType(),
                                     rest[i + 1], rest[i], bits);
  }
  rest.resize(count);
  return rest;
}
