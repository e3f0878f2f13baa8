//===- QueueOps.cpp - Queues between roles, and programs --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Behaviour of dynamically scheduled programs, of queues, and of words in
// shared memory. A queue is a ring of words, as `sm-expand-rings` expands it.
// Each entry has a full mbarrier with one arrival, and an empty mbarrier with
// one arrival for each consumer warp.
//
//===----------------------------------------------------------------------===//

#include "Behaviours.h"

#include "Tiles/SharedElements.h"
#include "llvm/Support/Endian.h"

using namespace tessera;
using namespace tessera::sim;

static Outcome runNextProgram(sm::NextProgramOp op, Warp &warp) {
  ProgramDraws &draws = warp.getCta().getSimulation().draws;
  int64_t cta = warp.getCta().getNumber();
  int64_t programs = warp.getInteger(op.getPrograms());
  if (programs != draws.getPrograms())
    return warp.fail(op, "draws one of " + Twine(programs) +
                             " programs, but the grid has " +
                             Twine(draws.getPrograms()));
  if (draws.isAtEnd(cta))
    return warp.fail(op, "draws a program after the number that was the end: "
                         "the counter would not be 0 for the next launch");
  warp.set(op.getResult(),
           interp::Tile::getInteger(interp::ElementType::I64, draws.draw(cta)));
  return Outcome::Done;
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

/// Writes a number. In a role with several warps, the first warp writes.
static LogicalResult writeWord(Operation *op, Warp &warp, int64_t address,
                               int64_t number) {
  if (!warp.isFirstOfRole())
    return success();
  if (failed(recordAccess(op, warp, address, kWordBytes, /*isWrite=*/true)))
    return failure();
  uint8_t bytes[kWordBytes];
  llvm::support::endian::write32le(bytes, static_cast<uint32_t>(number));
  warp.getCta().getMemory().write(address, bytes);
  return success();
}

static LogicalResult readWord(Operation *op, Warp &warp, int64_t address,
                              int32_t &number) {
  if (failed(recordAccess(op, warp, address, kWordBytes, /*isWrite=*/false)))
    return failure();
  ArrayRef<uint8_t> bytes = warp.getCta().getMemory().read(address, kWordBytes);
  number = static_cast<int32_t>(llvm::support::endian::read32le(bytes.data()));
  return success();
}

static Outcome runWordsAlloc(sm::WordsAllocOp op, Warp &warp) {
  int64_t address = warp.getCta().getSimulation().placement.getAddress(op);
  warp.set(op.getResult(), interp::Handle{0, address});
  return Outcome::Done;
}

/// Returns the address of a word; -1 after a report.
template <typename OpTy>
static int64_t findWord(OpTy op, Warp &warp) {
  int64_t index = warp.getInteger(op.getIndex());
  int64_t count = cast<sm::WordsType>(op.getWords().getType()).getCount();
  if (index >= 0 && index < count)
    return warp.getHandle(op.getWords()).part + index * kWordBytes;
  (void)warp.report(op, "the index of the word is " + Twine(index) + ", of " +
                            Twine(count));
  return -1;
}

static Outcome runWordsStore(sm::WordsStoreOp op, Warp &warp) {
  int64_t address = findWord(op, warp);
  if (address < 0 ||
      failed(writeWord(op, warp, address, warp.getInteger(op.getNumber()))))
    return Outcome::Failed;
  return Outcome::Done;
}

static Outcome runWordsLoad(sm::WordsLoadOp op, Warp &warp) {
  int64_t address = findWord(op, warp);
  int32_t number = 0;
  if (address < 0 || failed(readWord(op, warp, address, number)))
    return Outcome::Failed;
  warp.set(op.getResult(),
           interp::Tile::getInteger(interp::ElementType::I32, number));
  return Outcome::Done;
}

//===----------------------------------------------------------------------===//
// Queues
//===----------------------------------------------------------------------===//

static Outcome runQueueAlloc(sm::QueueAllocOp op, Warp &warp) {
  warp.set(op.getResult(), interp::Handle{warp.getCta().getRingNumber(op), 0});
  return Outcome::Done;
}

namespace {
/// The position of one end of a queue, with its barriers.
struct QueuePosition {
  QueuePosition(Value queue, Warp &warp, bool isPush)
      : number(warp.getHandle(queue).number),
        ring(warp.getCta().getRing(number)),
        taken(warp.taken[{number, isPush}]), stage(taken % ring.stages),
        round(taken / ring.stages),
        address(ring.tiles.front() + stage * kWordBytes) {}

  int64_t number;
  Ring &ring;
  int64_t &taken;
  int64_t stage, round, address;
};
} // namespace

static Outcome runPush(sm::QueuePushOp op, Warp &warp) {
  QueuePosition at(op.getQueue(), warp, /*isPush=*/true);
  Cta &cta = warp.getCta();
  // All entries are empty in the first round.
  Outcome outcome = waitAt(op, warp, cta.getMbarrier(at.ring.empty + at.stage),
                           (at.round + 1) & 1);
  if (outcome != Outcome::Done)
    return outcome;
  if (failed(
          writeWord(op, warp, at.address, warp.getInteger(op.getNumber()))) ||
      arrive(op, warp, cta, at.ring.full + at.stage) == Outcome::Failed)
    return Outcome::Failed;
  ++at.taken;
  warp.advance();
  return Outcome::Done;
}

static Outcome runPop(sm::QueuePopOp op, Warp &warp) {
  QueuePosition at(op.getQueue(), warp, /*isPush=*/false);
  Cta &cta = warp.getCta();
  Outcome outcome =
      waitAt(op, warp, cta.getMbarrier(at.ring.full + at.stage), at.round & 1);
  if (outcome != Outcome::Done)
    return outcome;
  int32_t number = 0;
  if (failed(readWord(op, warp, at.address, number)) ||
      arrive(op, warp, cta, at.ring.empty + at.stage) == Outcome::Failed)
    return Outcome::Failed;
  ++at.taken;
  warp.set(op.getResult(),
           interp::Tile::getInteger(interp::ElementType::I64, number));
  warp.advance();
  return Outcome::Done;
}

void sim::addQueueBehaviours(BehaviourTable &table) {
  using Table = BehaviourTable;
  table.add<sm::NextProgramOp>(runNextProgram);
  table.addPrivate<sm::WordsAllocOp>(runWordsAlloc);
  table.add<sm::WordsStoreOp>({{Table::makeStage(runWordsStore).contends()}});
  table.add<sm::WordsLoadOp>({{Table::makeStage(runWordsLoad).contends()}});
  table.addPrivate<sm::QueueAllocOp>(runQueueAlloc);
  table.add<sm::QueuePushOp>({{Table::makeStage(runPush).waits().contends()}});
  table.add<sm::QueuePopOp>({{Table::makeStage(runPop).waits().contends()}});
}
