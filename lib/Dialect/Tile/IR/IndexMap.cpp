//===- IndexMap.cpp - The map of a rearrangement ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/Tile/IR/IndexMap.h"

using namespace tessera;
using namespace tessera::tile;

SmallVector<int64_t> tile::getRowStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t dim = shape.size(); dim-- > 0;) {
    strides[dim] = stride;
    stride *= shape[dim];
  }
  return strides;
}

int64_t IndexMap::evaluate(ArrayRef<int64_t> position) const {
  int64_t number = offset;
  for (auto [x, stride] : llvm::zip_equal(position, strides))
    number += x * stride;
  return number ^ toggle;
}

std::vector<int64_t> IndexMap::evaluateAll(ArrayRef<int64_t> shape) const {
  std::vector<int64_t> numbers = {offset};
  for (auto [extent, stride] : llvm::zip_equal(shape, strides)) {
    std::vector<int64_t> longer;
    longer.reserve(numbers.size() * extent);
    for (int64_t number : numbers)
      for (int64_t x = 0; x < extent; ++x)
        longer.push_back(number + x * stride);
    numbers = std::move(longer);
  }
  for (int64_t &number : numbers)
    number ^= toggle;
  return numbers;
}

bool IndexMap::isContiguous(ArrayRef<int64_t> shape) const {
  for (auto [extent, stride, row] :
       llvm::zip_equal(shape, strides, getRowStrides(shape)))
    if (extent != 1 && stride != row)
      return false;
  return toggle == 0;
}

LogicalResult IndexMap::verify(Operation *op) const {
  if (op->getNumOperands() == 0) // C1
    return op->emitOpError() << "expected a source";
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  int64_t elements = 0;
  for (Type type : op->getOperandTypes()) {
    auto source = cast<RankedTensorType>(type);
    elements += source.getNumElements();
    if (source.getElementType() != result.getElementType()) // C1
      return op->emitOpError() << "expected sources and result of one element "
                                  "type, got "
                               << source << " and " << result;
  }
  if (strides.size() != static_cast<size_t>(result.getRank())) // C2
    return op->emitOpError()
           << "expected " << result.getRank()
           << " strides, one for each dimension of the result, got "
           << strides.size();
  // C3. Sums of a few products of small factors do not overflow.
  int64_t least = offset, most = offset;
  for (auto [extent, stride] : llvm::zip_equal(result.getShape(), strides)) {
    if (std::abs(stride) > elements)
      return op->emitOpError() << "expected strides of at most " << elements
                               << ", the number of elements, got " << stride;
    (stride < 0 ? least : most) += (extent - 1) * stride;
  }
  if (least < 0 || most >= elements)
    return op->emitOpError()
           << "expected numbers of elements from 0 to " << elements - 1
           << ", got " << least << " to " << most;
  // C4
  if (toggle < 0 || toggle >= elements ||
      elements % static_cast<int64_t>(llvm::PowerOf2Ceil(toggle + 1)) != 0)
    return op->emitOpError()
           << "expected 'xor' to keep the numbers of elements from 0 to "
           << elements - 1 << ", got " << toggle;
  return success();
}
