//===- Warp.h - 32 threads that run together --------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_EMULATOR_MACHINE_WARP_H
#define TESSERA_LIB_EMULATOR_MACHINE_WARP_H

#include "Op.h"

#include "tessera/Simulator/Barriers.h"

#include "llvm/ADT/Twine.h"

#include <deque>
#include <list>
#include <map>

namespace tessera::emu {

class Cta;
class Cluster;
struct DecodedKernel;

/// Threads of a warp that are at one place. A branch that some take and others
/// not makes two of one, which is there again when both have come to the place
/// where they meet.
struct Split {
  Lanes lanes = 0;
  unsigned next = 0, meet = 0;
  Split *parent = nullptr;
  /// Splits that it waits for, and those of their threads that have come.
  unsigned children = 0;
  Lanes gathered = 0;
  /// What an instruction that was begun and must wait keeps.
  bool hasTicket = false;
  uint64_t ticket = 0;
  /// The wait that has ended last without what it waits for (`try_wait`).
  const Op *timedOut = nullptr;
};

/// Asynchronous copies of one thread, in groups (`cp.async`, bulk groups).
struct CopyGroups {
  /// Copies that are in no group yet.
  SmallVector<uint32_t, 2> open;
  SmallVector<SmallVector<uint32_t, 2>, 0> groups;
};

class Warp {
public:
  Warp(Cta &cta, unsigned number, const DecodedKernel &kernel);
  ~Warp();

  /// Runs up to and including the next instruction that others can see.
  Outcome step();
  bool isFinished() const { return alive == 0; }

  Cta &getCta() { return cta; }
  Cluster &getCluster();
  unsigned getClusterSize();
  /// In its CTA, and in the cluster.
  unsigned getNumber() const { return number; }
  unsigned getId() const { return id; }
  /// Those that have not ended.
  Lanes getAlive() const { return alive; }
  /// "warp 3", or "warp 3 of CTA 1 of the cluster".
  std::string str() const;

  //===--------------------------------------------------------------------===//
  // Registers
  //===--------------------------------------------------------------------===//

  uint64_t *at(Slot slot) { return &values[size_t(slot) * kLanes]; }
  /// A register gets a value that no instruction of the warp has computed.
  void markWritten(Slot slot, Lanes lanes) { written[slot] |= lanes; }
  /// The local memory of a thread.
  uint8_t *getLocal(unsigned lane) {
    return local.data() + lane * (local.size() / kLanes);
  }
  /// By all threads that have not ended.
  bool isWritten(Slot slot) const { return !(alive & ~written[slot]); }
  Lanes getUnwritten(Slot slot) const { return ~written[slot]; }
  /// Of the results of the instruction that is executed, if these are others
  /// than those that read a register which nobody has written.
  void setUnwrittenResults(Lanes lanes) { unwrittenResults = lanes; }
  /// Products in flight that read or write a register. Empty, like the times,
  /// if the kernel has no products.
  std::vector<uint16_t> productReads, productWrites;
  unsigned productRegisters = 0;
  /// When it was written last, and read but by products, by a count of
  /// instructions; and the count at the last wgmma.fence.
  std::vector<uint64_t> writeTimes, readTimes;
  uint64_t instructions = 1, productFence = 0;

  //===--------------------------------------------------------------------===//
  // The instruction that is executed
  //===--------------------------------------------------------------------===//

  const Op &getOp() const { return *op; }
  Split &getSplit() { return *current; }
  /// Reports; returns Failed. "in thread 37" is added if `lane` is given.
  Outcome fail(const llvm::Twine &text, int lane = -1);
  /// The same with another side.
  Outcome fail(const llvm::Twine &text, const Op *other,
               const llvm::Twine &otherText);
  /// Of an asynchronous operation that it has started.
  Outcome failAt(const Op &other, const llvm::Twine &text);
  /// What it waits for, if it does: asked for when nothing can go on.
  using Reason = std::function<std::string()>;
  Outcome block(Reason reason) {
    waiting = std::move(reason);
    return Outcome::Blocked;
  }
  Outcome block(const char *reason) {
    return block([reason] { return std::string(reason); });
  }
  /// The same, until an mbarrier of the CTA changes.
  Outcome sleep(Reason reason);
  /// Sleeps until a round of a barrier is over.
  Outcome sleep(const sim::NamedBarrier &barrier, uint64_t round,
                Reason reason) {
    sleepsAt = &barrier;
    sleepsFor = round;
    return block(std::move(reason));
  }
  /// The instruction and the reason of a warp that can not go on.
  const Op *getWaitingOp() const { return waitingOp; }
  std::string getWaiting() const { return waiting ? waiting() : ""; }

  //===--------------------------------------------------------------------===//
  // Time; see docs/design/simulator.md
  //===--------------------------------------------------------------------===//

  sim::Moment now() const { return sim::Moment::step(id, moment); }
  const sim::Clocks &getClocks() const { return clocks; }
  void advance() { clocks.seen.setStep(id, ++moment); }
  void join(const sim::Clocks &other) { clocks.join(other); }
  void see(uint32_t asyncNumber) { clocks.add(asyncNumber); }
  void seeGeneric(uint32_t asyncNumber) { clocks.addGeneric(asyncNumber); }
  /// A proxy fence for one of the memories, or both.
  void fence(bool isShared, bool isGlobal) {
    if (isShared)
      clocks.fence();
    if (isGlobal)
      clocks.fenceGlobal();
    advance();
  }

  //===--------------------------------------------------------------------===//
  // What it has in flight
  //===--------------------------------------------------------------------===//

  CopyGroups threadCopies[kLanes];
  CopyGroups bulkCopies[kLanes];
  /// Products that it has issued, by their numbers in the warpgroup's queue;
  /// ends of committed groups; and how many it has waited for.
  uint64_t issuedProducts = 0, seenProducts = 0;
  std::deque<uint64_t> productGroups;
  /// The round of the barrier of the cluster at which it has arrived.
  std::optional<uint64_t> clusterRound;
  /// Registers of a thread (`setmaxnreg`).
  unsigned registers = 0;

private:
  Outcome run(Split &split);
  // UnwrittenRegisters.cpp
  /// The instruction reads a register that some threads have not written.
  Outcome useUnwritten(Slot slot, Lanes lanes, bool passes);
  /// Of its results, after it has been executed.
  void noteUnwritten();

  /// Checks whether registers of the instruction need checks at all.
  bool needsChecks(Lanes lanes);
  /// Checks what the instruction reads and writes.
  Outcome checkRegisters(Lanes lanes);
  void branch(Split &split, Lanes taken);
  /// Where some threads of a split go.
  struct Way {
    unsigned target;
    Lanes lanes;
  };
  /// Each thread of the split goes one of these ways.
  void part(Split &split, ArrayRef<Way> ways);
  /// IndexedBranch.cpp
  Outcome branchIndexed(Split &split, Lanes taken);
  void leave(Split &split, Lanes lanes);
  /// It is where its parent's threads meet, or has no thread left.
  void settle(Split &split);
  void drop(Split &split);
  /// Joins another one that has come to the same place.
  bool merge(Split &split);

  Cta &cta;
  unsigned number, id;
  const DecodedKernel &kernel;
  std::vector<uint64_t> values;
  /// Patterns that are wrong if anybody cares, until they are written.
  std::vector<uint8_t> local;
  std::vector<Lanes> written;
  /// Where the value of a register comes from that counts as written by nobody:
  /// the first instruction that has read it, and what that has read.
  struct Unwritten {
    const Op *op = nullptr;
    Slot slot = 0;
  };
  std::map<Slot, Unwritten> unwritten;
  Lanes unwrittenResults = 0;
  Unwritten unwrittenOrigin;
  Lanes alive = 0;
  std::list<Split> splits;
  const Op *op = nullptr, *waitingOp = nullptr;
  Split *current = nullptr;
  Reason waiting;
  /// The number of changes of mbarriers that all its threads have seen in vain.
  std::optional<uint64_t> seenChanges;
  /// The barrier whose round all its threads wait for.
  const sim::NamedBarrier *sleepsAt = nullptr;
  uint64_t sleepsFor = 0;
  sim::Clocks clocks;
  uint32_t moment = 1;
};

} // namespace tessera::emu

#endif // TESSERA_LIB_EMULATOR_MACHINE_WARP_H
