//===- TileExtents.cpp - Extents equal by construction ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Union-find over the dimensions of all tiles of a kernel. Each operation joins
// the dimensions that it requires to be equal, and loops and branches join the
// values that they carry. Extents of operations that the analysis does not know
// are fixed.
//
//===----------------------------------------------------------------------===//

#include "TileExtents.h"

#include "tessera/Dialect/Tile/IR/Asm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace tessera;
using namespace tessera::tile;

RankedTensorType tile::getTileType(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() > 0 ? type : RankedTensorType();
}

bool tile::isElementwise(Operation *op) {
  return isArithmetic(op) && op->getNumResults() == 1 &&
         op->getNumOperands() > 0 && op->getNumRegions() == 0 &&
         getTileType(op->getResult(0));
}

SmallVector<ArrayRef<int64_t>> tile::getShapes(ValueRange tiles) {
  return llvm::map_to_vector(tiles, [](Value tile) {
    return cast<RankedTensorType>(tile.getType()).getShape();
  });
}

std::optional<RearrangedAxes> tile::getRearrangedAxes(RearrangeOp op) {
  return RearrangedAxes::get(IndexMap::get(op), getShapes(op.getSources()),
                             getShapes(op->getResults()).front());
}

bool tile::isExtended(RearrangeOp op, const RearrangedAxes &axes) {
  SplatElementsAttr added;
  unsigned axis = axes.joined;
  SmallVector<unsigned> dims = axes.getDims(axis);
  if (op.getSources().size() != 2 || axis >= axes.firstToggled ||
      !matchPattern(op.getSources()[1], m_Constant(&added)) ||
      dims.size() != 1 || !axes.isPrefix(axis, dims.front()))
    return false;
  int64_t result = getTileType(op.getResult()).getDimSize(dims.front());
  int64_t first = getTileType(op.getSources()[0]).getDimSize(axis);
  return first < result && result <= axes.extents[axis] &&
         static_cast<uint64_t>(result) == llvm::PowerOf2Ceil(first);
}

/// Checks whether the shapes and types of `gemm` permit tensor cores, whose
/// layouts do not depend on those of memory accesses. The rules of the target
/// (sm::checkTensorCores) permit fewer products.
static bool mayUseTensorCores(GemmOp gemm) {
  Type a = getTileType(gemm.getA()).getElementType();
  Type b = getTileType(gemm.getB()).getElementType();
  unsigned width = a.getIntOrFloatBitWidth();
  if ((width > 16 && !gemm.getTf32()) || width != b.getIntOrFloatBitWidth())
    return false;
  int64_t m = getTileType(gemm.getResult()).getDimSize(0);
  int64_t n = getTileType(gemm.getResult()).getDimSize(1);
  int64_t k = getTileType(gemm.getA()).getDimSize(gemm.getTermDimOfA());
  return (m % 64 == 0 || 64 % m == 0) && n % 8 == 0 && k % (256 / width) == 0;
}

void TileExtents::number(Value value) {
  RankedTensorType type = getTileType(value);
  if (!type)
    return;
  tiles.push_back(value);
  numbers[value] = numDims;
  numDims += type.getRank();
  classes.grow(numDims);
}

void TileExtents::join(Value a, unsigned dimOfA, Value b, unsigned dimOfB) {
  classes.join(numbers.lookup(a) + dimOfA, numbers.lookup(b) + dimOfB);
}

void TileExtents::joinAll(Value a, Value b) {
  if (RankedTensorType type = getTileType(a); type && getTileType(b))
    for (unsigned dim = 0; dim < type.getRank(); ++dim)
      join(a, dim, b, dim);
}

void TileExtents::joinAll(ValueRange a, ValueRange b) {
  for (auto [first, second] : llvm::zip_equal(a, b))
    joinAll(first, second);
}

void TileExtents::fix(Value tile, unsigned dim) {
  fixed.insert(numbers.lookup(tile) + dim);
}

void TileExtents::fix(Value tile) {
  if (RankedTensorType type = getTileType(tile))
    for (unsigned dim = 0; dim < type.getRank(); ++dim)
      fix(tile, dim);
}

template <typename OpTy>
void TileExtents::visitAccess(OpTy access, Value moved) {
  for (auto [index, axes] :
       llvm::zip_equal(access.getIndices(), access.getIndexAxes()))
    if (getTileType(index))
      for (int64_t dim = 0; dim < axes.rank; ++dim)
        join(index, dim, moved, axes.first + dim);
}

/// Joins the values that enter and leave the regions of control flow.
bool TileExtents::visitRegions(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    joinAll(loop.getInitArgs(), loop.getRegionIterArgs());
    joinAll(loop.getYieldedValues(), loop.getRegionIterArgs());
    joinAll(loop.getResults(), loop.getRegionIterArgs());
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    joinAll(loop.getInits(), loop.getBeforeArguments());
    joinAll(loop.getYieldOp().getResults(), loop.getBeforeArguments());
    joinAll(loop.getConditionOp().getArgs(), loop.getAfterArguments());
    joinAll(loop.getResults(), loop.getAfterArguments());
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    if (branch.getNumResults() > 0) {
      joinAll(branch.thenYield().getResults(), branch.getResults());
      joinAll(branch.elseYield().getResults(), branch.getResults());
    }
  } else {
    return isa<KernelOp, scf::YieldOp, scf::ConditionOp>(op);
  }
  return true;
}

bool TileExtents::visitRearranged(RearrangeOp op) {
  std::optional<RearrangedAxes> axes = getRearrangedAxes(op);
  if (!axes)
    return false;
  Value result = op.getResult(), first = op.getSources().front();
  bool isOne = op.getSources().size() == 1;
  for (auto [axis, extent] : llvm::enumerate(axes->extents)) {
    SmallVector<unsigned> dims = axes->getDims(axis);
    bool isToggled = axis >= axes->firstToggled;
    bool isJoined = axis == axes->joined && !isOne;
    bool isPrefix = dims.size() == 1 && axes->isPrefix(axis, dims.front()) &&
                    !isToggled && !isJoined;
    int64_t taken =
        dims.size() == 1 ? getTileType(result).getDimSize(dims.front()) : 0;
    bool isReversed = dims.size() == 1 && isOne && !isToggled &&
                      axes->isReversed(axis, dims.front(), taken);
    if ((isPrefix && taken == extent) || isReversed) {
      join(first, axis, result, dims.front());
    } else if (isPrefix && llvm::PowerOf2Ceil(taken) == uint64_t(extent)) {
      rounded.insert(numbers.lookup(result) + dims.front());
    } else {
      for (unsigned dim : dims)
        fix(result, dim);
    }
    for (Value source : op.getSources()) {
      if (isJoined && source == first && isExtended(op, *axes))
        rounded.insert(numbers.lookup(source) + axis);
      else if (isToggled || isJoined)
        fix(source, axis);
      else if (axis > axes->joined)
        join(source, axis, first, axis);
    }
  }
  return true;
}

void TileExtents::visit(Operation *op) {
  if (auto rearranged = dyn_cast<RearrangeOp>(op))
    if (visitRearranged(rearranged))
      return;
  if (visitRegions(op))
    return;
  if (isElementwise(op)) {
    for (Value operand : op->getOperands())
      joinAll(op->getResult(0), operand);
    return;
  }
  TypeSwitch<Operation *>(op)
      .Case([&](LoadOp load) { visitAccess(load, load.getResult()); })
      .Case([&](StoreOp store) { visitAccess(store, store.getValue()); })
      .Case([&](AtomicOp atomic) {
        visitAccess(atomic, atomic.getValue());
        for (Value other : {atomic.getExpected(), Value(atomic.getOld())})
          if (other)
            joinAll(atomic.getValue(), other);
      })
      .Case([&](ReduceOp reduce) {
        unsigned axis = reduce.getAxis();
        Value source = reduce.getSource(), result = reduce.getResult();
        bool keeps = reduce.getKeep().has_value();
        for (unsigned dim = 0; dim < getTileType(source).getRank(); ++dim)
          if (dim != axis)
            join(source, dim, result, dim - (dim > axis && !keeps));
        if (keeps) {
          fix(source, axis);
          fix(result, axis);
        }
      })
      .Case([&](ScanOp scan) { joinAll(scan.getSource(), scan.getResult()); })
      .Case([&](ReduceWithOp reduce) {
        unsigned axis = reduce.getAxis();
        for (auto [source, result] :
             llvm::zip_equal(reduce.getSources(), reduce.getResults())) {
          joinAll(source, reduce.getSources().front());
          for (unsigned dim = 0; dim < getTileType(source).getRank(); ++dim)
            if (dim != axis)
              join(source, dim, result, dim - (dim > axis));
        }
      })
      .Case([&](ScanWithOp scan) {
        for (auto [source, result] :
             llvm::zip_equal(scan.getSources(), scan.getResults())) {
          joinAll(source, result);
          joinAll(source, scan.getSources().front());
        }
      })
      .Case([&](BroadcastOp broadcast) {
        Value source = broadcast.getSource(), result = broadcast.getResult();
        ArrayRef<int64_t> shape = getTileType(source).getShape();
        for (unsigned dim = 0; dim < shape.size(); ++dim)
          if (shape[dim] == getTileType(result).getDimSize(dim))
            join(source, dim, result, dim);
      })
      .Case([&](ExpandDimsOp expand) {
        Value source = expand.getSource(), result = expand.getResult();
        RankedTensorType type = getTileType(source);
        for (unsigned dim = 0; type && dim < type.getRank(); ++dim)
          join(source, dim, result, dim + (dim >= expand.getAxis()));
      })
      .Case([&](TransposeOp transpose) {
        join(transpose.getSource(), 0, transpose.getResult(), 1);
        join(transpose.getSource(), 1, transpose.getResult(), 0);
      })
      .Case([&](GemmOp gemm) {
        Value a = gemm.getA(), b = gemm.getB(), sum = gemm.getResult();
        joinAll(gemm.getAccumulator(), sum);
        join(a, 1 - gemm.getTermDimOfA(), sum, 0);
        join(b, 1 - gemm.getTermDimOfB(), sum, 1);
        join(a, gemm.getTermDimOfA(), b, gemm.getTermDimOfB());
        if (mayUseTensorCores(gemm))
          for (Value tile : {a, b, sum})
            fix(tile);
      })
      .Case([&](arith::ConstantOp constant) {
        if (!isa<SplatElementsAttr>(constant.getValue()))
          fix(constant.getResult());
      })
      .Case<tensor::SplatOp, ValidOp, IndicesOp, IotaOp>([](Operation *) {})
      .Default([&](Operation *other) {
        for (Value value : other->getOperands())
          fix(value);
        for (Value value : other->getResults())
          fix(value);
      });
}

TileExtents::TileExtents(KernelOp kernel) {
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Value result : op->getResults())
      number(result);
    for (Region &region : op->getRegions())
      for (Value argument : region.getArguments())
        number(argument);
  });
  kernel.walk([&](Operation *op) { visit(op); });
  for (llvm::DenseSet<unsigned> *set : {&fixed, &rounded}) {
    llvm::DenseSet<unsigned> leaders;
    for (unsigned number : *set)
      leaders.insert(classes.findLeader(number));
    *set = std::move(leaders);
  }
}
