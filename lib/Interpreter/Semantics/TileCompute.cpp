//===- TileCompute.cpp - Products, reductions and shapes --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations of `tile` that compute on whole tiles. A product transposes
// its operands to row-major form, then adds scaled rows. Reductions and scans
// view a tile as outer x axis x inner elements, and combine along the axis in
// ascending order (a reverse scan in descending order).
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/Tile/IR/IndexMap.h"
#include "tessera/Interpreter/Combine.h"
#include "tessera/Interpreter/CombinerFrame.h"
#include "tessera/Interpreter/MultiplyAdd.h"
#include "tessera/Interpreter/Semantics.h"

using namespace tessera;
using namespace tessera::interp;
using namespace tessera::tile;

//===----------------------------------------------------------------------===//
// Product
//===----------------------------------------------------------------------===//

template <typename T>
static std::vector<T> transpose(ArrayRef<T> source, int64_t rows,
                                int64_t columns) {
  std::vector<T> result(source.size());
  // Blocks keep source and result in the cache.
  constexpr int64_t block = 16;
  for (int64_t i = 0; i < rows; i += block)
    for (int64_t j = 0; j < columns; j += block)
      for (int64_t r = i, re = std::min(rows, i + block); r < re; ++r)
        for (int64_t c = j, ce = std::min(columns, j + block); c < ce; ++c)
          result[c * rows + r] = source[r * columns + c];
  return result;
}

static LogicalResult runGemm(GemmOp op, Frame &frame) {
  const Tile &a = frame.getTile(op.getA()), &b = frame.getTile(op.getB());
  Tile result = frame.getTile(op.getAccumulator());
  int64_t rows = result.getShape()[0], columns = result.getShape()[1];
  int64_t depth = a.getShape()[op.getTransposeA() ? 0 : 1];
  auto compute = [&](auto *c, auto lhs, auto rhs, auto addScaled) {
    using T = std::remove_pointer_t<decltype(c)>;
    std::vector<T> turnedA, turnedB;
    if (op.getTransposeA()) {
      turnedA = transpose<T>(lhs, depth, rows);
      lhs = turnedA;
    }
    if (op.getTransposeB()) {
      turnedB = transpose<T>(rhs, columns, depth);
      rhs = turnedB;
    }
    multiply(c, lhs.data(), rhs.data(), rows, columns, depth, addScaled);
  };
  if (!result.isFloat()) {
    compute(result.mutableIntegers().data(), a.integers(), b.integers(),
            addScaledIntegers);
  } else if (op.getTf32()) {
    std::vector<float> lhs(a.getNumElements()), rhs(b.getNumElements());
    llvm::transform(a.get<float>(), lhs.begin(), truncateToTF32);
    llvm::transform(b.get<float>(), rhs.begin(), truncateToTF32);
    compute(result.getMutable<float>().data(), ArrayRef<float>(lhs),
            ArrayRef<float>(rhs), addScaledNarrow);
  } else if (a.getType() == ElementType::F32) {
    compute(result.getMutable<float>().data(), a.get<float>(), b.get<float>(),
            addScaledWide);
  } else {
    compute(result.getMutable<float>().data(), a.get<float>(), b.get<float>(),
            addScaledNarrow);
  }
  result.normalize();
  frame.set(op.getResult(), std::move(result));
  return success();
}

//===----------------------------------------------------------------------===//
// Reduction and scan
//===----------------------------------------------------------------------===//

/// Reduces along the axis. `keep` is the extent of the axis in `out`; 1 if the
/// axis is dropped.
template <typename T>
static void reduce(const AxisView &view, int64_t keep, ReduceKind kind,
                   ElementType type, ArrayRef<T> source,
                   MutableArrayRef<T> out) {
  for (int64_t o = 0; o < view.outer; ++o)
    for (int64_t i = 0; i < view.extent; ++i)
      for (int64_t j = 0; j < view.inner; ++j) {
        T &place = out[(o * keep + i % keep) * view.inner + j];
        T element = source[view.at(o, i, j)];
        place = i < keep ? element : combine(kind, type, place, element);
      }
}

template <typename T>
static void scan(const AxisView &view, ReduceKind kind, ElementType type,
                 bool reverse, MutableArrayRef<T> out) {
  for (int64_t o = 0; o < view.outer; ++o)
    for (int64_t n = 1; n < view.extent; ++n)
      for (int64_t j = 0; j < view.inner; ++j) {
        int64_t i = reverse ? view.extent - 1 - n : n;
        int64_t before = reverse ? i + 1 : i - 1;
        T &place = out[view.at(o, i, j)];
        place = combine(kind, type, out[view.at(o, before, j)], place);
      }
}

static LogicalResult runReduce(ReduceOp op, Frame &frame) {
  Tile result = frame.makeResult(op);
  const Tile &source = frame.getTile(op.getSource());
  AxisView view(source.getShape(), op.getAxis());
  int64_t keep = op.getKeep().value_or(1);
  visitNumbers(source.getType(), [&](auto number) {
    using T = decltype(number);
    reduce(view, keep, op.getKind(), source.getType(), source.get<T>(),
           result.getMutable<T>());
  });
  frame.set(op.getResult(), std::move(result));
  return success();
}

static LogicalResult runScan(ScanOp op, Frame &frame) {
  Tile result = frame.getTile(op.getSource());
  AxisView view(result.getShape(), op.getAxis());
  visitNumbers(result.getType(), [&](auto number) {
    scan(view, op.getKind(), result.getType(), op.getReverse(),
         result.getMutable<decltype(number)>());
  });
  frame.set(op.getResult(), std::move(result));
  return success();
}

//===----------------------------------------------------------------------===//
// Reduction and scan by a region
//===----------------------------------------------------------------------===//

/// Copies one element per line: element (o, i, j) of `tile` is element
/// o x inner + j of `line`.
template <typename Copy>
static void forEachLine(const AxisView &view, int64_t i, Copy copy) {
  for (int64_t o = 0; o < view.outer; ++o)
    for (int64_t j = 0; j < view.inner; ++j)
      copy(o * view.inner + j, view.at(o, i, j));
}

template <typename OpTy, typename Visit>
static LogicalResult fold(OpTy op, Frame &frame, bool isReverse, Visit visit) {
  AxisView view(frame.getTile(op.getSources().front()).getShape(),
                op.getAxis());
  CombinerFrame combiner(frame, op.getCombiner(), view.outer * view.inner);
  auto getPlace = [&](int64_t step) {
    return isReverse ? view.extent - 1 - step : step;
  };
  auto get = [&](int64_t step) {
    CombinerFrame::Group group;
    for (Value source : op.getSources()) {
      const Tile &tile = frame.getTile(source);
      Tile line = combiner.makeOwn(getElementTypeOrSelf(source.getType()));
      auto gather = [&](auto in, auto out) {
        forEachLine(view, getPlace(step),
                    [&](int64_t to, int64_t from) { out[to] = in[from]; });
      };
      visitNumbers(tile.getType(), [&](auto number) {
        using T = decltype(number);
        gather(tile.get<T>(), line.getMutable<T>());
      });
      group.push_back(std::move(line));
    }
    return group;
  };
  return combiner.fold(view.extent, get,
                       [&](int64_t step, const CombinerFrame::Group &group) {
                         visit(view, getPlace(step), group);
                       });
}

static LogicalResult runReduceWith(ReduceWithOp op, Frame &frame) {
  return fold(
      op, frame, /*isReverse=*/false,
      [&](const AxisView &view, int64_t i, const CombinerFrame::Group &group) {
        if (i + 1 != view.extent)
          return;
        for (auto [result, tile] : llvm::zip_equal(op.getResults(), group))
          frame.set(result,
                    tile.reshape(
                        cast<RankedTensorType>(result.getType()).getShape()));
      });
}

static LogicalResult runScanWith(ScanWithOp op, Frame &frame) {
  SmallVector<Tile> results;
  for (unsigned number = 0; number < op.getNumResults(); ++number)
    results.push_back(frame.makeResult(op, number));
  auto scatter = [&](const AxisView &view, int64_t i,
                     const CombinerFrame::Group &group) {
    for (size_t number = 0; number < results.size(); ++number)
      visitNumbers(results[number].getType(), [&](auto zero) {
        using T = decltype(zero);
        ArrayRef<T> in = group[number].get<T>();
        MutableArrayRef<T> out = results[number].getMutable<T>();
        forEachLine(view, i,
                    [&](int64_t from, int64_t to) { out[to] = in[from]; });
      });
  };
  if (failed(fold(op, frame, op.getReverse(), scatter)))
    return failure();
  for (auto [value, result] : llvm::zip_equal(op.getResults(), results))
    frame.set(value, std::move(result));
  return success();
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// Sets out[i] to the source element at the position of i, with 0 in dimensions
/// of extent 1.
template <typename T>
static void broadcast(ArrayRef<T> source, ArrayRef<int64_t> from,
                      ArrayRef<int64_t> to, MutableArrayRef<T> out) {
  SmallVector<int64_t> strides(from.size()), position(to.size(), 0);
  int64_t stride = 1;
  for (int64_t dim = from.size() - 1; dim >= 0; --dim) {
    strides[dim] = from[dim] == 1 ? 0 : stride;
    stride *= from[dim];
  }
  int64_t offset = 0;
  for (T &element : out) {
    element = source[offset];
    for (int64_t dim = to.size() - 1; dim >= 0; --dim) {
      offset += strides[dim];
      if (++position[dim] < to[dim])
        break;
      offset -= strides[dim] * to[dim];
      position[dim] = 0;
    }
  }
}

static LogicalResult runBroadcast(BroadcastOp op, Frame &frame) {
  Tile result = frame.makeResult(op);
  const Tile &source = frame.getTile(op.getSource());
  visitNumbers(source.getType(), [&](auto number) {
    using T = decltype(number);
    broadcast(source.get<T>(), source.getShape(), result.getShape(),
              result.getMutable<T>());
  });
  frame.set(op.getResult(), std::move(result));
  return success();
}

static LogicalResult runExpandDims(ExpandDimsOp op, Frame &frame) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  Tile result = frame.getTile(op.getSource()).reshape(type.getShape());
  frame.set(op.getResult(), std::move(result));
  return success();
}

static LogicalResult runTranspose(TransposeOp op, Frame &frame) {
  Tile result = frame.makeResult(op);
  const Tile &source = frame.getTile(op.getSource());
  int64_t rows = source.getShape()[0], columns = source.getShape()[1];
  visitNumbers(source.getType(), [&](auto number) {
    using T = decltype(number);
    llvm::copy(transpose(source.get<T>(), rows, columns),
               result.getMutable<T>().begin());
  });
  frame.set(op.getResult(), std::move(result));
  return success();
}

static LogicalResult runRearrange(RearrangeOp op, Frame &frame) {
  Tile result = frame.makeResult(op);
  std::vector<int64_t> numbers =
      IndexMap::get(op).evaluateAll(result.getShape());
  int64_t first = 0;
  for (Value source : op.getSources()) {
    const Tile &tile = frame.getTile(source);
    int64_t count = tile.getNumElements();
    auto pick = [&](auto in, auto out) {
      for (auto [number, element] : llvm::zip_equal(numbers, out))
        if (number >= first && number < first + count)
          element = in[number - first];
    };
    visitNumbers(tile.getType(), [&](auto number) {
      using T = decltype(number);
      pick(tile.get<T>(), result.getMutable<T>());
    });
    first += count;
  }
  frame.set(op.getResult(), std::move(result));
  return success();
}

static LogicalResult runIota(IotaOp op, Frame &frame) {
  Tile result = frame.makeResult(op);
  for (auto [i, element] : llvm::enumerate(result.mutableIntegers()))
    element = static_cast<int64_t>(i);
  frame.set(op.getResult(), std::move(result));
  return success();
}

void interp::addTileComputeSemantics(SemanticsTable &table) {
  table.add<GemmOp>(runGemm);
  table.add<ReduceOp>(runReduce);
  table.add<ScanOp>(runScan);
  table.add<ReduceWithOp>(runReduceWith);
  table.add<ScanWithOp>(runScanWith);
  table.add<BroadcastOp>(runBroadcast);
  table.add<ExpandDimsOp>(runExpandDims);
  table.add<TransposeOp>(runTranspose);
  table.add<RearrangeOp>(runRearrange);
  table.add<IotaOp>(runIota);
}
