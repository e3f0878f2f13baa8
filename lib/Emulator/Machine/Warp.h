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
#include <utility>

namespace tessera::emu {

class Cta;
class Cluster;
struct DecodedKernel;

/// Threads of a warp with one position. A divergent branch divides a split. It
/// exists again when all parts have arrived at the point of reconvergence.
struct Split {
  Lanes lanes = 0;
  unsigned next = 0, meet = 0;
  Split *parent = nullptr;
  /// Number of splits that it waits for, and the threads of those that have
  /// arrived.
  unsigned children = 0;
  Lanes gathered = 0;
  /// State of an instruction that has begun and waits.
  bool hasTicket = false;
  uint64_t ticket = 0;
  /// The last wait that timed out (`try_wait`).
  const Op *timedOut = nullptr;
};

/// Asynchronous copies of one thread, in groups (`cp.async`, bulk groups).
struct CopyGroups {
  /// Copies that are not in a group yet.
  SmallVector<uint32_t, 2> open;
  SmallVector<SmallVector<uint32_t, 2>, 0> groups;
};

/// The positions of the threads of a warp, their registers and local memory.
struct WarpState {
  struct Position {
    Lanes lanes, gathered;
    unsigned next, meet, children;
    bool hasTicket;
    const Op *timedOut;

    bool operator==(const Position &) const = default;
  };
  std::vector<Position> positions;
  std::vector<uint64_t> values;
  std::vector<Lanes> written;
  std::vector<uint8_t> local;
};

class Warp {
public:
  Warp(Cta &cta, unsigned number, const DecodedKernel &kernel);
  ~Warp();

  /// Runs up to and including the next instruction that other agents can
  /// observe.
  Outcome step();
  bool isFinished() const { return alive == 0; }
  /// Lets the warp go on after a pause for the other clusters of a cooperative
  /// launch. Returns whether there was one.
  bool endPause() { return std::exchange(isPaused, false); }
  /// Returns the state that determines the next steps of the warp, for
  /// comparisons.
  WarpState getState() const;
  bool isIn(const WarpState &state) const;

  Cta &getCta() { return cta; }
  Cluster &getCluster();
  unsigned getClusterSize();
  /// Number in its CTA, and in the cluster.
  unsigned getNumber() const { return number; }
  unsigned getId() const { return id; }
  /// Threads that have not ended.
  Lanes getAlive() const { return alive; }
  /// Returns "warp 3", or "warp 3 of CTA 1 of the cluster".
  std::string str() const;

  //===--------------------------------------------------------------------===//
  // Registers
  //===--------------------------------------------------------------------===//

  uint64_t *at(Slot slot) { return &values[size_t(slot) * kLanes]; }
  /// Marks a register as written by an asynchronous operation.
  void markWritten(Slot slot, Lanes lanes) { written[slot] |= lanes; }
  /// Returns the local memory of a thread.
  uint8_t *getLocal(unsigned lane) {
    return local.data() + lane * (local.size() / kLanes);
  }
  /// Checks whether all threads that have not ended have written the register.
  bool isWritten(Slot slot) const { return !(alive & ~written[slot]); }
  Lanes getUnwritten(Slot slot) const { return ~written[slot]; }
  /// Sets the lanes with unwritten results of the current instruction, if they
  /// differ from the lanes that read an unwritten register.
  void setUnwrittenResults(Lanes lanes) { unwrittenResults = lanes; }
  /// Number of products in flight that read or write each register. Empty, like
  /// the times, if the kernel has no products.
  std::vector<uint16_t> productReads, productWrites;
  unsigned productRegisters = 0;
  /// The times, by a count of instructions, of the last write of each register
  /// and of its last read by other instructions than products. `productFence`
  /// is the time of the last wgmma.fence.
  std::vector<uint64_t> writeTimes, readTimes;
  uint64_t instructions = 1, productFence = 0;

  //===--------------------------------------------------------------------===//
  // The current instruction
  //===--------------------------------------------------------------------===//

  const Op &getOp() const { return *op; }
  Split &getSplit() { return *current; }
  /// Reports a defect and returns Failed. Adds "in thread 37" if `lane` is
  /// given.
  Outcome fail(const llvm::Twine &text, int lane = -1);
  /// Reports a defect with a note at the other op, if there is one. The defect
  /// may be about a byte of shared memory.
  Outcome fail(const llvm::Twine &text, const Op *other,
               const llvm::Twine &otherText,
               std::optional<uint64_t> sharedByte = std::nullopt);
  /// Reports a defect of an asynchronous operation that the warp has started.
  Outcome failAt(const Op &other, const llvm::Twine &text);
  /// The reason of a wait, evaluated when no agent can continue.
  using Reason = std::function<std::string()>;
  Outcome block(Reason reason) {
    waiting = std::move(reason);
    return Outcome::Blocked;
  }
  Outcome block(const char *reason) {
    return block([reason] { return std::string(reason); });
  }
  /// Blocks until an mbarrier of the CTA changes.
  Outcome sleep(Reason reason);
  /// Sleeps until a round of a barrier is over.
  Outcome sleep(const sim::NamedBarrier &barrier, uint64_t round,
                Reason reason) {
    sleepsAt = &barrier;
    sleepsFor = round;
    return block(std::move(reason));
  }
  /// The instruction and the reason of a warp that cannot continue.
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
  /// Executes a proxy fence for one of the memories, or both.
  void fence(bool isShared, bool isGlobal) {
    if (isShared)
      clocks.fence();
    if (isGlobal)
      clocks.fenceGlobal();
    advance();
  }

  //===--------------------------------------------------------------------===//
  // Operations in flight
  //===--------------------------------------------------------------------===//

  CopyGroups threadCopies[kLanes];
  CopyGroups bulkCopies[kLanes];
  /// The number of products that the warp has issued, and has waited for, in
  /// the warpgroup's queue; and the ends of committed groups.
  uint64_t issuedProducts = 0, seenProducts = 0;
  std::deque<uint64_t> productGroups;
  /// The round of the barrier of the cluster at which it has arrived.
  std::optional<uint64_t> clusterRound;
  /// Registers of a thread (`setmaxnreg`).
  unsigned registers = 0;

private:
  Outcome run(Split &split);
  std::vector<WarpState::Position> getPositions() const;
  // UnwrittenRegisters.cpp
  /// Handles a read of a register that some threads have not written.
  Outcome useUnwritten(Slot slot, Lanes lanes, bool passes);
  /// Marks results as unwritten, after the instruction.
  void noteUnwritten();

  /// Checks whether registers of the instruction need checks at all.
  bool needsChecks(Lanes lanes);
  /// Checks what the instruction reads and writes.
  Outcome checkRegisters(Lanes lanes);
  void branch(Split &split, Lanes taken);
  /// A target and the threads of a split that go there.
  struct Way {
    unsigned target;
    Lanes lanes;
  };
  /// Divides the split: each thread goes one of these ways.
  void part(Split &split, ArrayRef<Way> ways);
  /// IndexedBranch.cpp
  Outcome branchIndexed(Split &split, Lanes taken);
  void leave(Split &split, Lanes lanes);
  /// Removes a split that has arrived at its point of reconvergence, or has no
  /// thread left.
  void settle(Split &split);
  void drop(Split &split);
  /// Merges a split with another one at the same position.
  bool merge(Split &split);

  Cta &cta;
  unsigned number, id;
  const DecodedKernel &kernel;
  std::vector<uint64_t> values;
  /// Filled with a pattern that makes the use of unwritten bytes visible.
  std::vector<uint8_t> local;
  std::vector<Lanes> written;
  /// The origin of an unwritten value: the first instruction that has read an
  /// unwritten register, and that register.
  struct Unwritten {
    const Op *op = nullptr;
    Slot slot = 0;
  };
  std::map<Slot, Unwritten> unwritten;
  Lanes unwrittenResults = 0;
  Unwritten unwrittenOrigin;
  Lanes alive = 0;
  bool isPaused = false;
  std::list<Split> splits;
  const Op *op = nullptr, *waitingOp = nullptr;
  Split *current = nullptr;
  Reason waiting;
  /// The number of mbarrier changes when all threads of the warp last checked
  /// without success.
  std::optional<uint64_t> seenChanges;
  /// The barrier whose round all threads of the warp wait for.
  const sim::NamedBarrier *sleepsAt = nullptr;
  uint64_t sleepsFor = 0;
  sim::Clocks clocks;
  uint32_t moment = 1;
};

} // namespace tessera::emu

#endif // TESSERA_LIB_EMULATOR_MACHINE_WARP_H
