//===- AccessHistory.cpp - Who has touched memory, and when ---------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Simulator/AccessHistory.h"

#include "llvm/ADT/STLExtras.h"

using namespace tessera;
using namespace tessera::sim;

//===----------------------------------------------------------------------===//
// Shadow
//===----------------------------------------------------------------------===//

namespace {

/// What is known of a place. Places with the same history share a state, so
/// that judging an access costs one judgement for each state, not for each
/// place.
struct State {
  /// The last write that is not atomic.
  Access write;
  /// Reads and atomic writes since.
  SmallVector<Access, 1> since;
  /// Places in this state.
  int64_t places = 0;
  /// The last call that met this state, and what it became in it.
  uint64_t call = 0;
  uint32_t next = 0;
};

/// How `access` is ordered after a write.
std::optional<Conflict> judgeAfterWrite(const Access &write,
                                        const Access &access,
                                        const Clocks &clocks,
                                        const AccessHistory::Rules &rules) {
  if (!clocks.seen.knows(write.when))
    return Conflict{Conflict::Race, 0, write};
  bool crosses = access.proxy == Proxy::Async && write.proxy == Proxy::Generic;
  const Clock &fenced = rules.isGlobal ? clocks.fencedGlobal : clocks.fenced;
  if (crosses && !(rules.hasFences && fenced.knows(write.when)))
    return Conflict{Conflict::MissingFence, 0, write};
  return std::nullopt;
}

/// What an access must be ordered after, and is not.
std::optional<Conflict> judge(const State &state, const Access &access,
                              const Clocks &clocks,
                              const AccessHistory::Rules &rules) {
  bool isWritten = state.write.when.kind != Moment::None;
  if (!isWritten && !access.isWrite && !rules.startsWritten)
    return Conflict{Conflict::Unwritten, 0, {}};
  if (isWritten && state.write.when != access.when)
    if (auto conflict = judgeAfterWrite(state.write, access, clocks, rules))
      return conflict;
  for (const Access &other : state.since) {
    if (other.when == access.when)
      continue;
    if (other.isWrite) {
      if (access.isAtomic)
        continue;
      if (auto conflict = judgeAfterWrite(other, access, clocks, rules))
        return conflict;
    } else if (access.isWrite && !clocks.seen.knows(other.when)) {
      // A read has its value once it is known to have happened: no fence is
      // asked for, whatever the proxies are.
      return Conflict{Conflict::Race, 0, other};
    }
  }
  return std::nullopt;
}

} // namespace

class AccessHistory::Shadow {
public:
  Shadow(int64_t places, Rules rules)
      : rules(rules), states(1), ids(places, 0) {
    states[0].places = places;
  }

  /// Records the access for [place, place + count).
  void record(const Access &access, const Clocks &clocks, int64_t place,
              int64_t count, std::optional<Conflict> &first);
  void forget(int64_t place, int64_t count);

  void beginCall() {
    ++call;
    written = 0;
  }
  void endCall();

private:
  int64_t findRunEnd(int64_t place, int64_t end) const;
  void transit(uint32_t id, const Access &access, const Clocks &clocks,
               int64_t place, std::optional<Conflict> &first);
  uint32_t makeState();
  uint32_t makeWritten(const Access &access);
  uint32_t makeTouched(uint32_t id, const Access &access, const Clocks &clocks);

  Rules rules;
  /// State 0 is that of places nobody has touched.
  std::vector<State> states;
  SmallVector<uint32_t> free;
  /// The state of each place.
  std::vector<uint32_t> ids;

  uint64_t call = 0;
  /// States met in this call.
  SmallVector<uint32_t> met;
  /// The state of all that this call has written, or 0.
  uint32_t written = 0;
};

int64_t AccessHistory::Shadow::findRunEnd(int64_t place, int64_t end) const {
  const uint32_t *data = ids.data();
  uint32_t id = data[place];
  constexpr int64_t kBlock = 16;
  // Whole blocks first, without an exit inside, so that they are vectorised.
  while (place + kBlock <= end) {
    uint32_t difference = 0;
    for (int64_t i = 0; i < kBlock; ++i)
      difference |= data[place + i] ^ id;
    if (difference)
      break;
    place += kBlock;
  }
  while (place < end && data[place] == id)
    ++place;
  return place;
}

void AccessHistory::Shadow::record(const Access &access, const Clocks &clocks,
                                   int64_t place, int64_t count,
                                   std::optional<Conflict> &first) {
  for (int64_t end = place + count; place < end;) {
    int64_t runEnd = findRunEnd(place, end);
    uint32_t id = ids[place];
    if (states[id].call != call)
      transit(id, access, clocks, place, first);
    uint32_t next = states[id].next;
    if (next != id) {
      std::fill(ids.begin() + place, ids.begin() + runEnd, next);
      states[id].places -= runEnd - place;
      states[next].places += runEnd - place;
    }
    place = runEnd;
  }
}

void AccessHistory::Shadow::transit(uint32_t id, const Access &access,
                                    const Clocks &clocks, int64_t place,
                                    std::optional<Conflict> &first) {
  if (!first) {
    first = judge(states[id], access, clocks, rules);
    if (first)
      first->place = place;
  }
  uint32_t next = access.isWrite && !access.isAtomic
                      ? makeWritten(access)
                      : makeTouched(id, access, clocks);
  for (uint32_t old : {id, next}) {
    if (states[old].call == call)
      continue;
    states[old].call = call;
    states[old].next = next;
    met.push_back(old);
  }
}

uint32_t AccessHistory::Shadow::makeState() {
  if (free.empty()) {
    states.emplace_back();
    return states.size() - 1;
  }
  return free.pop_back_val();
}

uint32_t AccessHistory::Shadow::makeWritten(const Access &access) {
  if (written == 0) {
    written = makeState();
    states[written].write = access;
  }
  return written;
}

uint32_t AccessHistory::Shadow::makeTouched(uint32_t id, const Access &access,
                                            const Clocks &clocks) {
  if (llvm::any_of(states[id].since, [&](const Access &other) {
        return other.when == access.when && other.isWrite == access.isWrite;
      }))
    return id;
  uint32_t next = makeState();
  State &from = states[id], &to = states[next];
  to.write = from.write;
  // Whoever knows a step of a warp knows all that the warp knew then, so that
  // accesses which the warp knows need not be kept, if later ones would be
  // judged by them alike. An asynchronous operation is known by its number
  // alone: a warp that has waited for a product knows nothing of what the other
  // warps that issued it have done before.
  bool isStep = access.when.kind == Moment::Step;
  for (const Access &other : from.since) {
    bool isAlike = other.isWrite == access.isWrite &&
                   (!other.isWrite || other.proxy == access.proxy);
    if (!isStep || !isAlike || !clocks.seen.knows(other.when))
      to.since.push_back(other);
  }
  to.since.push_back(access);
  return next;
}

void AccessHistory::Shadow::endCall() {
  for (uint32_t id : met) {
    if (id == 0 || states[id].places != 0)
      continue;
    states[id] = State();
    free.push_back(id);
  }
  met.clear();
}

void AccessHistory::Shadow::forget(int64_t place, int64_t count) {
  beginCall();
  for (int64_t end = place + count; place < end;) {
    int64_t runEnd = findRunEnd(place, end);
    uint32_t id = ids[place];
    std::fill(ids.begin() + place, ids.begin() + runEnd, 0);
    states[id].places -= runEnd - place;
    states[0].places += runEnd - place;
    if (states[id].call != call)
      met.push_back(id);
    states[id].call = call;
    place = runEnd;
  }
  endCall();
}

//===----------------------------------------------------------------------===//
// AccessHistory
//===----------------------------------------------------------------------===//

AccessHistory::AccessHistory(int64_t places, Rules rules)
    : size(places), shadow(std::make_unique<Shadow>(places, rules)) {}
AccessHistory::~AccessHistory() = default;
AccessHistory::AccessHistory(AccessHistory &&) = default;

std::optional<Conflict> AccessHistory::record(const Access &access,
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
    int64_t start = std::clamp<int64_t>(begin, 0, size);
    int64_t last = std::clamp<int64_t>(end, start, size);
    shadow->record(access, clocks, start, last - start, first);
    if (!first && (begin < 0 || end > size))
      first = Conflict{
          Conflict::OutOfBounds, begin < 0 ? begin : std::max(begin, size), {}};
  }
  shadow->endCall();
  return first;
}

void AccessHistory::forget(int64_t place, int64_t count) {
  shadow->forget(place, count);
}
