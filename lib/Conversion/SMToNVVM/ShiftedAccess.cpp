//===- ShiftedAccess.cpp - Vectors that start anywhere ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShiftedAccess.h"
#include "MemoryWords.h"
#include "ShiftedWords.h"
#include "Shuffle.h"

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

bool sm::canShiftStores(const GlobalAccess &access) {
  return canShiftLoads(access) && access.getNeighbours() > 1;
}

static Value emitNot(OpBuilder &builder, Location loc, Value a) {
  return LLVM::XOrOp::create(
      builder, loc, a,
      LLVM::ConstantOp::create(builder, loc, builder.getI1Type(),
                               builder.getBoolAttr(true)));
}

/// The bytes of `pointer` past a multiple of `chunk`, an i32.
static Value emitMisalignment(OpBuilder &builder, Location loc, Value pointer,
                              int64_t chunk) {
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  Value bits = LLVM::PtrToIntOp::create(builder, loc, i64, pointer);
  bits = LLVM::TruncOp::create(builder, loc, i32, bits);
  return LLVM::AndOp::create(builder, loc, bits,
                             emitI32(builder, loc, chunk - 1));
}

/// `pointer` moved by `bytes`, an i32.
static Value emitMoved(OpBuilder &builder, Location loc, Value pointer,
                       Value bytes) {
  Value wide = LLVM::SExtOp::create(builder, loc, builder.getI64Type(), bytes);
  return LLVM::GEPOp::create(builder, loc, pointer.getType(),
                             builder.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{wide});
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

namespace {
/// What loads a tile.
class VectorLoads {
public:
  VectorLoads(OpBuilder &builder, Location loc, GlobalAccess &access,
              Type element, Value fill);

  /// Whether a vector is valid in part, where all are aligned.
  Value emitIsRagged(OpBuilder &builder);
  /// Whether a vector has valid elements, and chunks that are not in the row.
  Value emitIsTorn(OpBuilder &builder);

  SmallVector<Value> loadElements(OpBuilder &builder);
  SmallVector<Value> loadVectors(OpBuilder &builder);
  SmallVector<Value> loadShifted(OpBuilder &builder);

private:
  struct Vector {
    int64_t reg;
    Value pointer;
    Value isFirstValid, isLastValid; // i1, or null if always
  };
  SmallVector<Value> load(OpBuilder &builder, Type element, Value pointer,
                          int64_t count, Value predicate, Value fill) {
    return emitGlobalLoad(builder, loc, element, pointer, count, predicate,
                          fill, /*invariant=*/true);
  }
  /// Whether `test` holds for a vector, or may err because the first and the
  /// last element do not tell whether others are valid.
  Value emitAny(OpBuilder &builder,
                llvm::function_ref<Value(const Vector &)> test);

  Location loc;
  GlobalAccess &access;
  int64_t width, chunk;
  Type element;
  Value fill;
  SmallVector<Vector> vectors;
};
} // namespace

VectorLoads::VectorLoads(OpBuilder &builder, Location loc, GlobalAccess &access,
                         Type element, Value fill)
    : loc(loc), access(access), width(access.getVectorWidth()),
      chunk(getBytes(access)), element(element), fill(fill) {
  for (int64_t r = 0; r < access.getRegisters(); r += width)
    vectors.push_back({r, access.emitPointer(builder, loc, r),
                       access.emitIsValid(builder, loc, r),
                       access.emitIsValid(builder, loc, r + width - 1)});
}

Value VectorLoads::emitAny(OpBuilder &builder,
                           llvm::function_ref<Value(const Vector &)> test) {
  // A vector may begin before a row that is shorter, and end after it: valid
  // elements between two that are not.
  Value any = access.emitIsRowShorter(builder, loc, width);
  for (const Vector &vector : vectors)
    if (Value is = test(vector))
      any = LLVM::OrOp::create(builder, loc, any, is);
  return any;
}

Value VectorLoads::emitIsRagged(OpBuilder &builder) {
  return emitAny(builder, [&](const Vector &vector) -> Value {
    if (!vector.isFirstValid)
      return Value();
    return LLVM::XOrOp::create(builder, loc, vector.isFirstValid,
                               vector.isLastValid);
  });
}

Value VectorLoads::emitIsTorn(OpBuilder &builder) {
  return emitAny(builder, [&](const Vector &vector) {
    Value skipped = LLVM::LShrOp::create(
        builder, loc, emitMisalignment(builder, loc, vector.pointer, chunk),
        emitI32(builder, loc, llvm::Log2_64(access.getElementBytes())));
    Value isTorn = emitNot(
        builder, loc,
        access.emitIsInRow(builder, loc, vector.reg, skipped, 2 * width));
    if (!vector.isFirstValid)
      return isTorn;
    Value isAnyValid = LLVM::OrOp::create(builder, loc, vector.isFirstValid,
                                          vector.isLastValid);
    return emitAnd(builder, loc, isTorn, isAnyValid);
  });
}

SmallVector<Value> VectorLoads::loadElements(OpBuilder &builder) {
  access.startBranch();
  SmallVector<Value> elements;
  for (int64_t r = 0; r < access.getRegisters(); ++r)
    llvm::append_range(
        elements, load(builder, element, access.emitPointer(builder, loc, r), 1,
                       access.emitIsValid(builder, loc, r), fill));
  access.startBranch();
  return elements;
}

SmallVector<Value> VectorLoads::loadVectors(OpBuilder &builder) {
  SmallVector<Value> elements;
  for (const Vector &vector : vectors)
    llvm::append_range(elements, load(builder, element, vector.pointer, width,
                                      vector.isFirstValid, fill));
  return elements;
}

SmallVector<Value> VectorLoads::loadShifted(OpBuilder &builder) {
  // Where nothing is loaded, both chunks consist of fills, which no shift by
  // elements changes.
  Value fills =
      packWords(builder, loc, SmallVector<Value>(width, fill)).front();
  SmallVector<Value> shifts;
  SmallVector<SmallVector<Value>> loaded;
  // All chunks are under way before the first is used.
  for (const Vector &vector : vectors) {
    Value shift = emitMisalignment(builder, loc, vector.pointer, chunk);
    Value back =
        LLVM::SubOp::create(builder, loc, emitI32(builder, loc, 0), shift);
    Value pointer = emitMoved(builder, loc, vector.pointer, back);
    SmallVector<Value> &both = loaded.emplace_back();
    for (int64_t at : {int64_t(0), chunk})
      llvm::append_range(both, load(builder, builder.getI32Type(),
                                    emitMoved(builder, loc, pointer,
                                              emitI32(builder, loc, at)),
                                    chunk / 4, vector.isFirstValid, fills));
    shifts.push_back(shift);
  }
  SmallVector<Value> elements;
  for (auto [shift, both] : llvm::zip_equal(shifts, loaded))
    llvm::append_range(elements,
                       unpackWords(builder, loc, element, width,
                                   emitShiftedWords(builder, loc, both, shift,
                                                    access.getElementBytes())));
  return elements;
}

SmallVector<Value> sm::emitVectorLoads(OpBuilder &builder, Location loc,
                                       GlobalAccess &access, Type element,
                                       Value fill, PackElements pack) {
  using EmitValues = llvm::function_ref<SmallVector<Value>(OpBuilder &)>;
  VectorLoads loads(builder, loc, access, element, fill);
  // One branch decides for all vectors of a thread: a branch for each would
  // wait for its load before the next one starts.
  auto emitIf = [&](OpBuilder &at, Value condition, EmitValues emitThen,
                    EmitValues emitElse) {
    auto arm = [](EmitValues emit) {
      return [emit](OpBuilder &nested, Location nestedLoc) {
        scf::YieldOp::create(nested, nestedLoc, emit(nested));
      };
    };
    auto branch =
        scf::IfOp::create(at, loc, condition, arm(emitThen), arm(emitElse));
    return llvm::to_vector_of<Value>(branch.getResults());
  };
  auto vectors = [&](OpBuilder &at) { return pack(at, loads.loadVectors(at)); };
  auto unaligned = [&](OpBuilder &at) {
    Value isAligned = access.emitIsAligned(at, loc, /*ragged=*/true);
    auto isRagged = [&](OpBuilder &in) {
      return SmallVector<Value>{loads.emitIsRagged(in)};
    };
    auto isTorn = [&](OpBuilder &in) {
      return SmallVector<Value>{loads.emitIsTorn(in)};
    };
    auto elements = [&](OpBuilder &in) {
      return pack(in, loads.loadElements(in));
    };
    auto shifted = [&](OpBuilder &in) {
      return pack(in, loads.loadShifted(in));
    };
    return emitIf(
        at, emitIf(at, isAligned, isRagged, isTorn).front(), elements,
        [&](OpBuilder &in) { return emitIf(in, isAligned, vectors, shifted); });
  };
  return emitIf(builder, access.emitIsAligned(builder, loc), vectors,
                unaligned);
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

void sm::emitShiftedStore(OpBuilder &builder, Location loc,
                          GlobalAccess &access, int64_t reg,
                          ValueRange elements, Value lane, Value isHolder) {
  int64_t width = access.getVectorWidth(), bytes = access.getElementBytes();
  int64_t chunk = width * bytes;
  Value pointer = access.emitPointer(builder, loc, reg);

  // A pair of lanes is whole if all elements of both vectors are valid.
  Value place = LLVM::AndOp::create(
      builder, loc, lane, emitI32(builder, loc, access.getNeighbours() - 1));
  auto isPair = [&](int64_t edge, int64_t from, int64_t to) {
    Value pair = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne,
                                      place, emitI32(builder, loc, edge));
    pair = emitAnd(builder, loc, pair, isHolder);
    pair = emitAnd(builder, loc, pair,
                   access.emitIsValid(builder, loc, reg, from));
    return emitAnd(builder, loc, pair,
                   access.emitIsValid(builder, loc, reg, to));
  };
  Value hasNext = isPair(access.getNeighbours() - 1, 0, 2 * width - 1);
  Value hasPrevious = isPair(0, -width, width - 1);

  SmallVector<Value> words = packWords(builder, loc, elements);
  for (Value word : ArrayRef(words).take_front(chunk / 4).vec())
    words.push_back(emitShuffle(builder, loc, NVVM::ShflKind::down, word,
                                emitI32(builder, loc, 1)));
  // The bytes of the vector before its first aligned one.
  Value lead =
      LLVM::SubOp::create(builder, loc, emitI32(builder, loc, 0),
                          emitMisalignment(builder, loc, pointer, chunk));
  lead =
      LLVM::AndOp::create(builder, loc, lead, emitI32(builder, loc, chunk - 1));
  emitGlobalStore(builder, loc, emitMoved(builder, loc, pointer, lead),
                  emitShiftedWords(builder, loc, words, lead, bytes), hasNext);

  // What no pair stores.
  Value isEdge =
      emitNot(builder, loc, emitAnd(builder, loc, hasNext, hasPrevious));
  auto branch = scf::IfOp::create(builder, loc, isEdge);
  OpBuilder edge = branch.getThenBodyBuilder();
  access.startBranch();
  for (auto [i, value] : llvm::enumerate(elements)) {
    Value isBefore = LLVM::ICmpOp::create(edge, loc, LLVM::ICmpPredicate::slt,
                                          emitI32(edge, loc, i * bytes), lead);
    Value isStored =
        LLVM::SelectOp::create(edge, loc, isBefore, hasPrevious, hasNext);
    Value predicate = emitAnd(edge, loc, emitNot(edge, loc, isStored),
                              access.emitIsValid(edge, loc, reg + i));
    emitGlobalStore(edge, loc, access.emitPointer(edge, loc, reg + i), value,
                    emitAnd(edge, loc, predicate, isHolder));
  }
  access.startBranch();
}
