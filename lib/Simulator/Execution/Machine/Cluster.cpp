//===- Cluster.cpp - CTAs that run together ---------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the CTAs of a cluster and records their accesses. Each CTA has a history
// of its shared memory. The cluster has a history of each tensor that the
// kernel writes. A conflict is reported once for each pair of ops and kind, up
// to a limit, and the run continues. At the end, unfinished warps are a
// deadlock, and asynchronous operations that no warp has waited for are
// defects.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"

#include "ChosenSchedule.h"
#include "Effects.h"
#include "Schedule.h"

#include "tessera/Dialect/SM/IR/BufferText.h"

#include "mlir/IR/Diagnostics.h"

using namespace tessera;
using namespace tessera::sim;

/// Number of defects that are reported for a cluster.
static constexpr size_t kMaxReports = 8;

Cluster::Cluster(Simulation &simulation, uint32_t number)
    : simulation(simulation), number(number),
      clockSize(simulation.kernel.getClusterSize() *
                simulation.kernel.getWarps()),
      barrier(clockSize * 32, clockSize) {
  for (int64_t i = 0, e = simulation.kernel.getClusterSize(); i < e; ++i) {
    ctas.push_back(std::make_unique<Cta>(*this, i));
    for (unsigned warp = 0; warp < ctas.back()->getNumWarps(); ++warp)
      warps.push_back(&ctas.back()->getWarp(warp));
  }
}

LogicalResult Cluster::run() {
  bool begins = !waiting;
  waiting = false;
  if (begins && simulation.tracer)
    for (const std::unique_ptr<Cta> &cta : ctas)
      simulation.tracer->begin(*cta);
  if (simulation.options.order == Order::Chosen)
    return ChosenSchedule(*this).run();
  return Schedule(*this).run();
}

std::string Cluster::str() const {
  std::string first = std::to_string(ctas.front()->getNumber());
  if (ctas.size() == 1)
    return "CTA " + first;
  return "CTAs " + first + " to " + std::to_string(ctas.back()->getNumber());
}

bool Cluster::isInFlight(uint32_t copy) const {
  return llvm::any_of(copies, [&](const Copy &c) { return c.number == copy; });
}

LogicalResult Cluster::complete(uint32_t copy) {
  auto found =
      llvm::find_if(copies, [&](const Copy &c) { return c.number == copy; });
  if (found == copies.end())
    return success();
  return Effects(*this).take(found - copies.begin());
}

//===----------------------------------------------------------------------===//
// Shared and global memory
//===----------------------------------------------------------------------===//

std::string Cluster::describe(const Warp &warp) const {
  if (ctas.size() == 1)
    return warp.str();
  return warp.str() + " of CTA " + std::to_string(warp.getCta().getNumber());
}

static Operation *getOp(const Access &access) {
  return static_cast<Operation *>(access.op);
}

/// Describes the actor and its action: "the tensor cores read", "warp 3
/// writes".
std::string Cluster::describe(const Access &access) const {
  StringRef acts = access.isWrite ? "writes" : "reads";
  if (access.when.kind != Moment::Async)
    return (describe(*warps[access.when.warp]) + " " + acts).str();
  Operation *op = getOp(access);
  if (isa<sm::MmaOp, sm::MmaIssueOp>(op))
    return "the tensor cores read";
  if (sm::getCompletion(op) == sm::Completion::Fetches)
    return ("a fetch in flight " + acts).str();
  return ("a tensor copy " + acts).str();
}

LogicalResult Cluster::record(Warp &warp, Cta &target, const Access &access,
                              ArrayRef<int64_t> starts, int64_t count,
                              bool changesNothing) {
  std::optional<Conflict> conflict =
      target.getMemory().record(access, warp.getClocks(), starts, count);
  if (!conflict)
    return success();
  Operation *op = getOp(access), *otherOp = getOp(conflict->other);
  if (changesNothing && conflict->kind == Conflict::Race && otherOp == op)
    return success();
  std::string byte =
      "byte " + std::to_string(conflict->place) + " of shared memory";
  if (conflict->kind != Conflict::OutOfBounds)
    return report(warp, access, byte, *conflict, /*isShared=*/true);
  hasDefects = true;
  return warp.report(op, describe(access) + " " + byte + ", which has " +
                             Twine(target.getMemory().getSize()) + " bytes");
}

LogicalResult Cluster::record(Warp &warp, const interp::GlobalTensor &tensor,
                              const Access &access, ArrayRef<int64_t> offsets,
                              bool changesNothing) {
  if (offsets.empty())
    return success();
  // sm.fence only applies to shared memory.
  AccessHistory::Rules rules{/*startsWritten=*/true, /*hasFences=*/false};
  AccessHistory &history =
      histories.try_emplace(&tensor, tensor.getMemory().getNumElements(), rules)
          .first->second;
  std::optional<Conflict> conflict =
      history.record(access, warp.getClocks(), offsets, /*count=*/1);
  if (!conflict || changesNothing)
    return success();
  return report(warp, access, tensor.describeElement(conflict->place),
                *conflict, /*isShared=*/false);
}

void Cluster::synchronize(Warp &warp, const interp::GlobalTensor &tensor,
                          int64_t offset, tile::AtomicOrder order,
                          bool changes) {
  Clocks acquired(clockSize);
  simulation.order->synchronize(
      &tensor, offset, {tile::acquires(order), tile::releases(order)}, changes,
      number, warp.getClocks(), acquired.others);
  warp.join(acquired);
  // Later accesses are not part of the release.
  warp.advance();
}

/// Adds notes on the buffers that contain a byte of shared memory.
void Cluster::noteBuffers(int64_t byte, SmallVectorImpl<Warp::Note> &notes) {
  sm::KernelOp kernel = simulation.kernel;
  for (Operation *alloc : simulation.placement.findBuffers(byte)) {
    SmallVector<Operation *> copies = sm::findTensorCopies(alloc);
    // The source has no place of a ring, but one of a copy.
    bool isPlaced = alloc->getLoc() != kernel.getLoc() || copies.empty();
    notes.push_back({isPlaced ? alloc : copies.front(),
                     "byte " + std::to_string(byte) + " is in " +
                         sm::describeContents(kernel, alloc)});
  }
}

/// Reports a conflict once. Fails after the maximum number of reports.
LogicalResult Cluster::report(Warp &warp, const Access &access, StringRef place,
                              const Conflict &conflict, bool isShared) {
  Operation *op = getOp(access), *otherOp = getOp(conflict.other);
  hasDefects = true;
  if (!reported.insert({op, otherOp, conflict.kind}).second)
    return success();
  // Later conflicts are often consequences of earlier ones.
  if (reported.size() > kMaxReports)
    return failure();
  std::string what = (describe(access) + " " + place).str();
  SmallVector<Warp::Note> notes;
  if (conflict.kind != Conflict::Unwritten)
    notes.push_back({otherOp, conflict.kind == Conflict::MissingFence
                                  ? "the write is here"
                                  : "the other side is here"});
  if (isShared)
    noteBuffers(conflict.place, notes);
  StringRef remedy =
      isShared ? "expected a sm.fence between"
               : "sm.fence is for shared memory, and there is no other one";
  switch (conflict.kind) {
  case Conflict::OutOfBounds:
    break;
  case Conflict::Unwritten:
    (void)warp.report(op, what + ", which nobody has written", notes);
    break;
  case Conflict::Race:
    (void)warp.report(op,
                      "race: " + what +
                          ", and nothing orders this and "
                          "what " +
                          describe(conflict.other) + " there",
                      notes);
    break;
  case Conflict::MissingFence:
    (void)warp.report(
        op, "missing fence: " + what + " after a write by threads; " + remedy,
        notes);
    break;
  }
  return success();
}

LogicalResult Cluster::report(Operation *op, Warp &warp,
                              const interp::GlobalTensor &tensor,
                              int64_t offset,
                              const interp::Conflict &conflict) {
  hasDefects = true;
  std::string what = ctas.size() == 1 ? "CTA" : "cluster";
  std::string other = conflict.other
                          ? what + " " + std::to_string(*conflict.other)
                          : "another " + what;
  return warp.report(op, tensor.describe(offset, conflict, other,
                                         sm::BarrierOp::getOperationName()));
}

//===----------------------------------------------------------------------===//
// The end
//===----------------------------------------------------------------------===//

LogicalResult Cluster::finish() {
  if (waiting)
    return success();
  if (llvm::any_of(warps, [](Warp *warp) { return !warp->isFinished(); }))
    return reportDeadlock();
  return verifyEnd();
}

LogicalResult Cluster::verifyEnd() {
  for (const Load &load : loads)
    if (!load.target->hasSeen(Moment::async(load.number)))
      return load.target->getWarp(0).report(
          load.op, "the CTA ends before anyone has waited for this copy");
  for (const std::unique_ptr<Cta> &cta : ctas)
    if (failed(cta->verifyEnd()))
      return failure();
  return failure(hasDefects);
}
