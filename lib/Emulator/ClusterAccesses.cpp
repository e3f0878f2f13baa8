//===- ClusterAccesses.cpp - What a cluster's warps touch -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AddressSpace.h"
#include "Cluster.h"

using namespace tessera::emu;
namespace sim = tessera::sim;
using llvm::Twine;

static void *getSite(const Op *op) { return const_cast<Op *>(op); }
static const Op *getOp(const sim::Access &access) {
  return static_cast<const Op *>(access.op);
}

/// "warp 3 writes", "a tensor copy reads", "the tensor cores read".
std::string Cluster::describe(const sim::Access &access) const {
  std::string acts = access.isWrite ? " writes" : " reads";
  if (access.when.kind == sim::Moment::Step)
    return warps[access.when.warp]->str() + acts;
  const Op *op = getOp(access);
  if (op->source->getRoot() == "wgmma")
    return "the tensor cores read";
  return "a copy in flight" + acts;
}

Outcome Cluster::reportConflict(Warp &warp, const sim::Conflict &conflict,
                                const Twine &what) {
  const Op *other = getOp(conflict.other);
  switch (conflict.kind) {
  case sim::Conflict::OutOfBounds:
    llvm_unreachable("bounds are checked before accesses are recorded");
  case sim::Conflict::Unwritten:
    return warp.fail(what + ", which nobody has written");
  case sim::Conflict::Race:
    return warp.fail("race: " + what + ", and nothing orders this and what " +
                         describe(conflict.other) + " there",
                     other, "the other side is here");
  case sim::Conflict::MissingFence:
    return warp.fail("missing fence: " + what +
                         " after a write by threads; expected a "
                         "fence.proxy.async between",
                     other, "the write is here");
  }
  return Outcome::Failed;
}

/// Starts of pieces of one size, so that they are recorded together.
static void
forEachSize(llvm::ArrayRef<Piece> pieces, uint64_t base,
            llvm::function_ref<void(llvm::ArrayRef<int64_t>, uint32_t)> visit) {
  SmallVector<int64_t, 64> starts;
  for (size_t i = 0; i < pieces.size();) {
    uint32_t bytes = pieces[i].bytes;
    starts.clear();
    for (; i < pieces.size() && pieces[i].bytes == bytes; ++i)
      starts.push_back(int64_t(pieces[i].address - base));
    visit(starts, bytes);
  }
}

Outcome Cluster::recordShared(Warp &warp, Cta &target, const Kind &kind,
                              llvm::ArrayRef<Piece> pieces,
                              const uint8_t *values) {
  for (const Piece &piece : pieces)
    if (piece.address < kFirstSharedByte ||
        piece.address + piece.bytes > target.getSharedBytes())
      return warp.fail(Twine(kind.isWrite ? "writes" : "reads") + " byte " +
                       Twine(int64_t(piece.address) - kFirstSharedByte) +
                       " of shared memory, of which the CTA has " +
                       Twine(target.getSharedBytes() - kFirstSharedByte));
  if (&target != &warp.getCta() && target.isFinished())
    return warp.fail("uses the shared memory of CTA " +
                     Twine(target.getNumber()) + ", which has ended");
  sim::Access access{getSite(&warp.getOp()), kind.when, kind.proxy,
                     kind.isWrite, kind.isAtomic};
  bool changes = !values;
  const uint8_t *written = values;
  for (const Piece &piece : pieces) {
    if (changes)
      break;
    llvm::ArrayRef<uint8_t> old =
        target.getMemory().read(piece.address, piece.bytes);
    changes = std::memcmp(old.data(), written, piece.bytes) != 0;
    written += piece.bytes;
  }
  Outcome outcome = Outcome::Done;
  forEachSize(pieces, 0, [&](llvm::ArrayRef<int64_t> starts, uint32_t bytes) {
    std::optional<sim::Conflict> conflict =
        target.getMemory().record(access, warp.getClocks(), starts, bytes);
    if (conflict && !changes && conflict->kind == sim::Conflict::Race &&
        conflict->other.op == access.op)
      return;
    if (conflict && outcome == Outcome::Done)
      outcome = reportConflict(warp, *conflict,
                               describe(access) + " byte " +
                                   Twine(conflict->place - kFirstSharedByte) +
                                   " of shared memory");
  });
  return outcome;
}

/// A history takes memory and time for all of its bytes, and one cluster of
/// many touches few of those of an allocation.
static constexpr uint64_t kPageBytes = 4096;

std::optional<sim::Conflict> Cluster::recordBytes(const sim::Access &access,
                                                  const Warp &warp,
                                                  const Allocation &allocation,
                                                  uint64_t first,
                                                  uint64_t count) {
  sim::AccessHistory::Rules rules;
  rules.startsWritten = true;
  rules.isGlobal = true;
  std::optional<sim::Conflict> conflict;
  for (uint64_t end = first + count; first < end;) {
    uint64_t page = first / kPageBytes;
    sim::AccessHistory &history =
        histories.try_emplace({&allocation, page}, kPageBytes, rules)
            .first->second;
    uint64_t pageEnd = std::min(end, (page + 1) * kPageBytes);
    int64_t start = first - page * kPageBytes;
    std::optional<sim::Conflict> found =
        history.record(access, warp.getClocks(), start, pageEnd - first);
    if (found && !conflict) {
      conflict = found;
      conflict->place += page * kPageBytes;
    }
    first = pageEnd;
  }
  return conflict;
}

Outcome Cluster::recordGlobal(Warp &warp, const Kind &kind,
                              llvm::ArrayRef<Piece> pieces,
                              const uint8_t *values) {
  sim::Access access{getSite(&warp.getOp()), kind.when, kind.proxy,
                     kind.isWrite, kind.isAtomic};
  const uint8_t *bytesOfPiece = values;
  if (!warp.getCta().firstGlobal)
    warp.getCta().firstGlobal = &warp.getOp();
  for (const Piece &piece : pieces) {
    Allocation *allocation = run.memory.find(piece.address, piece.bytes);
    Twine acts = kind.isWrite ? "writes" : "reads";
    if (!allocation)
      return warp.fail(acts + " " + Twine(piece.bytes) +
                       " bytes of global memory at 0x" +
                       Twine::utohexstr(piece.address) + ": " +
                       run.memory.describe(piece.address));
    uint64_t first = piece.address - allocation->address;
    if (!kind.isWrite || kind.isAtomic)
      for (uint32_t i = 0; i < piece.bytes; ++i)
        if (!allocation->isWritten[first + i])
          return warp.fail("reads byte " + Twine(first + i) + " of " +
                           Twine(allocation->bytes.size()) + " bytes" +
                           (allocation->name.empty()
                                ? Twine("")
                                : " of " + Twine(allocation->name)) +
                           ", which nobody has written");
    bool changes =
        kind.isAtomic || !kind.isWrite || !bytesOfPiece ||
        std::memcmp(bytesOfPiece, &allocation->bytes[first], piece.bytes) != 0;
    std::optional<sim::Conflict> conflict =
        recordBytes(access, warp, *allocation, first, piece.bytes);
    auto what = [&](uint64_t place) {
      return describe(access) + " byte " + std::to_string(place) + " of " +
             (allocation->name.empty() ? "an allocation" : allocation->name);
    };
    if (conflict && changes)
      return reportConflict(warp, *conflict, what(conflict->place));
    if (std::optional<std::string> other =
            run.history.record(*allocation, piece.address, piece.bytes, number,
                               kind.isWrite, kind.isAtomic, bytesOfPiece))
      return warp.fail("race: " + what(first) + ", which " + *other +
                       " too, and clusters run side by side");
    if (bytesOfPiece)
      bytesOfPiece += piece.bytes;
  }
  return Outcome::Done;
}
