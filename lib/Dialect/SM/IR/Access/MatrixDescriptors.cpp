//===- MatrixDescriptors.cpp - wgmma's view of tiles ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/SM/IR/MatrixDescriptors.h"

using namespace tessera;
using namespace tessera::sm;
using layout::MatrixDescriptor;

static MatrixDescriptors::Answer find(SmemType tile, unsigned kDim,
                                      int64_t block) {
  llvm::Expected<MatrixDescriptor> found = layout::getMatrixDescriptor(
      tile.getLayout(), tile.getElementBytes(), kDim, block);
  if (!found)
    return llvm::toString(found.takeError());
  return std::move(*found);
}

MatrixDescriptors::Answer MatrixDescriptors::get(SmemType tile, unsigned kDim,
                                                 int64_t block) const {
  Key key(tile, kDim, block);
  {
    llvm::sys::ScopedReader lock(mutex);
    if (auto known = answers.find(key); known != answers.end())
      return known->second;
  }
  Answer answer = find(tile, kDim, block);
  llvm::sys::ScopedWriter lock(mutex);
  return answers.try_emplace(key, std::move(answer)).first->second;
}

llvm::Expected<MatrixDescriptor>
sm::getMatrixDescriptor(SmemType tile, unsigned kDim, int64_t block) {
  MatrixDescriptors::Answer answer =
      tile.getDialect().getRegisteredInterface<MatrixDescriptors>()->get(
          tile, kDim, block);
  if (auto *descriptor = std::get_if<MatrixDescriptor>(&answer))
    return std::move(*descriptor);
  return llvm::createStringError(std::get<std::string>(answer));
}

int64_t sm::getInstructionColumns(const GpuTarget &target, SmemType b,
                                  bool isTransposed, int64_t parts) {
  if (b.getShape()[!isTransposed] % parts != 0)
    return 0;
  int64_t n = b.getShape()[!isTransposed] / parts;
  int64_t columns = target.getWgmmaColumns(n, b.getElementType().isInteger());
  if (isTransposed || (columns == n && parts == 1))
    return columns;
  int64_t row = static_cast<int64_t>(b.getSwizzle()) / b.getElementBytes();
  if (row == 0)
    return 0;
  columns = target.wgmmaMaxN / row * row;
  while (columns > 0 && n % columns != 0)
    columns -= row;
  return columns;
}

SmemType sm::findReadableInParts(const GpuTarget &target, SmemType b,
                                 bool isTransposed, int64_t parts) {
  for (layout::Swizzle swizzle :
       {b.getSwizzle(), layout::Swizzle::B64, layout::Swizzle::B32}) {
    if (swizzle > b.getSwizzle())
      continue;
    auto type = SmemType::get(b.getContext(), b.getShape(), b.getElementType(),
                              swizzle);
    int64_t columns = getInstructionColumns(target, type, isTransposed, parts);
    if (columns == 0)
      continue;
    llvm::Expected<MatrixDescriptor> descriptor =
        getMatrixDescriptor(type, /*kDim=*/isTransposed, columns);
    if (descriptor)
      return type;
    llvm::consumeError(descriptor.takeError());
  }
  return {};
}
