//===- MatrixMemoryOps.cpp - ldmatrix and stmatrix --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "ldmatrix" and "stmatrix". The first 8, 16 or 32 threads give the
// addresses of the rows, 16 bytes each. The rows are accessed and recorded as
// one instruction, and the fragments of all threads are exchanged with their
// bytes; transposition swaps row and column of an element.
//
//===----------------------------------------------------------------------===//

#include "Machine/Decoder.h"
#include "Memory.h"

#include "llvm/Support/Endian.h"

using namespace tessera::emu;
namespace emu = tessera::emu;
namespace sim = tessera::sim;
namespace support = llvm::support::endian;
using llvm::Error;

/// Decodes ldmatrix and stmatrix: 8x8 matrices of 16-bit elements whose rows
/// are at addresses of threads. Thread 8 i + r has the address of row r of
/// matrix i. Thread t holds elements 2 (t mod 4) and the next one of row t / 4,
/// or of that column if transposed (PTX ISA, "ldmatrix").
static Error decodeMatrix(Decoder &decoder) {
  if (Error error = decoder.expectOperands(2, 2))
    return error;
  const Instruction &instruction = decoder.getInstruction();
  bool isStore = instruction.getRoot() == "stmatrix";
  if (!instruction.has("m8n8") || !instruction.has("b16"))
    return decoder.makeError("unknown instruction '" + instruction.name + "'");
  unsigned count = instruction.has("x4") ? 4 : instruction.has("x2") ? 2 : 1;
  bool isTransposed = instruction.has("trans");
  const Operand &values = decoder.getOperand(isStore ? 1 : 0);
  TESSERA_EMU_TRY(place, decoder.getPlace(decoder.getOperand(isStore ? 0 : 1)));
  SmallVector<Slot, 4> slots;
  if (isStore) {
    TESSERA_EMU_TRY(sources, decoder.getSources(values, Type::B32));
    slots = sources;
  } else {
    TESSERA_EMU_TRY(targets, decoder.getTargets(values));
    slots = targets;
  }
  if (slots.size() != count)
    return decoder.makeError("expected " + llvm::Twine(count) + " registers");
  Space space = getSpace(instruction);
  Op &op = decoder.getOp();
  op.isVisible = op.isAligned = true;
  op.action = [=](Warp &warp, Lanes) {
    constexpr uint32_t kRowBytes = 16;
    SmallVector<Located, 32> rows;
    for (unsigned lane = 0; lane < 8 * count; ++lane)
      if (Outcome outcome =
              locate(warp, space, warp.at(place.base)[lane] + place.offset,
                     kRowBytes, kRowBytes, lane, rows.emplace_back());
          outcome != Outcome::Done)
        return outcome;
    std::vector<uint8_t> bytes(rows.size() * kRowBytes);
    if (!isStore) {
      Cluster::Kind kind{warp.now(), sim::Proxy::Generic};
      if (Outcome outcome = record(warp, kind, rows, kRowBytes);
          outcome != Outcome::Done)
        return outcome;
      for (auto [i, row] : llvm::enumerate(rows))
        row.read(warp.getCluster().getRun(),
                 {bytes.data() + i * kRowBytes, kRowBytes});
    }
    for (unsigned matrix = 0; matrix < count; ++matrix)
      for (unsigned lane = 0; lane < kLanes; ++lane)
        for (unsigned half = 0; half < 2; ++half) {
          unsigned row = lane / 4, column = 2 * (lane % 4) + half;
          if (isTransposed)
            std::swap(row, column);
          uint64_t &value = warp.at(slots[matrix])[lane];
          uint8_t *element =
              &bytes[(8 * matrix + row) * kRowBytes + 2 * column];
          if (isStore)
            support::write16le(element, value >> (16 * half));
          else
            value = (half ? value : 0) | uint64_t(support::read16le(element))
                                             << (16 * half);
        }
    return isStore ? writeAll(warp, rows, kRowBytes, bytes) : Outcome::Done;
  };
  return Error::success();
}

void emu::addMatrixMemoryOps(DecodeTable &table) {
  table["ldmatrix"] = table["stmatrix"] = decodeMatrix;
}
