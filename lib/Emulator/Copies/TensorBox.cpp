//===- TensorBox.cpp - The box of a tensor copy -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the operands of a tensor copy for one thread: decodes the tensor map
// from memory, checks its rank, and resolves the address of the box in shared
// memory. The box must fit in the shared memory of the CTA.
//
//===----------------------------------------------------------------------===//

#include "TensorBox.h"

using namespace tessera::emu;
namespace emu = tessera::emu;
using llvm::Twine;

static Outcome readMap(Warp &warp, uint64_t address, int lane, TensorMap &map) {
  Located located;
  if (Outcome outcome = locate(warp, Space::Generic, address, TensorMap::kBytes,
                               TensorMap::kAlignment, lane, located);
      outcome != Outcome::Done)
    return outcome;
  uint8_t bytes[TensorMap::kBytes];
  located.read(warp.getCluster().getRun(), bytes);
  llvm::Expected<TensorMap> decoded = TensorMap::decode(bytes);
  if (!decoded)
    return warp.fail(llvm::toString(decoded.takeError()), lane);
  map = *decoded;
  return Outcome::Done;
}

Outcome emu::getBox(Warp &warp, const TensorCopyOperands &operands,
                    unsigned lane, TensorBox &box, Located &shared) {
  if (Outcome outcome =
          readMap(warp, warp.at(operands.map.base)[lane] + operands.map.offset,
                  lane, box.map);
      outcome != Outcome::Done)
    return outcome;
  if (box.map.rank != operands.rank)
    return warp.fail(
        "the tensor map has " + Twine(box.map.rank) + " dimensions", lane);
  for (Slot slot : operands.coordinates)
    box.coordinates.push_back(int32_t(warp.at(slot)[lane]));
  // PTX ISA does not say it, but the H200 takes the instruction for illegal.
  int64_t column = int64_t(box.coordinates[0]) * box.map.getElementBytes();
  if (column % TensorMap::kGlobalAlignment != 0)
    return warp.fail("the box begins at byte " + Twine(column) +
                         " of a row, which is not a multiple of " +
                         Twine(TensorMap::kGlobalAlignment),
                     lane);
  // A larger box may not fit in 32 bits, and takes long to visit.
  uint64_t bytes = box.map.getBoxBytes();
  uint64_t has = warp.getCta().getSharedBytes() - kFirstSharedByte;
  if (bytes > has)
    return warp.fail("the box has " + Twine(bytes) +
                         " bytes, and the CTA has " + Twine(has) +
                         " bytes of shared memory",
                     lane);
  if (Outcome outcome =
          locate(warp, Space::Shared,
                 warp.at(operands.shared.base)[lane] + operands.shared.offset,
                 bytes, kTensorCopyAlignment, lane, shared);
      outcome != Outcome::Done)
    return outcome;
  box.shared = shared.offset;
  return Outcome::Done;
}
