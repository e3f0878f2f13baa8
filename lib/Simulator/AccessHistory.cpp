//===- AccessHistory.cpp - History of accesses to a memory ----------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Problem: decide for each access whether it is ordered after all conflicting
// accesses to the same places.
//
// Method: dynamic race detection by happened-before with shadow memory, as in
// FastTrack. The history of a place is its last write and the later reads and
// atomic writes; vector clocks decide the order. Places with equal histories
// share a *state*. An access is judged once for each state that it meets, and
// moves its places of that state to a successor state.
//
// Invariant: between calls, `Transition::places` is the number of places in a
// state, and every state without places, except state 0, is free.
//
//===----------------------------------------------------------------------===//

#include "tessera/Simulator/AccessHistory.h"

#include "llvm/ADT/STLExtras.h"

#include <array>

using namespace tessera;
using namespace tessera::sim;

//===----------------------------------------------------------------------===//
// Shadow
//===----------------------------------------------------------------------===//

namespace {

/// The history of places. Places with the same history share a state, so an
/// access is judged once for each state instead of once for each place.
struct State {
  /// The last non-atomic write.
  Access write;
  /// Reads and atomic writes since.
  SmallVector<Access, 1> since;
};

/// The part of a state that is read for each place.
struct Transition {
  /// The last call that met the state, and the successor state in that call.
  uint64_t call = 0;
  uint32_t next = 0;
  /// Number of places in the state.
  int64_t places = 0;
};

/// Checks whether `access` is ordered after a write.
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

/// Checks whether `access` is ordered after all conflicting accesses of
/// `state`.
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
      // A read is complete once it is known to have happened: no fence is
      // needed, whatever the proxies are.
      return Conflict{Conflict::Race, 0, other};
    }
  }
  return std::nullopt;
}

} // namespace

/// Shadow memory in granules of neighbouring places, which ops mostly access
/// together. A granule with all places in one state stores the state once;
/// other granules store one state per place.
class AccessHistory::Shadow {
public:
  Shadow(int64_t places, Rules rules)
      : rules(rules), states(1), transitions(1),
        granules((places + kGranule - 1) / kGranule, 0) {
    transitions[0].places = places;
  }

  /// Records the access for [place, place + count).
  void record(const Access &access, const Clocks &clocks, int64_t place,
              int64_t count, std::optional<Conflict> &first) {
    moveAll(place, place + count, [&](uint32_t id, int64_t where) {
      if (transitions[id].call != call)
        transit(id, access, clocks, where, first);
      return transitions[id].next;
    });
  }
  void forget(int64_t place, int64_t count);

  void beginCall() {
    ++call;
    written = 0;
  }
  void endCall();

private:
  static constexpr int64_t kGranule = 4;
  /// Marks a granule with one state per place.
  static constexpr uint32_t kSplit = uint32_t(1) << 31;
  using Split = std::array<uint32_t, kGranule>;

  template <typename Move>
  void moveAll(int64_t place, int64_t end, const Move &move);
  template <typename Move>
  void movePart(uint32_t &granule, int64_t place, int64_t count,
                const Move &move);
  void count(uint32_t from, uint32_t to, int64_t places) {
    transitions[from].places -= places;
    transitions[to].places += places;
  }
  void transit(uint32_t id, const Access &access, const Clocks &clocks,
               int64_t place, std::optional<Conflict> &first);
  uint32_t makeState();
  uint32_t makeWritten(const Access &access);
  uint32_t makeTouched(uint32_t id, const Access &access, const Clocks &clocks);

  Rules rules;
  /// State 0 is that of untouched places.
  std::vector<State> states;
  std::vector<Transition> transitions;
  SmallVector<uint32_t> free;
  /// The state of all places of a granule, or kSplit and the index in `splits`.
  std::vector<uint32_t> granules;
  std::vector<Split> splits;
  SmallVector<uint32_t> freeSplits;

  uint64_t call = 0;
  /// States met in this call.
  SmallVector<uint32_t> met;
  /// The state of all places that this call has written, or 0.
  uint32_t written = 0;
};

/// Sets the states of places of one granule to `move(state, place)`.
template <typename Move>
void AccessHistory::Shadow::movePart(uint32_t &granule, int64_t place,
                                     int64_t count, const Move &move) {
  int64_t begin = place % kGranule;
  if (!(granule & kSplit)) {
    uint32_t id = granule, next = move(id, place);
    if (next == id)
      return;
    this->count(id, next, count);
    if (count == kGranule) {
      granule = next;
      return;
    }
    if (freeSplits.empty()) {
      freeSplits.push_back(splits.size());
      splits.emplace_back();
    }
    uint32_t index = freeSplits.pop_back_val();
    splits[index].fill(id);
    std::fill_n(splits[index].begin() + begin, count, next);
    granule = kSplit | index;
    return;
  }
  Split &split = splits[granule & ~kSplit];
  bool hasChanged = false;
  for (int64_t i = begin, end = begin + count; i < end;) {
    uint32_t id = split[i];
    int64_t runEnd = i + 1;
    while (runEnd < end && split[runEnd] == id)
      ++runEnd;
    uint32_t next = move(id, place + (i - begin));
    if (next != id) {
      this->count(id, next, runEnd - i);
      std::fill(split.begin() + i, split.begin() + runEnd, next);
      hasChanged = true;
    }
    i = runEnd;
  }
  auto isOther = [&](uint32_t id) { return id != split.front(); };
  if (!hasChanged || isOther(split.back()) || llvm::any_of(split, isOther))
    return;
  freeSplits.push_back(granule & ~kSplit);
  granule = split.front();
}

/// Sets the states of all places in [place, end) to `move(state, place)`.
template <typename Move>
void AccessHistory::Shadow::moveAll(int64_t place, int64_t end,
                                    const Move &move) {
  while (place < end) {
    uint32_t *granule = &granules[place / kGranule];
    if (end - place == kGranule && place % kGranule == 0 &&
        !(*granule & kSplit)) {
      uint32_t id = *granule, next = move(id, place);
      if (next != id) {
        *granule = next;
        count(id, next, kGranule);
      }
      return;
    }
    int64_t whole = (end - place) / kGranule;
    if (place % kGranule != 0 || whole == 0 || *granule & kSplit) {
      int64_t count = std::min(end - place, kGranule - place % kGranule);
      movePart(*granule, place, count, move);
      place += count;
      continue;
    }
    uint32_t id = *granule, next = move(id, place), *last = granule + whole;
    uint32_t *runEnd = std::find_if(
        granule, last, [&](uint32_t other) { return other != id; });
    if (next != id) {
      std::fill(granule, runEnd, next);
      count(id, next, (runEnd - granule) * kGranule);
    }
    place += (runEnd - granule) * kGranule;
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
    if (transitions[old].call == call)
      continue;
    transitions[old].call = call;
    transitions[old].next = next;
    met.push_back(old);
  }
}

uint32_t AccessHistory::Shadow::makeState() {
  if (free.empty()) {
    states.emplace_back();
    transitions.emplace_back();
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
  // An agent that knows a step of a warp also knows everything that the warp
  // knew then. Accesses known to the warp are therefore dropped if later
  // accesses would be judged alike by them. This does not hold for an
  // asynchronous operation: a warp that has waited for an MMA does not know
  // earlier steps of the other warps that issued the MMA.
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
    if (id == 0 || transitions[id].places != 0)
      continue;
    states[id] = State();
    transitions[id] = Transition();
    free.push_back(id);
  }
  met.clear();
}

void AccessHistory::Shadow::forget(int64_t place, int64_t count) {
  beginCall();
  moveAll(place, place + count, [&](uint32_t id, int64_t) {
    if (transitions[id].call != call)
      met.push_back(id);
    transitions[id].call = call;
    return uint32_t(0);
  });
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
    // Merge adjacent pieces.
    for (++i; i < starts.size() && starts[i] == end; ++i)
      end += count;
    if (begin >= 0 && begin <= end && end <= size) {
      shadow->record(access, clocks, begin, end - begin, first);
      continue;
    }
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
