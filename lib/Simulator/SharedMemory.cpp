//===- SharedMemory.cpp - The shared memory of one CTA --------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Simulator/SharedMemory.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>

using namespace tessera;
using namespace tessera::sim;

//===----------------------------------------------------------------------===//
// Shadow
//===----------------------------------------------------------------------===//

namespace {

/// What is known of a byte. Bytes with the same history share a state, so that
/// judging an access costs one judgement for each state, not for each byte.
struct State {
  Access write;
  SmallVector<Access, 1> reads;
  /// Bytes in this state.
  int64_t bytes = 0;
  /// The last call that met this state, and what it became in it.
  uint64_t call = 0;
  uint32_t next = 0;
  bool isConflict = false;
};

/// What an access must be ordered behind, and is not.
std::optional<Conflict> judge(const State &state, const Access &access,
                              const Clocks &clocks) {
  const Access &write = state.write;
  if (write.when.kind == Moment::None) {
    if (!access.isWrite)
      return Conflict{Conflict::Unwritten, 0, {}};
  } else if (write.when != access.when) {
    if (!clocks.seen.knows(write.when))
      return Conflict{Conflict::Race, 0, write};
    bool crosses =
        access.proxy == Proxy::Async && write.proxy == Proxy::Generic;
    if (crosses && !clocks.fenced.knows(write.when))
      return Conflict{Conflict::MissingFence, 0, write};
  }
  if (!access.isWrite)
    return std::nullopt;
  // A read has its value once it is known to have happened: no fence is asked
  // for, whatever the proxies are.
  for (const Access &read : state.reads)
    if (read.when != access.when && !clocks.seen.knows(read.when))
      return Conflict{Conflict::Race, 0, read};
  return std::nullopt;
}

} // namespace

class SharedMemory::Shadow {
public:
  explicit Shadow(int64_t bytes) : states(1), ids(bytes, 0) {
    states[0].bytes = bytes;
  }

  /// Records the access for [byte, byte + count).
  void record(const Access &access, const Clocks &clocks, int64_t byte,
              int64_t count, std::optional<Conflict> &first);
  void poison(int64_t byte, int64_t count);

  void beginCall() {
    ++call;
    written = 0;
  }
  void endCall();

private:
  int64_t findRunEnd(int64_t byte, int64_t end) const;
  void transit(uint32_t id, const Access &access, const Clocks &clocks,
               int64_t byte, std::optional<Conflict> &first);
  uint32_t makeState();
  uint32_t makeWritten(const Access &access);
  uint32_t makeRead(uint32_t id, const Access &access, const Clocks &clocks);

  /// State 0 is that of bytes nobody has touched.
  std::vector<State> states;
  SmallVector<uint32_t> free;
  /// The state of each byte.
  std::vector<uint32_t> ids;

  uint64_t call = 0;
  /// States met in this call.
  SmallVector<uint32_t> met;
  /// The state of all that this call has written, or 0.
  uint32_t written = 0;
};

int64_t SharedMemory::Shadow::findRunEnd(int64_t byte, int64_t end) const {
  const uint32_t *data = ids.data();
  uint32_t id = data[byte];
  constexpr int64_t kBlock = 16;
  // Whole blocks first, without an exit inside, so that they are vectorised.
  while (byte + kBlock <= end) {
    uint32_t difference = 0;
    for (int64_t i = 0; i < kBlock; ++i)
      difference |= data[byte + i] ^ id;
    if (difference)
      break;
    byte += kBlock;
  }
  while (byte < end && data[byte] == id)
    ++byte;
  return byte;
}

void SharedMemory::Shadow::record(const Access &access, const Clocks &clocks,
                                  int64_t byte, int64_t count,
                                  std::optional<Conflict> &first) {
  for (int64_t end = byte + count; byte < end;) {
    int64_t runEnd = findRunEnd(byte, end);
    uint32_t id = ids[byte];
    if (states[id].call != call)
      transit(id, access, clocks, byte, first);
    uint32_t next = states[id].next;
    if (next != id) {
      std::fill(ids.begin() + byte, ids.begin() + runEnd, next);
      states[id].bytes -= runEnd - byte;
      states[next].bytes += runEnd - byte;
    }
    byte = runEnd;
  }
}

void SharedMemory::Shadow::transit(uint32_t id, const Access &access,
                                   const Clocks &clocks, int64_t byte,
                                   std::optional<Conflict> &first) {
  if (!first) {
    first = judge(states[id], access, clocks);
    if (first)
      first->byte = byte;
  }
  uint32_t next =
      access.isWrite ? makeWritten(access) : makeRead(id, access, clocks);
  for (uint32_t old : {id, next}) {
    if (states[old].call == call)
      continue;
    states[old].call = call;
    states[old].next = next;
    met.push_back(old);
  }
}

uint32_t SharedMemory::Shadow::makeState() {
  if (free.empty()) {
    states.emplace_back();
    return states.size() - 1;
  }
  return free.pop_back_val();
}

uint32_t SharedMemory::Shadow::makeWritten(const Access &access) {
  if (written == 0) {
    written = makeState();
    states[written].write = access;
  }
  return written;
}

uint32_t SharedMemory::Shadow::makeRead(uint32_t id, const Access &access,
                                        const Clocks &clocks) {
  if (llvm::any_of(states[id].reads, [&](const Access &read) {
        return read.when == access.when;
      }))
    return id;
  uint32_t next = makeState();
  State &from = states[id], &to = states[next];
  to.write = from.write;
  // Whoever knows a step of a warp knows all that the warp knew then, so that
  // reads which the warp knows need not be kept. An asynchronous operation is
  // known by its number alone: a warp that has waited for a product knows
  // nothing of what the other warps that issued it have done before.
  bool isStep = access.when.kind == Moment::Step;
  for (const Access &read : from.reads)
    if (!isStep || !clocks.seen.knows(read.when))
      to.reads.push_back(read);
  to.reads.push_back(access);
  return next;
}

void SharedMemory::Shadow::endCall() {
  for (uint32_t id : met) {
    if (id == 0 || states[id].bytes != 0)
      continue;
    states[id] = State();
    free.push_back(id);
  }
  met.clear();
}

void SharedMemory::Shadow::poison(int64_t byte, int64_t count) {
  beginCall();
  for (int64_t end = byte + count; byte < end;) {
    int64_t runEnd = findRunEnd(byte, end);
    uint32_t id = ids[byte];
    std::fill(ids.begin() + byte, ids.begin() + runEnd, 0);
    states[id].bytes -= runEnd - byte;
    states[0].bytes += runEnd - byte;
    if (states[id].call != call)
      met.push_back(id);
    states[id].call = call;
    byte = runEnd;
  }
  endCall();
}

//===----------------------------------------------------------------------===//
// SharedMemory
//===----------------------------------------------------------------------===//

SharedMemory::SharedMemory(int64_t bytes)
    : contents(bytes, 0), shadow(std::make_unique<Shadow>(bytes)) {}
SharedMemory::~SharedMemory() = default;
SharedMemory::SharedMemory(SharedMemory &&) = default;

std::optional<Conflict> SharedMemory::record(const Access &access,
                                             const Clocks &clocks,
                                             ArrayRef<int64_t> starts,
                                             int64_t count) {
  std::optional<Conflict> first;
  shadow->beginCall();
  for (size_t i = 0; i < starts.size();) {
    int64_t begin = starts[i], end = begin + count;
    // Pieces that follow each other are one.
    for (++i; i < starts.size() && starts[i] == end; ++i)
      end += count;
    int64_t start = std::clamp<int64_t>(begin, 0, getSize());
    int64_t last = std::clamp<int64_t>(end, start, getSize());
    shadow->record(access, clocks, start, last - start, first);
    if (!first && (begin < 0 || end > getSize()))
      first = Conflict{Conflict::OutOfBounds,
                       begin < 0 ? begin : std::max(begin, getSize()),
                       {}};
  }
  shadow->endCall();
  return first;
}

ArrayRef<uint8_t> SharedMemory::read(int64_t byte, int64_t count) const {
  return ArrayRef(contents).slice(byte, count);
}

void SharedMemory::write(int64_t byte, ArrayRef<uint8_t> bytes) {
  std::memcpy(contents.data() + byte, bytes.data(), bytes.size());
}

void SharedMemory::poison(int64_t byte, int64_t count) {
  shadow->poison(byte, count);
}
