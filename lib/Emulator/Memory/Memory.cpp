//===- Memory.cpp - Memory accesses of instructions -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Resolves addresses of threads to bytes in one of the memories, with checks of
// alignment and bounds, and records the accesses of an instruction. A fast path
// handles aligned addresses in the own CTA's shared memory or in the allocation
// of the previous thread; the general path handles all others, and reports
// defects. Adjacent pieces are joined before they are recorded. Threads of a
// warp that write different bytes to one address are a defect.
//
//===----------------------------------------------------------------------===//

#include "Memory.h"

#include <cstring>

using namespace tessera::emu;
namespace emu = tessera::emu;
using llvm::Twine;

Space emu::getSpace(const Instruction &instruction) {
  for (StringRef part : llvm::drop_begin(instruction.parts)) {
    if (part.starts_with("shared"))
      return Space::Shared;
    if (part == "global" || part == "const")
      return Space::Global;
    if (part.starts_with("param"))
      return Space::Param;
    if (part == "local")
      return Space::Local;
  }
  return Space::Generic;
}

void Located::write(llvm::ArrayRef<uint8_t> bytes) const {
  if (local) {
    llvm::copy(bytes, local);
    return;
  }
  if (cta) {
    cta->getMemory().write(offset, bytes);
    return;
  }
  llvm::copy(bytes, allocation->bytes.begin() + offset);
  std::fill_n(allocation->isWritten.begin() + offset, bytes.size(), true);
}

Outcome emu::locate(Warp &warp, Space space, uint64_t address, uint32_t bytes,
                    uint32_t alignment, int lane, Located &located) {
  if (space == Space::Generic)
    space = resolveGeneric(address);
  located = {};
  located.address = address;
  if (address % alignment)
    return warp.fail("the address 0x" + Twine::utohexstr(address) +
                         " is not aligned to " + Twine(alignment) + " bytes",
                     lane);
  Cluster &cluster = warp.getCluster();
  Run &run = cluster.getRun();
  switch (space) {
  case Space::Shared: {
    uint32_t offset = 0;
    located.cta = address >> 32 ? nullptr
                                : cluster.findShared(warp.getCta(),
                                                     uint32_t(address), offset);
    if (!located.cta)
      return warp.fail("0x" + Twine::utohexstr(address) +
                           " is no address in shared memory",
                       lane);
    located.offset = offset;
    if (offset < kFirstSharedByte ||
        offset + uint64_t(bytes) > located.cta->getSharedBytes())
      return warp.fail(
          Twine("byte ") + Twine(int64_t(offset) - kFirstSharedByte) +
              " of shared memory is out of bounds: the CTA has " +
              Twine(located.cta->getSharedBytes() - kFirstSharedByte) +
              " bytes",
          lane);
    return Outcome::Done;
  }
  case Space::Local: {
    uint64_t size = run.kernel.localBytes;
    if (address > size || address + bytes > size)
      return warp.fail(
          "byte " + Twine(int64_t(address)) +
              " of local memory is out of bounds: the thread has " +
              Twine(size) + " bytes",
          lane);
    located.offset = address;
    located.local = warp.getLocal(lane) + address;
    // Threads use the same addresses for different memory.
    located.address = reinterpret_cast<uintptr_t>(located.local);
    return Outcome::Done;
  }
  case Space::Param:
    located.offset = address;
    if (address > run.parameters.size() ||
        bytes > run.parameters.size() - address)
      return warp.fail(Twine(bytes) + " bytes of the parameters at byte " +
                           Twine(address) +
                           " are out of bounds: the kernel has " +
                           Twine(run.parameters.size()) + " bytes of them",
                       lane);
    return Outcome::Done;
  default:
    located.allocation = run.memory.find(address, bytes);
    if (!located.allocation)
      return warp.fail(Twine(bytes) + " bytes of global memory at 0x" +
                           Twine::utohexstr(address) + " are out of bounds: " +
                           run.memory.describe(address),
                       lane);
    located.offset = address - located.allocation->address;
    return Outcome::Done;
  }
}

Outcome emu::locateAll(Warp &warp, Lanes lanes, Space space, Slot base,
                       int64_t offset, uint32_t bytes,
                       llvm::SmallVectorImpl<Located> &pieces) {
  const uint64_t *bases = warp.at(base);
  Cta &cta = warp.getCta();
  uint64_t sharedBytes = cta.getSharedBytes();
  Allocation *allocation = nullptr;
  for (; lanes; lanes &= lanes - 1) {
    unsigned lane = __builtin_ctz(lanes);
    uint64_t given = bases[lane] + offset, address = given;
    Space resolved = space == Space::Generic ? resolveGeneric(address) : space;
    Located &piece = pieces.emplace_back();
    // Fast path for the usual addresses; the general path handles others and
    // reports errors.
    if ((address & (bytes - 1)) == 0) {
      if (resolved == Space::Shared && address >= kFirstSharedByte &&
          address <= sharedBytes - bytes) {
        piece.cta = &cta;
        piece.address = piece.offset = address;
        continue;
      }
      if (resolved == Space::Global && allocation &&
          allocation->contains(address, bytes)) {
        piece.allocation = allocation;
        piece.address = address;
        piece.offset = address - allocation->address;
        continue;
      }
    }
    if (Outcome outcome = locate(warp, space, given, bytes, bytes, lane, piece);
        outcome != Outcome::Done)
      return outcome;
    allocation = piece.allocation;
  }
  return Outcome::Done;
}

/// Joins pieces that are equal or adjacent in shared memory to one piece.
static std::optional<Piece> join(llvm::ArrayRef<Located> pieces,
                                 uint32_t bytes) {
  const Located &first = pieces[0];
  uint32_t step =
      pieces.size() > 1 && pieces[1].offset == first.offset ? 0 : bytes;
  for (size_t i = 0; i < pieces.size(); ++i)
    if (pieces[i].cta != first.cta ||
        pieces[i].offset != first.offset + i * step)
      return std::nullopt;
  return Piece{first.offset, step ? uint32_t(pieces.size() * bytes) : bytes};
}

Outcome emu::record(Warp &warp, const Cluster::Kind &kind,
                    llvm::ArrayRef<Located> pieces, uint32_t bytes,
                    const uint8_t *values) {
  Cluster &cluster = warp.getCluster();
  if (!pieces.empty() && pieces[0].cta)
    if (std::optional<Piece> all = join(pieces, bytes))
      return cluster.recordShared(warp, *pieces[0].cta, kind, *all, values);
  SmallVector<Piece, 32> run;
  for (size_t i = 0; i < pieces.size();) {
    const Located &first = pieces[i];
    // Memory of a single thread has no history.
    if (first.local) {
      ++i;
      continue;
    }
    size_t begin = i;
    run.clear();
    for (; i < pieces.size() && pieces[i].cta == first.cta &&
           bool(pieces[i].allocation) == bool(first.allocation) &&
           !pieces[i].local;
         ++i) {
      uint64_t place = first.cta ? pieces[i].offset : pieces[i].address;
      // Reads of the same bytes are recorded once.
      if (kind.isWrite || run.empty() || run.back().address != place)
        run.push_back({place, bytes});
    }
    Outcome outcome = Outcome::Done;
    if (first.cta)
      outcome = cluster.recordShared(warp, *first.cta, kind, run,
                                     values ? values + begin * bytes : nullptr);
    else if (first.allocation)
      outcome = cluster.recordGlobal(warp, kind, run,
                                     values ? values + begin * bytes : nullptr);
    else if (kind.isWrite)
      outcome = warp.fail("writes to parameters");
    if (outcome != Outcome::Done)
      return outcome;
  }
  return Outcome::Done;
}

static bool overlap(llvm::ArrayRef<Located> pieces, uint32_t bytes) {
  SmallVector<std::pair<Cta *, uint64_t>, 32> places;
  for (const Located &piece : pieces)
    places.emplace_back(piece.cta, piece.address);
  llvm::sort(places);
  for (size_t i = 1; i < places.size(); ++i)
    if (places[i].first == places[i - 1].first &&
        places[i].second < places[i - 1].second + bytes)
      return true;
  return false;
}

/// Describes a byte of `piece`: "'x[1]'", "byte 4 of shared memory".
static std::string describeByte(const Located &piece, uint32_t byte) {
  uint64_t offset = piece.offset + byte;
  if (piece.allocation)
    return piece.allocation->describeByte(offset);
  if (piece.cta)
    return "byte " + std::to_string(offset - kFirstSharedByte) +
           " of shared memory";
  return "byte " + std::to_string(offset) + " of local memory";
}

/// Checks whether two threads write different bytes to one address: the result
/// would be undefined.
static Outcome checkSameBytes(Warp &warp, llvm::ArrayRef<Located> pieces,
                              uint32_t bytes, llvm::ArrayRef<uint8_t> values) {
  bool rises = true;
  for (size_t i = 1; i < pieces.size(); ++i)
    rises &= pieces[i].address >= pieces[i - 1].address + bytes &&
             pieces[i].cta == pieces[0].cta;
  if (rises || !overlap(pieces, bytes))
    return Outcome::Done;
  std::map<std::pair<Cta *, uint64_t>, uint8_t> written;
  for (auto [i, piece] : llvm::enumerate(pieces))
    for (uint32_t byte = 0; byte < bytes; ++byte) {
      uint8_t value = values[i * bytes + byte];
      auto [it, isNew] =
          written.try_emplace({piece.cta, piece.address + byte}, value);
      if (!isNew && it->second != value)
        return warp.fail("two threads of the warp write different values to " +
                         describeByte(piece, byte));
    }
  return Outcome::Done;
}

Outcome emu::writeAll(Warp &warp, llvm::ArrayRef<Located> pieces,
                      uint32_t bytes, llvm::ArrayRef<uint8_t> values) {
  if (Outcome outcome = checkSameBytes(warp, pieces, bytes, values);
      outcome != Outcome::Done)
    return outcome;
  Cluster::Kind kind{warp.now(), sim::Proxy::Generic, /*isWrite=*/true};
  if (Outcome outcome = record(warp, kind, pieces, bytes, values.data());
      outcome != Outcome::Done)
    return outcome;
  Run &run = warp.getCluster().getRun();
  for (auto [i, piece] : llvm::enumerate(pieces)) {
    llvm::ArrayRef<uint8_t> own = values.slice(i * bytes, bytes);
    if (!piece.cta && std::memcmp(piece.getData(run), own.data(), bytes))
      ++run.changes;
    piece.write(own);
  }
  return Outcome::Done;
}
