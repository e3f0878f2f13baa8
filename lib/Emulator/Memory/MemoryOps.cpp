//===- MemoryOps.cpp - Loads, stores and atomics ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads, stores and atomics of threads. A load from the own CTA's shared memory
// takes a fast path: one loop checks all addresses and joins neighbours, then
// the access is recorded and the elements are copied. Atomics execute thread by
// thread. Loads that poll (`volatile`, `relaxed`, `acquire`), and atomics that
// change nothing, yield to other agents.
//
//===----------------------------------------------------------------------===//

#include "Atomics.h"
#include "Machine/Decoder.h"
#include "Memory.h"

using namespace tessera::emu;
namespace emu = tessera::emu;
namespace sim = tessera::sim;
using llvm::Error;
using llvm::Expected;
using llvm::Twine;

/// Returns the type of an element: the last part of the name that is a type.
static Expected<Type> getElementType(Decoder &decoder) {
  for (StringRef part : llvm::reverse(decoder.getInstruction().parts))
    if (std::optional<Type> type = parseType(part)) {
      if (*type == Type::B128 || *type == Type::Pred)
        break;
      return *type;
    }
  return decoder.makeError("expected a type of 8 to 64 bits in '" +
                           decoder.getInstruction().name + "'");
}

/// Checks whether an instruction may poll for a value that another agent
/// writes.
static bool polls(const Instruction &instruction) {
  return instruction.has("volatile") || instruction.has("relaxed") ||
         instruction.has("acquire");
}

/// Returns the order of an instruction between CTAs. Other scopes order
/// the threads of a CTA or a cluster only.
static sim::AtomicOrder getOrder(const Instruction &instruction) {
  if (instruction.has("cta") || instruction.has("cluster"))
    return {};
  bool isBoth = instruction.has("acq_rel");
  return {isBoth || instruction.has("acquire"),
          isBoth || instruction.has("release")};
}

/// Maximum bytes of one access (sm_90); elements have one or more bytes.
static constexpr size_t kMaxBytes = 16, kMaxElements = kMaxBytes;

/// Checks that the vector part of the name, "v4", agrees with the operand.
static Error checkVector(Decoder &decoder, size_t elements, Type type) {
  if (elements * getBytes(type) > kMaxBytes)
    return decoder.makeError("'" + decoder.getInstruction().name +
                             "' has more than 16 bytes");
  size_t expected = 1;
  for (StringRef part : decoder.getInstruction().parts)
    if (part == "v2" || part == "v4" || part == "v8")
      expected = part[1] - '0';
  if (expected == elements)
    return Error::success();
  return decoder.makeError("expected " + Twine(expected) + " elements, got " +
                           Twine(elements));
}

namespace {
/// The registers that a load writes, by element.
struct LoadTargets {
  SmallVector<Slot, 4> slots;
  /// Masks of the registers, to which elements are extended.
  SmallVector<uint64_t, 4> masks;
};

using LoadElements = void (*)(Warp &, Lanes, const uint8_t *const *,
                              const LoadTargets &);
using StoreElements = void (*)(Warp &, Lanes, llvm::ArrayRef<Slot>, uint8_t *);
} // namespace

/// Loads elements of type `T` into registers. Each thread has one address in
/// `from`.
template <typename T>
static void loadElements(Warp &warp, Lanes lanes, const uint8_t *const *from,
                         const LoadTargets &targets) {
  uint64_t *to[kMaxElements];
  size_t count = targets.slots.size();
  for (size_t i = 0; i < count; ++i)
    to[i] = warp.at(targets.slots[i]);
  forEachLane(lanes, [&](unsigned lane) {
    for (size_t i = 0; i < count; ++i) {
      T value;
      std::memcpy(&value, *from + i * sizeof(T), sizeof(T));
      to[i][lane] = uint64_t(int64_t(value)) & targets.masks[i];
    }
    ++from;
  });
}

/// Finds the pieces that threads read, if all are in the shared memory of their
/// own CTA. Equal pieces count once, and adjacent pieces are joined.
static bool findInSharedMemory(Warp &warp, Lanes lanes, Space space,
                               Decoder::Place place, uint32_t bytes,
                               llvm::SmallVectorImpl<Piece> &pieces,
                               const uint8_t **from) {
  const uint64_t *bases = warp.at(place.base);
  llvm::ArrayRef<uint8_t> memory =
      warp.getCta().getMemory().read(0, warp.getCta().getSharedBytes());
  for (; lanes; lanes &= lanes - 1) {
    uint64_t address = bases[__builtin_ctz(lanes)] + place.offset;
    if (space == Space::Generic && resolveGeneric(address) != Space::Shared)
      return false;
    if ((address & (bytes - 1)) || address < kFirstSharedByte ||
        address > memory.size() - bytes)
      return false;
    *from++ = memory.data() + address;
    if (!pieces.empty()) {
      Piece &last = pieces.back();
      uint64_t end = last.address + last.bytes;
      if (address + bytes == end)
        continue;
      if (address == end) {
        last.bytes += bytes;
        continue;
      }
    }
    pieces.push_back({address, bytes});
  }
  return true;
}

/// Copies the registers of threads to bytes, thread after thread.
template <typename T>
static void storeElements(Warp &warp, Lanes lanes, llvm::ArrayRef<Slot> sources,
                          uint8_t *bytes) {
  const uint64_t *from[kMaxElements];
  for (size_t i = 0; i < sources.size(); ++i)
    from[i] = warp.at(sources[i]);
  forEachLane(lanes, [&](unsigned lane) {
    for (size_t i = 0; i < sources.size(); ++i) {
      T value = static_cast<T>(from[i][lane]);
      std::memcpy(bytes, &value, sizeof(T));
      bytes += sizeof(T);
    }
  });
}

static LoadElements getLoad(uint32_t element, bool extends) {
  switch (element) {
  case 1:
    return extends ? loadElements<int8_t> : loadElements<uint8_t>;
  case 2:
    return extends ? loadElements<int16_t> : loadElements<uint16_t>;
  case 4:
    return extends ? loadElements<int32_t> : loadElements<uint32_t>;
  default:
    return loadElements<uint64_t>;
  }
}

static StoreElements getStore(uint32_t element) {
  switch (element) {
  case 1:
    return storeElements<uint8_t>;
  case 2:
    return storeElements<uint16_t>;
  case 4:
    return storeElements<uint32_t>;
  default:
    return storeElements<uint64_t>;
  }
}

static Error decodeLoad(Decoder &decoder) {
  if (Error error = decoder.expectOperands(2, 3))
    return error;
  const Instruction &instruction = decoder.getInstruction();
  TESSERA_EMU_TRY(type, getElementType(decoder));
  const Operand &address = decoder.getOperand(1);
  Space space = decoder.isLocal(address) ? Space::Local : getSpace(instruction);
  TESSERA_EMU_TRY(place, decoder.getPlace(address));
  TESSERA_EMU_TRY(targets, decoder.getTargets(decoder.getOperand(0)));
  if (Error error = checkVector(decoder, targets.size(), type))
    return error;
  uint32_t element = getBytes(type), bytes = element * targets.size();
  LoadTargets to{targets, {}};
  for (Slot slot : targets) {
    llvm::ArrayRef<RegisterInfo> registers = decoder.getKernel().registers;
    to.masks.push_back(slot < registers.size() ? getMask(registers[slot].type)
                                               : ~uint64_t(0));
  }
  Op &op = decoder.getOp();
  op.isQuiet = true;
  op.isVisible =
      space != Space::Param && space != Space::Local && !instruction.has("nc");
  Outcome success = polls(instruction) ? Outcome::Yielded : Outcome::Done;
  sim::AtomicOrder order = getOrder(instruction);
  if (order.acquires)
    decoder.noteOrder();
  decoder.getOp().isOrdered = order.acquires;
  LoadElements load = getLoad(element, isSigned(type));
  op.action = [=](Warp &warp, Lanes lanes) {
    const uint8_t *from[kLanes];
    if (space == Space::Shared || space == Space::Generic) {
      SmallVector<Piece, 32> pieces;
      if (findInSharedMemory(warp, lanes, space, place, bytes, pieces, from)) {
        if (Outcome outcome = warp.getCluster().recordShared(
                warp, warp.getCta(), {warp.now()}, pieces);
            outcome != Outcome::Done)
          return outcome;
        load(warp, lanes, from, to);
        return success;
      }
    }
    SmallVector<Located, 32> pieces;
    Outcome outcome =
        locateAll(warp, lanes, space, place.base, place.offset, bytes, pieces);
    if (outcome != Outcome::Done)
      return outcome;
    // An acquiring load does not race with atomic operations.
    Cluster::Kind kind{warp.now(), sim::Proxy::Generic, /*isWrite=*/false,
                       /*isAtomic=*/order.acquires};
    outcome = record(warp, kind, pieces, bytes);
    if (outcome != Outcome::Done)
      return outcome;
    Run &run = warp.getCluster().getRun();
    for (auto [i, piece] : llvm::enumerate(pieces))
      from[i] = piece.getData(run);
    load(warp, lanes, from, to);
    if (order.acquires)
      for (const Located &piece : pieces)
        if (piece.allocation)
          warp.getCluster().synchronize(warp, *piece.allocation, piece.offset,
                                        order, /*changes=*/false);
    return success;
  };
  return Error::success();
}

static Error decodeStore(Decoder &decoder) {
  if (Error error = decoder.expectOperands(2, 3))
    return error;
  const Instruction &instruction = decoder.getInstruction();
  TESSERA_EMU_TRY(type, getElementType(decoder));
  const Operand &address = decoder.getOperand(0);
  Space space = decoder.isLocal(address) ? Space::Local : getSpace(instruction);
  if (instruction.has("async"))
    return decoder.makeError("unknown instruction '" + instruction.name + "'");
  TESSERA_EMU_TRY(place, decoder.getPlace(address));
  TESSERA_EMU_TRY(sources, decoder.getSources(decoder.getOperand(1), type));
  if (Error error = checkVector(decoder, sources.size(), type))
    return error;
  uint32_t element = getBytes(type), bytes = element * sources.size();
  Op &op = decoder.getOp();
  op.isVisible = space != Space::Local;
  op.isQuiet = true;
  StoreElements store = getStore(element);
  op.action = [=](Warp &warp, Lanes lanes) {
    SmallVector<Located, 32> pieces;
    Outcome outcome =
        locateAll(warp, lanes, space, place.base, place.offset, bytes, pieces);
    if (outcome != Outcome::Done)
      return outcome;
    uint8_t values[kLanes * kMaxBytes];
    store(warp, lanes, sources, values);
    return writeAll(warp, pieces, bytes, {values, pieces.size() * bytes});
  };
  return Error::success();
}

/// Decodes atom and red: threads execute in ascending order.
static Error decodeAtomic(Decoder &decoder) {
  const Instruction &instruction = decoder.getInstruction();
  bool hasResult = instruction.getRoot() == "atom";
  if (Error error = decoder.expectOperands(2, 5))
    return error;
  if (instruction.has("async"))
    return decoder.makeError("unknown instruction '" + instruction.name + "'");
  TESSERA_EMU_TRY(type, getElementType(decoder));
  std::optional<AtomicOperation> operation;
  for (StringRef part : instruction.parts)
    if (!operation)
      operation = getAtomicOperation(part, type);
  if (!operation)
    return decoder.makeError("unknown instruction '" + instruction.name + "'");
  unsigned next = 0;
  SmallVector<Slot, 4> targets;
  if (hasResult) {
    TESSERA_EMU_TRY(slots, decoder.getTargets(decoder.getOperand(next++)));
    targets = slots;
  }
  TESSERA_EMU_TRY(place, decoder.getPlace(decoder.getOperand(next++)));
  bool isSwap = operation->kind == AtomicOperation::CompareAndSwap;
  if (instruction.operands.size() < next + 1 + isSwap)
    return decoder.makeError("expected another operand");
  TESSERA_EMU_TRY(sources,
                  decoder.getSources(decoder.getOperand(next++), type));
  SmallVector<Slot, 4> swaps;
  if (isSwap) {
    TESSERA_EMU_TRY(slots,
                    decoder.getSources(decoder.getOperand(next++), type));
    swaps = slots;
  }
  if (Error error = checkVector(decoder, sources.size(), type))
    return error;
  if (hasResult)
    if (Error error = checkVector(decoder, targets.size(), type))
      return error;
  if (isSwap)
    if (Error error = checkVector(decoder, swaps.size(), type))
      return error;
  uint32_t element = getBytes(type), bytes = element * sources.size();
  Space space = getSpace(instruction);
  sim::AtomicOrder order = getOrder(instruction);
  bool isOrdered = order.acquires || order.releases;
  if (isOrdered)
    decoder.noteOrder();
  Op &op = decoder.getOp();
  op.isVisible = op.isQuiet = true;
  op.isOrdered = isOrdered;
  op.action = [=, operation = *operation](Warp &warp, Lanes lanes) {
    SmallVector<Located, 32> pieces;
    Outcome outcome =
        locateAll(warp, lanes, space, place.base, place.offset, bytes, pieces);
    if (outcome != Outcome::Done)
      return outcome;
    Cluster::Kind kind{warp.now(), sim::Proxy::Generic, /*isWrite=*/true,
                       /*isAtomic=*/true};
    outcome = record(warp, kind, pieces, bytes);
    if (outcome != Outcome::Done)
      return outcome;
    const Located *piece = pieces.begin();
    bool changes = false;
    // Of each piece.
    SmallVector<bool, 32> changed;
    forEachLane(lanes, [&](unsigned lane) {
      uint8_t buffer[16];
      changed.push_back(false);
      piece->read(warp.getCluster().getRun(), {buffer, bytes});
      for (size_t i = 0; i < sources.size(); ++i) {
        uint64_t old = 0;
        std::memcpy(&old, buffer + i * element, element);
        uint64_t value = operation.apply(old, warp.at(sources[i])[lane],
                                         isSwap ? warp.at(swaps[i])[lane] : 0,
                                         piece->allocation);
        std::memcpy(buffer + i * element, &value, element);
        changed.back() |= value != old;
        if (!targets.empty())
          warp.at(targets[i])[lane] = old;
      }
      changes |= changed.back();
      (piece++)->write({buffer, bytes});
    });
    if (isOrdered)
      for (auto [each, changes] : llvm::zip_equal(pieces, changed))
        if (each.allocation)
          warp.getCluster().synchronize(warp, *each.allocation, each.offset,
                                        order, changes);
    // Shared memory is compared as a part of the state (Recurrence.cpp).
    for (const Located &each : pieces)
      warp.getCluster().getRun().changes += changes && !each.cta;
    // The thread of a lock that was not free tries again.
    return changes || !hasResult ? Outcome::Done : Outcome::Yielded;
  };
  return Error::success();
}

/// Decodes hints, which change no memory.
static Error decodeHint(Decoder &decoder) {
  decoder.getOp().action = [](Warp &, Lanes) { return Outcome::Done; };
  return Error::success();
}

void emu::addMemoryOps(DecodeTable &table) {
  table["ld"] = table["ldu"] = decodeLoad;
  table["st"] = decodeStore;
  table["atom"] = table["red"] = decodeAtomic;
  table["prefetch"] = table["prefetchu"] = table["applypriority"] = decodeHint;
}
