//===- Exchange.cpp - Exchange of elements in conversions -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/SM/IR/Exchange.h"
#include "tessera/Layout/RegisterMatching.h"

using namespace tessera;
using namespace tessera::sm;
using layout::Point;

Type sm::getWorkType(Type element) {
  MLIRContext *context = element.getContext();
  if (isa<FloatType>(element))
    return Float32Type::get(context);
  return IntegerType::get(context, element.isInteger(64) ? 64 : 32);
}

std::optional<SmallVector<int64_t>> sm::getRenaming(ConvertOp op) {
  return matchRegisters(getLayout(op.getSource().getType()),
                        getLayout(op.getType()),
                        [](Point element) { return element; });
}

ScratchTile sm::getScratchTile(ConvertOp op) {
  return ScratchTile(op.getType().getShape(),
                     getElementBytes(op.getType().getElementType()));
}

int64_t sm::getConvertScratch(ConvertOp op) {
  return getRenaming(op) ? 0 : getScratchTile(op).getBytes();
}
