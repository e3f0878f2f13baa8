//===- ChunkAlignment.cpp - Vectors relative to chunks ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChunkAlignment.h"

using namespace tessera;
using namespace tessera::sm;

/// Emits the number of bytes of `pointer` past a multiple of `chunk`, an i32.
static Value emitMisalignment(OpBuilder &builder, Location loc, Value pointer,
                              int64_t chunk) {
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  Value bits = LLVM::PtrToIntOp::create(builder, loc, i64, pointer);
  bits = LLVM::TruncOp::create(builder, loc, i32, bits);
  return LLVM::AndOp::create(builder, loc, bits,
                             emitI32(builder, loc, chunk - 1));
}

SmallVector<ChunkPlace> sm::emitChunkPlaces(OpBuilder &builder, Location loc,
                                            GlobalAccess &access) {
  int64_t width = access.getVectorWidth();
  int64_t chunk = width * access.getElementBytes();
  llvm::DenseMap<Value, Value> shifts;
  SmallVector<ChunkPlace> places;
  for (int64_t r = 0; r < access.getRegisters(); r += width) {
    auto [base, bytes] = access.emitPlace(builder, loc, r);
    if (bytes % chunk != 0) {
      base = access.emitPointer(builder, loc, r);
      bytes = 0;
    }
    Value &shift = shifts[base];
    if (!shift)
      shift = emitMisalignment(builder, loc, base, chunk);
    places.push_back({base, bytes, shift});
  }
  return places;
}

Value sm::emitMoved(OpBuilder &builder, Location loc, Value pointer,
                    Value bytes) {
  Value wide = LLVM::SExtOp::create(builder, loc, builder.getI64Type(), bytes);
  return LLVM::GEPOp::create(builder, loc, pointer.getType(),
                             builder.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{wide});
}

Value sm::emitMoved(OpBuilder &builder, Location loc, Value pointer,
                    int64_t bytes) {
  if (bytes == 0)
    return pointer;
  return emitMoved(builder, loc, pointer, emitI32(builder, loc, bytes));
}
