//===- TileAsm.cpp - Instructions of PTX on elements ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of the emulator on the bits of the elements.
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/Tile/IR/Asm.h"
#include "tessera/Interpreter/Semantics.h"

using namespace tessera;
using namespace tessera::interp;

static LogicalResult runAsm(tile::AsmOp op, Frame &frame) {
  emu::TextError error;
  auto program = tile::parseElementProgram(op, error);
  if (!program)
    return op.emitOpError() << error.message;
  Tile result = frame.makeResult(op);
  std::vector<uint64_t> results(result.getNumElements());
  SmallVector<std::vector<uint64_t>> operands;
  for (Value source : op.getSources()) {
    const Tile &tile = frame.getTile(source);
    std::vector<uint64_t> &words = operands.emplace_back(results.size());
    for (auto [i, word] : llvm::enumerate(words))
      word = tile.getBits(i);
  }
  SmallVector<ArrayRef<uint64_t>> views(operands.begin(), operands.end());
  program->run(views, results);
  for (auto [i, word] : llvm::enumerate(results))
    result.setBits(i, word);
  frame.set(op.getResult(), std::move(result));
  return success();
}

void interp::addTileAsmSemantics(SemanticsTable &table) {
  table.add<tile::AsmOp>(runAsm);
}
