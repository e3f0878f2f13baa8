//===- BufferText.cpp - Descriptions of buffers -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/SM/IR/BufferText.h"
#include "tessera/Dialect/SM/IR/RegisterPressureText.h"
#include "tessera/Dialect/Tile/IR/SourceType.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace tessera;
using namespace tessera::sm;

std::string sm::describeTile(SmemType tile) {
  std::string text = describeShape(
      RankedTensorType::get(tile.getShape(), tile.getElementType()));
  int64_t bytes = int64_t(tile.getSwizzle());
  return bytes ? text + ", swizzle " + std::to_string(bytes) : text;
}

std::string sm::describeTensor(tile::GlobalType tensor) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << tile::printType(tensor.getElementType()) << "[";
  llvm::interleaveComma(tensor.getShape(), os,
                        [&](tile::SizeAttr size) { size.printExpression(os); });
  os << "]";
  return text;
}

static std::string count(int64_t number, StringRef noun) {
  return (Twine(number) + " " + noun + (number == 1 ? "" : "s")).str();
}

static std::string describeScratch(Operation *op) {
  if (auto store = dyn_cast<TmaStoreOp>(op))
    return describeTile(store.getBufferType()) + ", to be stored";
  return StringRef(isa<ReduceOp, ReduceWithOp>(op) ? "scratch of a reduction"
                   : isa<ScanOp, ScanWithOp>(op)
                       ? "scratch of a scan"
                       : "scratch of a change of layout")
      .str();
}

std::string sm::describeBuffer(SharedMemoryOpInterface op) {
  if (op.isScratch())
    return describeScratch(op);
  return llvm::TypeSwitch<Type, std::string>(op->getResult(0).getType())
      .Case([](SmemType tile) { return describeTile(tile); })
      .Case([](SlotsType slots) {
        return count(slots.getCount(), "slot") + " of " +
               describeTile(slots.getTile());
      })
      .Case([](MbarrierType type) { return count(type.getCount(), "barrier"); })
      .Case([](WordsType type) { return count(type.getCount(), "word"); })
      .Default([](Type type) {
        std::string text;
        llvm::raw_string_ostream(text) << type;
        return text;
      });
}

static void findTensorCopies(Operation *op,
                             SmallVectorImpl<Operation *> &copies) {
  if (llvm::any_of(op->getOperandTypes(), llvm::IsaPred<tile::GlobalType>))
    copies.push_back(op);
  for (Value result : op->getResults())
    if (isa<SmemType, SlotsType, RingType, SlotType>(result.getType()))
      for (Operation *user : result.getUsers())
        findTensorCopies(user, copies);
}

SmallVector<Operation *> sm::findTensorCopies(Operation *alloc) {
  SmallVector<Operation *> copies;
  ::findTensorCopies(alloc, copies);
  return copies;
}

std::string sm::describeContents(KernelOp kernel, Operation *alloc) {
  llvm::SetVector<Value> tensors;
  for (Operation *copy : findTensorCopies(alloc))
    for (Value operand : copy->getOperands())
      if (isa<tile::GlobalType>(operand.getType()))
        tensors.insert(operand);
  std::string text;
  for (Value tensor : tensors)
    text +=
        ((text.empty() ? "tiles of '" : ", '") +
         kernel.getParamName(cast<BlockArgument>(tensor).getArgNumber()) + "'")
            .str();
  if (!text.empty())
    text += ": ";
  if (auto memory = dyn_cast<SharedMemoryOpInterface>(alloc))
    return text + describeBuffer(memory);
  return text + (isa<RingAllocOp>(alloc) ? "a ring" : "a queue");
}
