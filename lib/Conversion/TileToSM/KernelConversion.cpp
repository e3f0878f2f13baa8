//===- KernelConversion.cpp - The kernel, its grid, its scalars -*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds the sm.kernel in one walk over the tile.kernel. Programs are
// enumerated in bands of tiles along the first axis (threadblock
// rasterization), so that programs that run at the same time share operands in
// L2.
//
// Invariant: each value of the old kernel has its new form before its first use
// is converted.
//
//===----------------------------------------------------------------------===//

#include "KernelConversion.h"

#include "tessera/Dialect/SM/IR/Target.h"
#include "tessera/Dialect/Tile/IR/Asm.h"
#include "tessera/Dialect/Tile/IR/ReportBuffer.h"
#include "tessera/Dialect/Tile/IR/UnsignedParams.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace tessera;
using namespace tessera::sm;

/// Band for a second axis without an extent.
static constexpr int64_t kDefaultBand = 8;

static bool isTile(Value value) {
  return isa<RankedTensorType>(value.getType());
}

LogicalResult KernelConversion::run() {
  Location loc = kernel.getLoc();
  FailureOr<ClusterPlan> clusters = ClusterPlan::get(kernel);
  if (failed(clusters))
    return failure();
  cluster = *clusters;
  DenseI64ArrayAttr clusterSizes;
  if (cluster.size > 1) {
    SmallVector<int64_t> sizes(cluster.axis + 1, 1);
    sizes.back() = cluster.size;
    clusterSizes = builder.getDenseI64ArrayAttr(sizes);
  }
  auto made = KernelOp::create(
      builder, loc, kernel.getSymNameAttr(), kernel.getParamNamesAttr(),
      kernel.getGridAttr(), builder.getI64IntegerAttr(assigned.warps),
      kernel.getScheduleAttr(),
      FormAttr::get(kernel.getContext(), Form::Planned),
      /*persistent=*/UnitAttr(), /*shared_memory=*/IntegerAttr(),
      /*requirements=*/ArrayAttr(), clusterSizes, /*plan=*/PlanAttr());
  tile::copyUnsignedParams(kernel, made);
  tile::copyReports(kernel, made);
  entry = &made.getBody().emplaceBlock();
  for (BlockArgument parameter : kernel.getParams())
    scalars[parameter] = {
        entry->addArgument(parameter.getType(), parameter.getLoc())};
  builder.setInsertionPointToStart(entry);
  bindGrid(made);
  LogicalResult result = convertBody(kernel.getBody().front());
  ReturnOp::create(builder, kernel.getBody().front().getTerminator()->getLoc());
  // From the last marker on, since no operation uses a marker.
  for (Operation *marker : markers)
    marker->erase();
  if (failed(result))
    made.erase();
  return result;
}

//===----------------------------------------------------------------------===//
// The grid
//===----------------------------------------------------------------------===//

Value KernelConversion::makeIndex(Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value KernelConversion::getSize(tile::SizeAttr size) {
  Value &known = sizes[size];
  if (known)
    return known;
  OpBuilder::InsertionGuard guard(builder);
  if (lastSize)
    builder.setInsertionPointAfter(lastSize);
  else
    builder.setInsertionPointToStart(entry);
  if (std::optional<int64_t> value = size.getConstantValue())
    known = makeIndex(kernel.getLoc(), *value);
  else
    known = tile::SizeOp::create(builder, kernel.getLoc(),
                                 builder.getIndexType(), size);
  lastSize = known.getDefiningOp();
  return known;
}

bool KernelConversion::isGrouped() const {
  auto axes = tile::KernelOp(kernel).getAxes();
  if (options.rasterGroup == 1 || axes.size() < 2)
    return false;
  tile::ScheduleAttr schedule = tile::KernelOp(kernel).getScheduleAttr();
  return (axes[0].isTiled() && axes[1].isTiled() &&
          !assigned.products.empty()) ||
         (schedule && schedule.getPersistent() && !schedule.getDynamic());
}

/// Returns the number of tiles along the first axis in a band. Programs that
/// run at the same time reread operands least if their tiles form a square.
int64_t KernelConversion::getBandTiles() const {
  auto axes = tile::KernelOp(kernel).getAxes();
  int64_t tiles = options.rasterGroup;
  if (tiles == 0 && axes[0].isTiled() && axes[1].isTiled()) {
    double square = double(getTarget(tile::KernelOp(kernel)).multiprocessors) *
                    axes[1].getTileExtent() / axes[0].getTileExtent();
    // A power of two rarely leaves a narrow last band.
    double exponent = std::round(std::log2(square) / 2);
    tiles = int64_t(1) << std::max<int64_t>(exponent, 0);
  } else if (tiles == 0) {
    tiles = kDefaultBand;
  }
  if (cluster.axis == 0)
    tiles = std::max<int64_t>(tiles / cluster.size, 1);
  return tiles;
}

/// Returns the coordinates of a program, the first axis fastest. With grouping,
/// programs enumerate whole bands along the first axis, for the first two axes.
SmallVector<Value> KernelConversion::decodeProgram(ArrayRef<Value> counts) {
  Location loc = kernel.getLoc();
  SmallVector<Value> coordinates;
  if (counts.empty())
    return coordinates;
  Value rest = ProgramIdOp::create(builder, loc);
  auto divide = [&](Value lhs, Value rhs) -> Value {
    return arith::DivUIOp::create(builder, loc, lhs, rhs);
  };
  auto modulo = [&](Value lhs, Value rhs) -> Value {
    return arith::RemUIOp::create(builder, loc, lhs, rhs);
  };
  auto split = [&](Value count, bool isLast) {
    Value low = isLast ? rest : modulo(rest, count);
    if (!isLast)
      rest = divide(rest, count);
    return low;
  };
  if (isGrouped()) {
    Value plane = arith::MulIOp::create(builder, loc, counts[0], counts[1]);
    Value program = split(plane, counts.size() == 2);
    // At most the number of tiles, so that the size of a band has 32 bits.
    Value group = arith::MinSIOp::create(builder, loc, counts[0],
                                         makeIndex(loc, getBandTiles()));
    Value band = arith::MulIOp::create(builder, loc, group, counts[1]);
    Value first =
        arith::MulIOp::create(builder, loc, divide(program, band), group);
    Value left = arith::SubIOp::create(builder, loc, counts[0], first);
    // The last band may be narrower.
    Value width = arith::MinSIOp::create(builder, loc, left, group);
    Value inBand = modulo(program, band);
    coordinates.push_back(
        arith::AddIOp::create(builder, loc, first, modulo(inBand, width)));
    coordinates.push_back(divide(inBand, width));
  }
  for (unsigned axis = coordinates.size(); axis < counts.size(); ++axis)
    coordinates.push_back(split(counts[axis], axis + 1 == counts.size()));
  return coordinates;
}

void KernelConversion::bindGrid(KernelOp made) {
  SmallVector<Value> counts;
  for (tile::SizeAttr count : made.getProgramCounts())
    counts.push_back(getSize(count));
  if (lastSize)
    builder.setInsertionPointAfter(lastSize);
  SmallVector<Value> coordinates = decodeProgram(counts);
  if (cluster.size > 1) {
    Value &coordinate = coordinates[cluster.axis];
    Location loc = kernel.getLoc();
    Value first = arith::MulIOp::create(builder, loc, coordinate,
                                        makeIndex(loc, cluster.size));
    coordinate = arith::AddIOp::create(builder, loc, first,
                                       CtaRankOp::create(builder, loc));
  }
  for (auto [axis, coordinate, argument] : llvm::zip_equal(
           kernel.getAxes(), coordinates, kernel.getGridArguments())) {
    if (!axis.isTiled()) {
      scalars[argument] = {coordinate};
      continue;
    }
    Value extent = makeIndex(argument.getLoc(), axis.getTileExtent());
    Value start =
        arith::MulIOp::create(builder, argument.getLoc(), coordinate, extent);
    scalars[argument] = {start, getSize(axis.getSize())};
  }
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult KernelConversion::convertBody(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(convert(&op)))
      return failure();
  return success();
}

/// Checks whether only products use a transposition. They read the operand
/// transposed.
static bool isFolded(Operation *op) {
  return isa<tile::TransposeOp>(op) &&
         llvm::all_of(op->getUses(), [](OpOperand &use) {
           auto gemm = dyn_cast<tile::GemmOp>(use.getOwner());
           return gemm ? use.get() != gemm.getAccumulator()
                       : isFolded(use.getOwner());
         });
}

LogicalResult KernelConversion::convert(Operation *op) {
  if (isFolded(op))
    return success();
  if (convertRange(op))
    return success();
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return convertLoad(load);
  if (auto store = dyn_cast<tile::StoreOp>(op))
    return convertStore(store);
  if (auto add = dyn_cast<tile::AtomicOp>(op))
    return convertAtomic(add);
  if (auto gemm = dyn_cast<tile::GemmOp>(op))
    return convertGemm(gemm);
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    return convertReduce(reduce);
  if (auto rearrange = dyn_cast<tile::RearrangeOp>(op))
    return convertRearrange(rearrange);
  if (auto reduce = dyn_cast<tile::ReduceWithOp>(op))
    return convertReduceWith(reduce);
  if (auto scan = dyn_cast<tile::ScanWithOp>(op))
    return convertScanWith(scan);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return convertFor(loop);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return convertWhile(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return convertIf(branch);
  if (auto barrier = dyn_cast<tile::BarrierOp>(op)) {
    BarrierOp::create(builder, op->getLoc(), barrier.getGrid());
    return success();
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(op);
      extract && extract.getTensor().getType().getRank() == 0) {
    FailureOr<Value> tile =
        getTile(extract.getTensor(),
                assignment.getDefault(extract.getTensor().getType()));
    if (failed(tile))
      return failure();
    define(extract, tensor::ExtractOp::create(builder, op->getLoc(), *tile,
                                              ValueRange()));
    return success();
  }
  bool isScalar = llvm::none_of(op->getOperands(), isTile) &&
                  llvm::none_of(op->getResults(), isTile);
  if (isScalar && op->getNumRegions() == 0 && tile::isArithmetic(op)) {
    cloneScalar(op);
    return success();
  }
  if (op->getNumResults() == 1 && assignment.isRecomputable(op->getResult(0))) {
    // Created when a layout is requested.
    define(op->getResult(0), Value());
    return success();
  }
  if (isElementwise(op) || isa<tile::ScanOp, tile::BroadcastOp,
                               tile::ExpandDimsOp, tile::TransposeOp>(op)) {
    FailureOr<Operation *> made = compute(op, assignment.get(op->getResult(0)));
    if (failed(made))
      return failure();
    defineAll(op->getResults(), (*made)->getResults());
    return success();
  }
  return op->emitError()
         << "cannot be executed by a streaming multiprocessor; a kernel is "
            "made "
            "of the operations of tile, elementwise ones of arith and math, "
            "tensor.splat, scf.for, scf.while and scf.if";
}

void KernelConversion::cloneScalar(Operation *op) {
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, getScalar(operand));
  Operation *made = builder.clone(*op, mapping);
  defineAll(op->getResults(), made->getResults());
}

bool KernelConversion::convertRange(Operation *op) {
  Location loc = op->getLoc();
  return TypeSwitch<Operation *, bool>(op)
      .Case([&](tile::SizeOp size) {
        scalars[size] = {getSize(size.getSize())};
        return true;
      })
      .Case([&](tile::RangeOp range) {
        scalars[range] = {getScalar(range.getStart()),
                          getScalar(range.getLimit())};
        return true;
      })
      .Case([&](arith::SelectOp select) {
        if (!isa<tile::RangeType>(select.getType()))
          return false;
        // A branch that yields ranges was converted to a select.
        Value condition = getScalar(select.getCondition());
        Value first = select.getTrueValue(), second = select.getFalseValue();
        scalars[select] = {
            arith::SelectOp::create(builder, loc, condition, getStart(first),
                                    getStart(second)),
            arith::SelectOp::create(builder, loc, condition, getLimit(first),
                                    getLimit(second))};
        return true;
      })
      .Case([&](tile::ShiftOp shift) {
        Value offset = getScalar(shift.getOffset());
        scalars[shift] = {
            arith::AddIOp::create(builder, loc, getStart(shift.getRange()),
                                  offset),
            arith::AddIOp::create(builder, loc, getLimit(shift.getRange()),
                                  offset)};
        return true;
      })
      .Case([&](tile::StartOp start) {
        scalars[start] = {getStart(start.getRange())};
        return true;
      })
      .Case([&](tile::LimitOp limit) {
        scalars[limit] = {getLimit(limit.getRange())};
        return true;
      })
      .Case([&](tile::EndOp end) {
        auto type = cast<tile::RangeType>(end.getRange().getType());
        Value all =
            arith::AddIOp::create(builder, loc, getStart(end.getRange()),
                                  makeIndex(loc, type.getExtent()));
        scalars[end] = {arith::MinSIOp::create(builder, loc, all,
                                               getLimit(end.getRange()))};
        return true;
      })
      .Default(false);
}
