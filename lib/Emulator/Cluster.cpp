//===- Cluster.cpp - CTAs that run together ---------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"

#include "AddressSpace.h"
#include "ProductOps.h"
#include "Schedule.h"

using namespace tessera::emu;
namespace sim = tessera::sim;
using llvm::Twine;

/// Each defect is told once, and of many the first few.
static constexpr size_t kMaxReports = 8;

Cluster::Cluster(Run &run, uint32_t number)
    : run(run), number(number),
      clockSize(run.countClusterCtas() *
                ((run.countThreads() + kLanes - 1) / kLanes)),
      barrier(int64_t(clockSize) * kLanes, clockSize) {
  for (unsigned i = 0, e = run.countClusterCtas(); i < e; ++i) {
    ctas.push_back(std::make_unique<Cta>(*this, i, number * e + i));
    for (const std::unique_ptr<Warp> &warp : ctas.back()->getWarps())
      warps.push_back(warp.get());
  }
}

Outcome Cluster::execute() {
  if (Schedule(*this).run() == Outcome::Failed)
    return Outcome::Failed;
  return finish();
}

void Cluster::arriveForEnded() {
  for (Warp *warp : warps)
    if (barrier.getPresent() && warp->isFinished() &&
        !barrier.hasCome(warp->getId()))
      barrier.arrive(warp->getId(), sim::Clocks(clockSize), kLanes);
}

Cta *Cluster::findShared(Cta &cta, uint32_t address, uint32_t &offset) {
  uint32_t rank = address >> kRankShift;
  offset = address & ((1u << kRankShift) - 1);
  if (rank == 0)
    return &cta;
  return rank <= ctas.size() ? ctas[rank - 1].get() : nullptr;
}

//===----------------------------------------------------------------------===//
// Asynchronous operations
//===----------------------------------------------------------------------===//

bool Cluster::isInFlight(uint32_t number) const {
  return llvm::any_of(
      asyncs, [&](const Async &async) { return async.number == number; });
}

/// The next product of a warpgroup, if all its warps have come.
static Product *getReady(TensorCores &cores) {
  if (cores.next == cores.getEnd())
    return nullptr;
  Product &product = cores.get(cores.next);
  return product.arrived == product.warps.size() ? &product : nullptr;
}

size_t Cluster::countEffects() const {
  size_t count = asyncs.size();
  for (const std::unique_ptr<Cta> &cta : ctas)
    for (TensorCores &cores : cta->cores)
      count += getReady(cores) != nullptr;
  return count;
}

Outcome Cluster::takeEffect(size_t index) {
  if (index < asyncs.size()) {
    Async async = std::move(asyncs[index]);
    asyncs.erase(asyncs.begin() + index);
    return async.take();
  }
  index -= asyncs.size();
  for (const std::unique_ptr<Cta> &cta : ctas)
    for (TensorCores &cores : cta->cores) {
      Product *product = getReady(cores);
      if (!product || index-- != 0)
        continue;
      multiply(*product, *cta);
      product->isDone = true;
      ++cores.next;
      return Outcome::Done;
    }
  return Outcome::Done;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

static void *getSite(const Op *op) { return const_cast<Op *>(op); }
static const Op *getOp(const sim::Access &access) {
  return static_cast<const Op *>(access.op);
}

void Cluster::report(Finding finding, const Op *op, const Op *other, int kind) {
  foundAny = true;
  if (reported.size() < kMaxReports &&
      reported.insert({op, other, kind}).second)
    run.findings.push_back(std::move(finding));
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
                                const Twine &what, bool isShared) {
  const Op *other = getOp(conflict.other);
  switch (conflict.kind) {
  case sim::Conflict::OutOfBounds:
    return warp.fail(what + ", which is out of bounds");
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
                                   " of shared memory",
                               /*isShared=*/true);
  });
  return outcome;
}

Outcome Cluster::recordGlobal(Warp &warp, const Kind &kind,
                              llvm::ArrayRef<Piece> pieces,
                              const uint8_t *values) {
  sim::Access access{getSite(&warp.getOp()), kind.when, kind.proxy,
                     kind.isWrite, kind.isAtomic};
  const uint8_t *bytesOfPiece = values;
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
    sim::AccessHistory::Rules rules;
    rules.startsWritten = true;
    sim::AccessHistory &history =
        histories.try_emplace(allocation, allocation->bytes.size(), rules)
            .first->second;
    bool changes =
        kind.isAtomic || !kind.isWrite || !bytesOfPiece ||
        std::memcmp(bytesOfPiece, &allocation->bytes[first], piece.bytes) != 0;
    int64_t start = first;
    std::optional<sim::Conflict> conflict =
        history.record(access, warp.getClocks(), start, piece.bytes);
    auto what = [&](uint64_t place) {
      return describe(access) + " byte " + std::to_string(place) + " of " +
             (allocation->name.empty() ? "an allocation" : allocation->name);
    };
    if (conflict && changes)
      return reportConflict(warp, *conflict, what(conflict->place),
                            /*isShared=*/false);
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

//===----------------------------------------------------------------------===//
// The end
//===----------------------------------------------------------------------===//

Outcome Cluster::finish() {
  if (llvm::any_of(warps, [](Warp *warp) { return !warp->isFinished(); }))
    return reportDeadlock();
  auto hasSeen = [&](Cta &cta, sim::Moment moment) {
    return llvm::any_of(cta.getWarps(), [&](const std::unique_ptr<Warp> &w) {
      return w->getClocks().seen.knows(moment);
    });
  };
  auto tell = [&](const Op *op, const Twine &text) {
    report({op->source->where, text.str(), {}}, op, nullptr, 101);
  };
  for (const Expected &wait : expected)
    if (!hasSeen(*wait.target, sim::Moment::async(wait.number)))
      tell(wait.op, "the CTA ends before anyone has waited for this copy");
  for (const std::unique_ptr<Cta> &cta : ctas) {
    for (TensorCores &cores : cta->cores)
      for (Product &product : cores.products)
        if (!hasSeen(*cta, sim::Moment::async(product.number)))
          tell(product.op, "the CTA ends before anyone has waited for this "
                           "product");
    for (auto &[warp, arrival] : cta->remoteArrivals)
      if (!hasSeen(*cta, arrival.first))
        tell(arrival.second,
             "nothing keeps CTA " + Twine(cta->getNumber()) +
                 " from ending before another one arrives at its barrier");
  }
  return foundAny ? Outcome::Failed : Outcome::Done;
}

Outcome Cluster::reportDeadlock() {
  // Each says anew what it waits for: others have come since.
  for (Warp *warp : warps)
    if (!warp->isFinished())
      (void)warp->step();
  Finding finding;
  finding.text =
      "deadlock: nothing in cluster " + std::to_string(number) + " can go on";
  const Op *first = nullptr;
  for (size_t i = 0; i < warps.size();) {
    Warp &warp = *warps[i];
    size_t end = i + 1;
    auto isAlike = [&](Warp &other) {
      if (&other.getCta() != &warp.getCta() ||
          other.isFinished() != warp.isFinished())
        return false;
      return warp.isFinished() ||
             (other.getWaitingOp() == warp.getWaitingOp() &&
              other.getWaiting() == warp.getWaiting());
    };
    while (end < warps.size() && isAlike(*warps[end]))
      ++end;
    std::string who = warp.str();
    if (end != i + 1)
      who = "warps " + std::to_string(warp.getNumber()) + " to " +
            std::to_string(warps[end - 1]->getNumber()) +
            (ctas.size() > 1
                 ? " of CTA " + std::to_string(warp.getCta().getNumber())
                 : "");
    if (!warp.isFinished() && warp.getWaitingOp()) {
      if (!first)
        first = warp.getWaitingOp();
      finding.notes.push_back(
          {warp.getWaitingOp()->source->where,
           who + (end == i + 1 ? " waits for " : " wait for ") +
               warp.getWaiting()});
    } else if (warp.isFinished()) {
      finding.notes.push_back(
          {run.kernel.kernel->where,
           who + (end == i + 1 ? " has" : " have") + " ended"});
    }
    i = end;
  }
  finding.where = first ? first->source->where : run.kernel.kernel->where;
  report(std::move(finding), first, nullptr, 102);
  return Outcome::Failed;
}
