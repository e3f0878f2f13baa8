//===- Scan.cpp - Scans -----------------------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers sm.scan by the digits of the position on its axis (DigitSteps.h).
// Layouts that do not represent the position in digits use a Hillis-Steele scan
// in scratch memory. In step s, the scan combines each element with the result
// of the previous step 2^s places before it. The general scan is for small
// tiles: each step moves the whole tile, in one round per window.
//
//===----------------------------------------------------------------------===//

#include "Combiner.h"
#include "CrossLanePatterns.h"
#include "DigitSteps.h"
#include "ScratchAccess.h"

using namespace tessera;
using namespace tessera::sm;
using layout::Layout;

/// Largest number of memory accesses per thread of the general scan.
static constexpr int64_t kMaxAccesses = 16384;

namespace {
class Scan : public KernelPattern<ScanOp> {
public:
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(ScanOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (changesNothing(op)) {
      rewriter.replaceOpWithMultiple(op,
                                     ArrayRef<ValueRange>{adaptor.getSource()});
      return success();
    }
    Location loc = op.getLoc();
    RankedTensorType type = op.getSource().getType();
    Combiner combiner(op.getKind(), type.getElementType());
    std::optional<SmallVector<AxisDigit>> digits = getScanDigits(op);
    Value base;
    if (!digits || isAmongWarps(*digits)) {
      FailureOr<Value> address = emitScratchBase(rewriter, context, op);
      if (failed(address))
        return failure();
      base = *address;
    }
    SmallVector<Value> values;
    for (Value value :
         unpackRegisters(rewriter, loc, type, adaptor.getSource()))
      values.push_back(combiner.widen(rewriter, loc, value));
    if (digits) {
      SmallVector<Group> groups =
          llvm::map_to_vector(values, [](Value value) { return Group{value}; });
      emitScanSteps(rewriter, context, op, op.getReverse(), *digits,
                    GroupCombiner(combiner), base, groups);
      for (auto [value, group] : llvm::zip_equal(values, groups))
        value = group.front();
    } else if (failed(scanInMemory(op, combiner, base, values, rewriter))) {
      return failure();
    }
    for (Value &value : values)
      value = combiner.narrow(rewriter, loc, value);
    replaceByRegisters(rewriter, op, values);
    return success();
  }

private:
  LogicalResult scanInMemory(ScanOp op, const Combiner &combiner, Value base,
                             MutableArrayRef<Value> values,
                             ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    RankedTensorType type = op.getSource().getType();
    const Layout &layout = getLayout(type);
    const ThreadGroup &threads = context.getThreads(op);
    unsigned axis = op.getAxis();
    int64_t extent = type.getDimSize(axis);
    ScratchTile tile = getScratchTile(op);
    int64_t accesses = llvm::Log2_64_Ceil(extent) * tile.getRounds() *
                       static_cast<int64_t>(values.size());
    if (accesses > kMaxAccesses)
      return op.emitOpError()
             << "takes " << accesses << " accesses of each thread to memory, "
             << "expected at most " << kMaxAccesses
             << " where the layout does not number positions by digits of "
                "registers, lanes and warps; use a smaller tile";
    ScratchAccess access(rewriter, loc, tile, base, layout, threads);
    TileCoordinates coordinates(rewriter, loc, layout, threads);
    Type work = combiner.getWorkType();
    Value identity = combiner.emitIdentity(rewriter, loc);
    for (int64_t distance = 1; distance < extent; distance *= 2) {
      int64_t shift =
          tile.getStrides()[axis] * (op.getReverse() ? distance : -distance);
      SmallVector<Value> before(values.size(), identity);
      for (int64_t round = 0; round < tile.getRounds(); ++round) {
        emitRoleBarrier(rewriter, context, op);
        for (auto [r, value] : llvm::enumerate(values))
          access.store(rewriter, loc, round, r, value);
        emitRoleBarrier(rewriter, context, op);
        for (auto [r, value] : llvm::enumerate(before)) {
          Value exists =
              emitHasNeighbour(rewriter, loc, coordinates.get(r, axis), extent,
                               distance, op.getReverse());
          value = access
                      .load(rewriter, loc, round, r, work, value, shift,
                            Value(), exists)
                      .front();
        }
      }
      for (auto [value, other] : llvm::zip_equal(values, before))
        value = combiner.combine(rewriter, loc, other, value);
    }
    return success();
  }

  /// Emits whether there is an element `distance` places before, or after.
  static Value emitHasNeighbour(OpBuilder &builder, Location loc,
                                const Coordinate &coordinate, int64_t extent,
                                int64_t distance, bool after) {
    Value position = emitSum(builder, loc, coordinate.dynamic,
                             emitI32(builder, loc, coordinate.constant));
    return LLVM::ICmpOp::create(
        builder, loc,
        after ? LLVM::ICmpPredicate::slt : LLVM::ICmpPredicate::sge, position,
        emitI32(builder, loc, after ? extent - distance : distance));
  }
};
} // namespace

void sm::populateScanPatterns(const LoweringContext &context,
                              const RegisterTypeConverter &converter,
                              RewritePatternSet &patterns) {
  patterns.add<Scan>(converter, context);
}
