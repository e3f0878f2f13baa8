//===- ClusterAccesses.cpp - Accesses of a cluster --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks and records the accesses of one instruction. Shared memory has the
// access history of the simulator. Global memory has a history for each
// accessed page of 4 KiB (conflicts within the cluster, by clocks), a history
// of clusters (conflicts between clusters), and marks of written bytes.
//
// Neighbouring pieces are recorded together. If they have any defect, each
// piece takes the general path, which reports it: the fast path only recognises
// correct accesses. A write of the present value does not conflict.
//
//===----------------------------------------------------------------------===//

#include "AddressSpace.h"
#include "Cluster.h"

#include "tessera/Simulator/UnorderedPrograms.h"

using namespace tessera::emu;
namespace sim = tessera::sim;
using llvm::Twine;

static void *getSite(const Op *op) { return const_cast<Op *>(op); }
static const Op *getOp(const sim::Access &access) {
  return static_cast<const Op *>(access.op);
}

/// Describes the actor and its action: "warp 3 writes", "a tensor copy reads",
/// "the tensor cores read".
std::string Cluster::describe(const sim::Access &access) const {
  std::string acts = access.isWrite ? " writes" : " reads";
  if (access.when.kind == sim::Moment::Step)
    return warps[access.when.warp]->str() + acts;
  const Op *op = getOp(access);
  if (op->source->getRoot() == "wgmma")
    return "the tensor cores read";
  return "a copy in flight" + acts;
}

std::string Cluster::describe(const sim::Access &access,
                              const Allocation &allocation,
                              uint64_t byte) const {
  return describe(access) + " " + allocation.describeByte(byte);
}

Outcome Cluster::reportConflict(Warp &warp, const sim::Conflict &conflict,
                                const Twine &what,
                                std::optional<uint64_t> sharedByte) {
  const Op *other = getOp(conflict.other);
  switch (conflict.kind) {
  case sim::Conflict::OutOfBounds:
    llvm_unreachable("bounds are checked before accesses are recorded");
  case sim::Conflict::Unwritten:
    return warp.fail(what + ", which nobody has written", nullptr, "",
                     sharedByte);
  case sim::Conflict::Race:
    return warp.fail("race: " + what + ", and nothing orders this and what " +
                         describe(conflict.other) + " there",
                     other, "the other side is here", sharedByte);
  case sim::Conflict::MissingFence:
    return warp.fail("missing fence: " + what +
                         " after a write by threads; expected a "
                         "fence.proxy.async between",
                     other, "the write is here", sharedByte);
  }
  return Outcome::Failed;
}

/// Calls `visit` with the starts of consecutive pieces of one size, which are
/// recorded together.
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
                       " of shared memory; the CTA has " +
                       Twine(target.getSharedBytes() - kFirstSharedByte) +
                       " bytes");
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
    if (!conflict || outcome != Outcome::Done)
      return;
    uint64_t byte = conflict->place - kFirstSharedByte;
    outcome = reportConflict(
        warp, *conflict,
        describe(access) + " byte " + Twine(byte) + " of shared memory", byte);
  });
  return outcome;
}

Cluster::Page::Page(Run &run, const Allocation &allocation, uint64_t number)
    : history(kBytes, {/*startsWritten=*/true, /*hasFences=*/true,
                       /*isGlobal=*/true}),
      isWritten(run.writtenPages.contains({&allocation, number})) {
  if (isWritten)
    return;
  auto begin = allocation.isWritten.begin() + number * kBytes;
  uint64_t count = std::min(kBytes, allocation.bytes.size() - number * kBytes);
  isWritten = std::find(begin, begin + count, false) == begin + count;
  if (isWritten)
    run.writtenPages.insert({&allocation, number});
}

Cluster::Page &Cluster::getPage(const Allocation &allocation, uint64_t number) {
  std::pair key(&allocation, number);
  if (!lastPage || lastPage->first != key)
    lastPage = &*pages.try_emplace(key, run, allocation, number).first;
  return lastPage->second;
}

std::optional<uint64_t> Cluster::findUnwritten(const Allocation &allocation,
                                               uint64_t first, uint64_t count) {
  for (uint64_t end = first + count; first < end;) {
    uint64_t page = first / Page::kBytes;
    uint64_t pageEnd = std::min(end, (page + 1) * Page::kBytes);
    if (!getPage(allocation, page).isWritten)
      for (; first < pageEnd; ++first)
        if (!allocation.isWritten[first])
          return first;
    first = pageEnd;
  }
  return std::nullopt;
}

std::optional<sim::Conflict> Cluster::recordBytes(const sim::Access &access,
                                                  const Warp &warp,
                                                  const Allocation &allocation,
                                                  uint64_t first,
                                                  uint64_t count) {
  std::optional<sim::Conflict> conflict;
  for (uint64_t end = first + count; first < end;) {
    uint64_t page = first / Page::kBytes;
    uint64_t pageEnd = std::min(end, (page + 1) * Page::kBytes);
    int64_t start = first - page * Page::kBytes;
    std::optional<sim::Conflict> found =
        getPage(allocation, page)
            .history.record(access, warp.getClocks(), start, pageEnd - first);
    if (found && !conflict) {
      conflict = found;
      conflict->place += page * Page::kBytes;
    }
    first = pageEnd;
  }
  return conflict;
}

ClusterHistory::Access Cluster::getClusterAccess(const Warp &warp,
                                                 const Kind &kind,
                                                 const uint8_t *values) const {
  return {number, kind.isWrite, kind.isAtomic,
          values, kind.when,    warp.getClocks()};
}

/// Checks whether a write changes bytes in all of these neighbours, or in none.
static bool changesAllOrNone(llvm::ArrayRef<Piece> pieces,
                             const uint8_t *values, const uint8_t *old) {
  bool changes = std::memcmp(values, old, pieces.front().bytes) != 0;
  for (const Piece &piece : pieces) {
    if ((std::memcmp(values, old, piece.bytes) != 0) != changes)
      return false;
    values += piece.bytes;
    old += piece.bytes;
  }
  return true;
}

std::optional<Outcome> Cluster::recordNeighbours(Warp &warp, const Kind &kind,
                                                 llvm::ArrayRef<Piece> pieces,
                                                 const Piece &all,
                                                 const uint8_t *values) {
  Allocation *allocation = run.memory.find(all.address, all.bytes);
  if (!allocation)
    return std::nullopt;
  uint64_t first = all.address - allocation->address;
  bool reads = !kind.isWrite || kind.isAtomic;
  if (reads && findUnwritten(*allocation, first, all.bytes))
    return std::nullopt;
  const uint8_t *old = &allocation->bytes[first];
  if (!reads && values && !changesAllOrNone(pieces, values, old))
    return std::nullopt;
  // A recorded read does not affect the check of other reads, so it may be
  // recorded twice.
  ClusterHistory::Access ofCluster = getClusterAccess(warp, kind, values);
  bool isRace =
      (kind.isWrite
           ? run.history.find(*allocation, first, all.bytes, ofCluster)
           : run.history.record(*allocation, first, all.bytes, ofCluster))
          .has_value();
  if (isRace)
    return std::nullopt;
  sim::Access access{getSite(&warp.getOp()), kind.when, kind.proxy,
                     kind.isWrite, kind.isAtomic};
  std::optional<sim::Conflict> conflict =
      recordBytes(access, warp, *allocation, first, all.bytes);
  if (conflict &&
      (reads || !values || std::memcmp(values, old, all.bytes) != 0))
    return reportConflict(warp, *conflict,
                          describe(access, *allocation, conflict->place));
  if (kind.isWrite)
    (void)run.history.record(*allocation, first, all.bytes, ofCluster);
  return Outcome::Done;
}

Outcome Cluster::recordPiece(Warp &warp, const Kind &kind, const Piece &piece,
                             const uint8_t *values) {
  Allocation *allocation = run.memory.find(piece.address, piece.bytes);
  if (!allocation)
    return warp.fail(Twine(kind.isWrite ? "writes" : "reads") + " " +
                     Twine(piece.bytes) + " bytes of global memory at 0x" +
                     Twine::utohexstr(piece.address) + ": " +
                     run.memory.describe(piece.address));
  uint64_t first = piece.address - allocation->address;
  if (!kind.isWrite || kind.isAtomic)
    if (std::optional<uint64_t> byte =
            findUnwritten(*allocation, first, piece.bytes))
      return warp.fail("reads " + allocation->describeByte(*byte) +
                       ", which nobody has written");
  bool changes =
      kind.isAtomic || !kind.isWrite || !values ||
      std::memcmp(values, &allocation->bytes[first], piece.bytes) != 0;
  sim::Access access{getSite(&warp.getOp()), kind.when, kind.proxy,
                     kind.isWrite, kind.isAtomic};
  std::optional<sim::Conflict> conflict =
      recordBytes(access, warp, *allocation, first, piece.bytes);
  if (conflict && changes)
    return reportConflict(warp, *conflict,
                          describe(access, *allocation, conflict->place));
  if (std::optional<std::string> other =
          run.history.record(*allocation, first, piece.bytes,
                             getClusterAccess(warp, kind, values)))
    return warp.fail("race: " + getName() +
                     (kind.isWrite ? " writes " : " reads ") +
                     allocation->describeByte(first) + ", which " + *other +
                     sim::kUnorderedPrograms);
  return Outcome::Done;
}

Outcome Cluster::recordGlobal(Warp &warp, const Kind &kind,
                              llvm::ArrayRef<Piece> pieces,
                              const uint8_t *values) {
  if (!warp.getCta().firstGlobal)
    warp.getCta().firstGlobal = &warp.getOp();
  while (!pieces.empty()) {
    // Record neighbours together. A defect names one piece, so neighbours with
    // a defect are recorded one by one.
    Piece all = pieces.front();
    size_t count = 1;
    for (; count < pieces.size() &&
           pieces[count].address == all.address + all.bytes;
         ++count)
      all.bytes += pieces[count].bytes;
    std::optional<Outcome> outcome;
    if (count > 1)
      outcome =
          recordNeighbours(warp, kind, pieces.take_front(count), all, values);
    const uint8_t *valuesOfPiece = values;
    for (size_t i = 0; i < count && !outcome; ++i) {
      Outcome each = recordPiece(warp, kind, pieces[i], valuesOfPiece);
      if (each != Outcome::Done)
        outcome = each;
      if (valuesOfPiece)
        valuesOfPiece += pieces[i].bytes;
    }
    if (outcome && *outcome != Outcome::Done)
      return *outcome;
    if (values)
      values += all.bytes;
    pieces = pieces.drop_front(count);
  }
  return Outcome::Done;
}

void Cluster::synchronize(Warp &warp, const Allocation &allocation,
                          uint64_t first, sim::AtomicOrder order,
                          bool changes) {
  sim::Clocks acquired(clockSize);
  run.history.synchronize(allocation, first, order, changes, number,
                          warp.getClocks(), acquired.others);
  warp.join(acquired);
  // Later accesses are not part of the release.
  warp.advance();
}
