//===- Rearranged.cpp - Rearranged tiles ------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rearranged.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace tessera;
using namespace tessera::frontend;

Entity tessera::frontend::genRearranged(KernelContext &context,
                                        ValueRange sources,
                                        const tile::IndexMap &map,
                                        ArrayRef<int64_t> shape,
                                        SourcePlace place) {
  Type element = getElementTypeOrSelf(sources.front());
  RankedTensorType type = RankedTensorType::get({}, element);
  if (!shape.empty())
    type = context.getTileType(shape, element, place);
  if (!type)
    return Entity();
  OpBuilder &builder = context.builder;
  Location loc = context.getLoc(place);
  auto op = tile::RearrangeOp::create(builder, loc, type, sources, map.offset,
                                      map.strides, map.toggle);
  if (shape.empty())
    return Entity::runtime(
        tensor::ExtractOp::create(builder, loc, op.getResult(), ValueRange()));
  return Entity::runtime(op.getResult());
}
