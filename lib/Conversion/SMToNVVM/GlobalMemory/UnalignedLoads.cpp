//===- UnalignedLoads.cpp - Unaligned vector loads --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads each unaligned vector as two aligned chunks, and extracts it by funnel
// shifts (FunnelShift.h). Vectors whose chunks reach beyond the row (torn
// vectors) are loaded element by element.
//
// Invariant: only bytes between the start and the limit of a row are read. All
// loads of a thread are issued before the first use.
//
//===----------------------------------------------------------------------===//

#include "UnalignedLoads.h"
#include "ChunkAlignment.h"
#include "FunnelShift.h"
#include "VectorAccess.h"

#include "tessera/Dialect/SM/IR/GlobalVectors.h"

using namespace tessera;
using namespace tessera::sm;

static int64_t getBytes(const GlobalAccess &access) {
  return access.getVectorWidth() * access.getElementBytes();
}

bool sm::canShiftLoads(const GlobalAccess &access) {
  return isLoadedByChunks(access.getRegisters(), access.getVectorWidth(),
                          access.getElementBytes());
}

static Value emitNot(OpBuilder &builder, Location loc, Value a) {
  return LLVM::XOrOp::create(
      builder, loc, a,
      LLVM::ConstantOp::create(builder, loc, builder.getI1Type(),
                               builder.getBoolAttr(true)));
}

namespace {
/// Loads a tile as words: the words of the first vector, then of the next.
class VectorLoads {
public:
  VectorLoads(OpBuilder &builder, Location loc, GlobalAccess &access,
              Type element, Value fill, bool invariant);

  /// Returns by vector whether its first element is valid, an i1; null for
  /// always.
  SmallVector<Value> getValid() const;
  /// Emits by vector whether it is torn: it has valid elements, and its chunks
  /// reach beyond the row.
  SmallVector<Value> emitTorn(OpBuilder &builder);
  SmallVector<Value> emitWhole(OpBuilder &builder, ArrayRef<Value> torn);

  /// Loads vectors where `isLoaded`; the others become fills.
  SmallVector<Value> loadVectors(OpBuilder &builder, ArrayRef<Value> isLoaded);
  SmallVector<Value> loadShifted(OpBuilder &builder, ArrayRef<Value> isLoaded);
  /// Replaces torn vectors in `words`.
  SmallVector<Value> loadTorn(OpBuilder &builder, ArrayRef<Value> words,
                              ArrayRef<Value> torn);

  SmallVector<Value> unpack(OpBuilder &builder, ArrayRef<Value> words);

private:
  struct Vector {
    int64_t reg;
    ChunkPlace place;
    Value isFirstValid, isLastValid; // i1, or null if always
  };
  int64_t countWords() const { return chunk / 4; }
  SmallVector<Value> load(OpBuilder &builder, Type element, Value pointer,
                          int64_t count, Value predicate, Value fill) {
    return emitGlobalLoad(builder, loc, element, pointer, count, predicate,
                          fill, invariant);
  }
  Value emitIsTorn(OpBuilder &builder, const Vector &vector);
  SmallVector<Value> loadElements(OpBuilder &builder, const Vector &vector);

  Location loc;
  GlobalAccess &access;
  int64_t width, chunk;
  Type element;
  bool invariant;
  /// A fill value, and a word of fill values.
  Value fill, fills;
  SmallVector<Vector> vectors;
};
} // namespace

using EmitValues = llvm::function_ref<SmallVector<Value>(OpBuilder &)>;

static SmallVector<Value> emitIf(OpBuilder &builder, Location loc,
                                 Value condition, EmitValues emitThen,
                                 EmitValues emitElse) {
  auto arm = [](EmitValues emit) {
    return [emit](OpBuilder &nested, Location nestedLoc) {
      scf::YieldOp::create(nested, nestedLoc, emit(nested));
    };
  };
  auto branch =
      scf::IfOp::create(builder, loc, condition, arm(emitThen), arm(emitElse));
  return llvm::to_vector_of<Value>(branch.getResults());
}

VectorLoads::VectorLoads(OpBuilder &builder, Location loc, GlobalAccess &access,
                         Type element, Value fill, bool invariant)
    : loc(loc), access(access), width(access.getVectorWidth()),
      chunk(getBytes(access)), element(element), invariant(invariant),
      fill(fill),
      fills(packWords(builder, loc, SmallVector<Value>(width, fill)).front()) {
  for (auto [i, place] :
       llvm::enumerate(emitChunkPlaces(builder, loc, access))) {
    int64_t reg = i * width;
    vectors.push_back({reg, place, access.emitIsValid(builder, loc, reg),
                       access.emitIsValid(builder, loc, reg + width - 1)});
  }
}

Value VectorLoads::emitIsTorn(OpBuilder &builder, const Vector &vector) {
  Value skipped = LLVM::LShrOp::create(
      builder, loc, vector.place.shift,
      emitI32(builder, loc, llvm::Log2_64(access.getElementBytes())));
  Value isTorn =
      emitNot(builder, loc,
              access.emitIsInRow(builder, loc, vector.reg, skipped, 2 * width));
  if (!vector.isFirstValid)
    return isTorn;
  // A vector may begin before a shorter row and end after it. Then its first
  // and last elements are invalid, but elements between them are valid.
  Value isAnyValid = access.emitIsRowShorter(builder, loc, width);
  for (Value isValid : {vector.isFirstValid, vector.isLastValid})
    isAnyValid = LLVM::OrOp::create(builder, loc, isAnyValid, isValid);
  return emitAnd(builder, loc, isTorn, isAnyValid);
}

SmallVector<Value> VectorLoads::getValid() const {
  return llvm::map_to_vector(
      vectors, [](const Vector &vector) { return vector.isFirstValid; });
}

SmallVector<Value> VectorLoads::emitTorn(OpBuilder &builder) {
  return llvm::map_to_vector(vectors, [&](const Vector &vector) {
    return emitIsTorn(builder, vector);
  });
}

SmallVector<Value> VectorLoads::emitWhole(OpBuilder &builder,
                                          ArrayRef<Value> torn) {
  SmallVector<Value> whole;
  for (auto [vector, isTorn] : llvm::zip_equal(vectors, torn))
    whole.push_back(emitAnd(builder, loc, vector.isFirstValid,
                            emitNot(builder, loc, isTorn)));
  return whole;
}

SmallVector<Value> VectorLoads::loadElements(OpBuilder &builder,
                                             const Vector &vector) {
  SmallVector<Value> elements;
  for (int64_t r = vector.reg; r < vector.reg + width; ++r)
    llvm::append_range(
        elements, load(builder, element, access.emitPointer(builder, loc, r), 1,
                       access.emitIsValid(builder, loc, r), fill));
  return packWords(builder, loc, elements);
}

SmallVector<Value> VectorLoads::loadTorn(OpBuilder &builder,
                                         ArrayRef<Value> words,
                                         ArrayRef<Value> torn) {
  Value isAny = torn.front();
  for (Value isTorn : torn.drop_front())
    isAny = LLVM::OrOp::create(builder, loc, isAny, isTorn);
  // A branch for each vector. Together, the elements of all vectors would take
  // registers that the kernel needs for nothing else.
  auto loadEach = [&](OpBuilder &in) {
    SmallVector<Value> all;
    for (size_t i = 0; i < vectors.size(); ++i) {
      ArrayRef<Value> own = words.slice(i * countWords(), countWords());
      access.startBranch();
      llvm::append_range(
          all, emitIf(
                   in, loc, torn[i],
                   [&](OpBuilder &at) { return loadElements(at, vectors[i]); },
                   [&](OpBuilder &) { return llvm::to_vector(own); }));
    }
    access.startBranch();
    return all;
  };
  return emitIf(builder, loc, isAny, loadEach,
                [&](OpBuilder &) { return llvm::to_vector(words); });
}

SmallVector<Value> VectorLoads::loadVectors(OpBuilder &builder,
                                            ArrayRef<Value> isLoaded) {
  SmallVector<Value> words;
  for (auto [vector, predicate] : llvm::zip_equal(vectors, isLoaded))
    llvm::append_range(words, load(builder, builder.getI32Type(),
                                   emitMoved(builder, loc, vector.place.base,
                                             vector.place.bytes),
                                   countWords(), predicate, fills));
  return words;
}

SmallVector<Value> VectorLoads::loadShifted(OpBuilder &builder,
                                            ArrayRef<Value> isLoaded) {
  // If nothing is loaded, both chunks consist of fill values. No shift by
  // elements changes them.
  SmallVector<SmallVector<Value>> loaded;
  llvm::DenseMap<Value, Value> aligned;
  // All chunks are in flight before the first use.
  for (auto [vector, predicate] : llvm::zip_equal(vectors, isLoaded)) {
    const ChunkPlace &place = vector.place;
    Value &base = aligned[place.base];
    if (!base)
      base =
          emitMoved(builder, loc, place.base,
                    LLVM::SubOp::create(builder, loc, emitI32(builder, loc, 0),
                                        place.shift));
    SmallVector<Value> &both = loaded.emplace_back();
    for (int64_t at : {int64_t(0), chunk})
      llvm::append_range(both,
                         load(builder, builder.getI32Type(),
                              emitMoved(builder, loc, base, place.bytes + at),
                              countWords(), predicate, fills));
  }
  SmallVector<Value> words;
  for (auto [vector, both] : llvm::zip_equal(vectors, loaded))
    llvm::append_range(words,
                       emitShiftedWords(builder, loc, both, vector.place.shift,
                                        access.getElementBytes()));
  return words;
}

SmallVector<Value> VectorLoads::unpack(OpBuilder &builder,
                                       ArrayRef<Value> words) {
  SmallVector<Value> elements;
  for (; !words.empty(); words = words.drop_front(countWords()))
    llvm::append_range(elements, unpackWords(builder, loc, element, width,
                                             words.take_front(countWords())));
  return elements;
}

SmallVector<Value> sm::emitVectorLoads(OpBuilder &builder, Location loc,
                                       GlobalAccess &access, Type element,
                                       Value fill, bool invariant) {
  VectorLoads loads(builder, loc, access, element, fill, invariant);
  // One branch decides for all vectors of a thread. With a branch for each,
  // each load would complete before the next one starts.
  auto vectors = [&](OpBuilder &at) {
    return loads.loadVectors(at, loads.getValid());
  };
  auto unaligned = [&](OpBuilder &at) {
    SmallVector<Value> torn = loads.emitTorn(at);
    SmallVector<Value> whole = loads.emitWhole(at, torn);
    SmallVector<Value> words = emitIf(
        at, loc, access.emitIsAligned(at, loc, /*ragged=*/true),
        [&](OpBuilder &in) { return loads.loadVectors(in, whole); },
        [&](OpBuilder &in) { return loads.loadShifted(in, whole); });
    return loads.loadTorn(at, words, torn);
  };
  return loads.unpack(builder,
                      emitIf(builder, loc, access.emitIsAligned(builder, loc),
                             vectors, unaligned));
}
