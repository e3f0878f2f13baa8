//===- GlobalAccessPatterns.cpp - Loads and stores --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers sm.load, sm.store and sm.atomic. If vectors may be aligned, a
// uniform branch chooses between accesses to whole vectors and the general way,
// which shifts vectors or accesses elements. Invariant: both sides load, store
// or add the same elements.
//
//===----------------------------------------------------------------------===//

#include "GlobalAccess.h"
#include "Kernel/InlinePTX.h"
#include "Kernel/Patterns.h"
#include "UnalignedLoads.h"
#include "VectorAccess.h"

using namespace tessera;
using namespace tessera::sm;
using layout::Layout;

/// Returns the layout of a tile; for a scalar, that of one element that all
/// threads hold.
static Layout getAccessLayout(Type type) {
  if (isa<RankedTensorType>(type))
    return getLayout(type);
  return llvm::cantFail(Layout::get({}, 0));
}

using EmitArm = llvm::function_ref<SmallVector<Value>(OpBuilder &)>;

/// Emits a branch on `condition`. Returns the values that both arms yield.
static SmallVector<Value> emitBranch(OpBuilder &builder, Location loc,
                                     GlobalAccess &access, Value condition,
                                     EmitArm emitThen, EmitArm emitElse) {
  auto arm = [&](EmitArm emit) {
    return [&access, emit](OpBuilder &nested, Location nestedLoc) {
      access.startBranch();
      scf::YieldOp::create(nested, nestedLoc, emit(nested));
    };
  };
  auto branch =
      scf::IfOp::create(builder, loc, condition, arm(emitThen), arm(emitElse));
  access.startBranch();
  return llvm::to_vector_of<Value>(branch.getResults());
}

/// Emits accesses to whole vectors, and the alternative for vectors that are
/// not aligned. Returns the values that both yield.
static SmallVector<Value> emitByAlignment(OpBuilder &builder, Location loc,
                                          GlobalAccess &access,
                                          EmitArm emitWhole,
                                          EmitArm emitOther) {
  if (access.getVectorWidth() == 1)
    return emitOther(builder);
  Value isAligned = access.emitIsAligned(builder, loc);
  return emitBranch(builder, loc, access, isAligned, emitWhole, emitOther);
}

/// Emits whether any of the vectors of `access` is loaded, an i1; null if all
/// are.
static Value emitIsAnyLoaded(OpBuilder &builder, Location loc,
                             GlobalAccess &access) {
  Value isAny;
  for (int64_t r = 0; r < access.getRegisters(); r += access.getVectorWidth()) {
    Value isValid = access.emitIsValid(builder, loc, r);
    if (!isValid)
      return nullptr;
    isAny = isAny ? LLVM::OrOp::create(builder, loc, isAny, isValid).getResult()
                  : isValid;
  }
  return isAny;
}

/// From this many vectors on, the loads are in a branch of their own. ptxas
/// would otherwise move each load down to its use, and wait there.
static constexpr int64_t kVectorsTogether = 4;

namespace {
class Load : public KernelPattern<LoadOp> {
public:
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(LoadOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Layout layout = getAccessLayout(op.getType());
    FailureOr<GlobalAccess> access = GlobalAccess::get(
        rewriter, op, context, getAccessOperands(op, adaptor), layout);
    if (failed(access))
      return failure();
    Type element = op.getGlobalType().getElementType();
    bool isOnlyRead = op.getGlobalType().getAccess() == tile::Access::In;
    bool invariant = canLoadAsConstant(op, op.getGlobalType());
    Value fill = emitFill(rewriter, op);
    auto tile = dyn_cast<RankedTensorType>(op.getType());
    auto pack = [&](OpBuilder &builder, ArrayRef<Value> elements) {
      return tile ? packRegisters(builder, loc, tile, elements)
                  : llvm::to_vector(elements);
    };
    auto emitVectors = [&](OpBuilder &builder, int64_t width) {
      SmallVector<Value> elements;
      for (int64_t r = 0; r < access->getRegisters(); r += width)
        llvm::append_range(
            elements,
            emitGlobalLoad(
                builder, loc, element, access->emitPointer(builder, loc, r),
                width, access->emitIsValid(builder, loc, r), fill, invariant));
      return pack(builder, elements);
    };
    SmallVector<Value> values;
    if (op->hasAttr(kAlignedAttrName))
      values = emitAligned(
          rewriter, loc, *access,
          [&](OpBuilder &builder) {
            return emitVectors(builder, access->getVectorWidth());
          },
          [&](OpBuilder &builder) {
            return hide(builder, loc,
                        pack(builder,
                             SmallVector<Value>(access->getRegisters(), fill)));
          });
    // Chunks include elements that other threads may write meanwhile.
    else if (isOnlyRead && canShiftLoads(*access))
      values = pack(rewriter, emitVectorLoads(rewriter, loc, *access, element,
                                              fill, invariant));
    else
      values = emitByAlignment(
          rewriter, loc, *access,
          [&](OpBuilder &builder) {
            return emitVectors(builder, access->getVectorWidth());
          },
          [&](OpBuilder &builder) { return emitVectors(builder, 1); });
    rewriter.replaceOpWithMultiple(op, ArrayRef<ValueRange>{values});
    return success();
  }

private:
  /// Emits an access to whole vectors that are all aligned.
  static SmallVector<Value> emitAligned(OpBuilder &builder, Location loc,
                                        GlobalAccess &access,
                                        EmitArm emitVectors,
                                        EmitArm emitFills) {
    bool isTogether =
        access.getRegisters() >= kVectorsTogether * access.getVectorWidth();
    Value isAny = isTogether ? emitIsAnyLoaded(builder, loc, access) : Value();
    if (!isAny)
      return emitVectors(builder);
    return emitBranch(builder, loc, access, isAny, emitVectors, emitFills);
  }

  /// Returns the same values, hidden from LLVM's constant propagation.
  /// Otherwise, LLVM would move arithmetic on constants to the loads, and ptxas
  /// would then wait between the loads.
  static SmallVector<Value> hide(OpBuilder &builder, Location loc,
                                 SmallVector<Value> fills) {
    llvm::DenseMap<Value, Value> hidden;
    for (Value &fill : fills) {
      Type type = fill.getType();
      if (!type.isIntOrFloat() || type.getIntOrFloatBitWidth() < 32)
        continue;
      Value &known = hidden[fill];
      if (!known) {
        Type bits = builder.getIntegerType(type.getIntOrFloatBitWidth());
        known = LLVM::BitcastOp::create(builder, loc, bits, fill);
        known = emitOpaque(builder, loc, known);
        known = LLVM::BitcastOp::create(builder, loc, type, known);
      }
      fill = known;
    }
    return fills;
  }

  /// Emits the fill value in its storage type.
  static Value emitFill(OpBuilder &builder, LoadOp op) {
    Type element = op.getGlobalType().getElementType();
    Type storage = getStorageType(element);
    TypedAttr fill = op.getFillAttr();
    if (!fill)
      fill = builder.getZeroAttr(storage);
    else if (storage != element)
      fill = builder.getIntegerAttr(
          storage, cast<FloatAttr>(fill).getValue().bitcastToAPInt());
    return LLVM::ConstantOp::create(builder, op.getLoc(), storage, fill);
  }
};

/// An operation that writes. One of the holders of an element writes it.
template <typename OpTy>
class Write : public KernelPattern<OpTy> {
public:
  using KernelPattern<OpTy>::KernelPattern;
  using Adaptor = typename OpTy::template GenericAdaptor<ArrayRef<ValueRange>>;

  LogicalResult
  matchAndRewrite(OpTy op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type type = op.getValue().getType();
    Layout layout = getAccessLayout(type);
    FailureOr<GlobalAccess> access = GlobalAccess::get(
        rewriter, op, this->context, getAccessOperands(op, adaptor), layout);
    if (failed(access))
      return failure();
    auto unpack = [&](ValueRange registers) {
      auto tile = dyn_cast<RankedTensorType>(type);
      return tile ? unpackRegisters(rewriter, loc, tile, registers)
                  : llvm::to_vector_of<Value>(registers);
    };
    SmallVector<Value> elements = unpack(adaptor.getValue());
    Holders holders =
        getHolders(rewriter, loc, layout, this->context.getThreads(op));
    if constexpr (std::is_same_v<OpTy, AtomicOp>)
      if (op.getOld() || op.getKind() != tile::AtomicKind::Add) {
        SmallVector<Value> expected;
        if (op.getExpected())
          expected = unpack(adaptor.getExpected());
        replaceElements(op, *access, layout, holders, elements, expected,
                        rewriter);
        return success();
      }
    auto emitVectors = [&](OpBuilder &builder, int64_t width) {
      for (int64_t r : holders.registers)
        if (r % width == 0)
          emit(builder, op, access->emitPointer(builder, loc, r),
               ValueRange(elements).slice(r, width),
               emitAnd(builder, loc, access->emitIsValid(builder, loc, r),
                       holders.isHolder));
      return SmallVector<Value>();
    };
    auto emitWhole = [&](OpBuilder &builder) {
      return emitVectors(builder, access->getVectorWidth());
    };
    if (op->hasAttr(kAlignedAttrName)) {
      emitWhole(rewriter);
      rewriter.eraseOp(op);
      return success();
    }
    emitByAlignment(rewriter, loc, *access, emitWhole, [&](OpBuilder &builder) {
      // A chunk includes elements that a neighbour may still be loading.
      if (!std::is_same_v<OpTy, StoreOp> || !canShiftStores(*access) ||
          op.getGlobalType().getAccess() != tile::Access::Out)
        return emitVectors(builder, 1);
      emitShiftedStores(builder, loc, *access, holders.registers, elements,
                        this->context.getThreads(op).lane, holders.isHolder);
      return SmallVector<Value>();
    });
    rewriter.eraseOp(op);
    return success();
  }

private:
  static void emit(OpBuilder &builder, StoreOp op, Value pointer,
                   ValueRange elements, Value predicate) {
    emitGlobalStore(builder, op.getLoc(), pointer, elements, predicate);
  }
  /// Replaces one element at a time. The holder that acts has the elements
  /// before in all registers of an element.
  static void replaceElements(AtomicOp op, GlobalAccess &access,
                              const Layout &layout, const Holders &holders,
                              ArrayRef<Value> elements,
                              ArrayRef<Value> expected,
                              ConversionPatternRewriter &rewriter) {
    Location loc = op.getLoc();
    Type element = op.getGlobalType().getElementType();
    AtomicForm form{op.getKind(), op.getOrder()};
    std::map<SmallVector<int64_t>, Value> olds;
    auto getElement = [&](int64_t r) {
      layout::Point point = layout.evaluate({{layout::kRegister, r}});
      return SmallVector<int64_t>(point.begin(), point.end());
    };
    for (int64_t r : holders.registers) {
      Value pointer = access.emitPointer(rewriter, loc, r);
      Value compared = expected.empty() ? Value() : expected[r];
      Value predicate =
          emitAnd(rewriter, loc, access.emitIsValid(rewriter, loc, r),
                  holders.isHolder);
      if (op.getOld())
        olds[getElement(r)] =
            emitGlobalFetch(rewriter, loc, form, element, pointer, elements[r],
                            compared, predicate);
      else
        emitGlobalReplace(rewriter, loc, form, element, pointer, elements[r],
                          compared, predicate);
    }
    if (!op.getOld())
      return rewriter.eraseOp(op);
    SmallVector<Value> results;
    for (size_t r = 0; r < elements.size(); ++r)
      results.push_back(olds[getElement(r)]);
    replaceByRegisters(rewriter, op, results);
  }

  static void emit(OpBuilder &builder, AtomicOp op, Value pointer,
                   ValueRange elements, Value predicate) {
    emitGlobalAdd(builder, op.getLoc(), op.getOrder(),
                  op.getGlobalType().getElementType(), pointer, elements,
                  predicate);
  }
};
} // namespace

void sm::populateGlobalAccessPatterns(const LoweringContext &context,
                                      const RegisterTypeConverter &converter,
                                      RewritePatternSet &patterns) {
  patterns.add<Load, Write<AtomicOp>, Write<StoreOp>>(converter, context);
}
