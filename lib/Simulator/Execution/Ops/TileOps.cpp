//===- TileOps.cpp - Tiles in registers -------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that move elements between threads: conversions, rearrangements,
// broadcasts, reductions, scans. Within a warp, an op happens at once. Through
// scratch memory, the warps of a role synchronise before it is written and
// before it is read; the tiles themselves are passed directly, as fragments in
// an Exchange.
//
// Invariant: an op only reads elements that its warp holds, or that came
// through scratch memory. Other reads are defects.
//
//===----------------------------------------------------------------------===//

#include "Behaviours.h"
#include "Tiles/SharedElements.h"

#include "tessera/Dialect/Tile/IR/IndexMap.h"
#include "tessera/Interpreter/Combine.h"
#include "tessera/Interpreter/CombinerFrame.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace tessera;
using namespace tessera::sim;
using interp::Tile;

//===----------------------------------------------------------------------===//
// Elements within a warp
//===----------------------------------------------------------------------===//

/// Sets result[p] to the source element `getSource(element of p)`, which the
/// warp must hold.
static Outcome rearrange(Operation *op, Value from, Warp &warp,
                         function_ref<int64_t(int64_t)> getSource) {
  const Tile &source = warp.getTile(from);
  const Fragment &held = warp.getFragment(from.getType());
  const Fragment &wanted = warp.getFragment(op->getResult(0).getType());
  Tile result = warp.makeResult(op);
  bool isHeld = true;
  auto pick = [&](auto in, auto out) {
    for (auto [place, element] : llvm::enumerate(wanted.elements)) {
      int32_t other = held.places[getSource(element)];
      if (other < 0)
        isHeld = false;
      else
        out[place] = in[other];
    }
  };
  interp::visitNumbers(source.getType(), [&](auto number) {
    using T = decltype(number);
    pick(source.get<T>(), result.getMutable<T>());
  });
  if (!isHeld) {
    (void)warp.reportNotHeld(op);
    return Outcome::Failed;
  }
  warp.set(op->getResult(0), std::move(result));
  return Outcome::Done;
}

static Outcome runIndices(sm::IndicesOp op, Warp &warp) {
  Tile result = warp.makeResult(op);
  int64_t start = warp.getInteger(op.getStart());
  const Fragment &fragment = warp.getFragment(op.getType());
  for (auto [out, element] :
       llvm::zip(result.mutableIntegers(), fragment.elements))
    out = start + element;
  result.normalize();
  warp.set(op.getResult(), std::move(result));
  return Outcome::Done;
}

static Outcome runExpandDims(sm::ExpandDimsOp op, Warp &warp) {
  return rearrange(op, op.getSource(), warp,
                   [](int64_t element) { return element; });
}

static Outcome runTranspose(sm::TransposeOp op, Warp &warp) {
  ArrayRef<int64_t> shape = op.getSource().getType().getShape();
  int64_t rows = shape[0], columns = shape[1];
  return rearrange(op, op.getSource(), warp, [=](int64_t element) {
    return element % rows * columns + element / rows;
  });
}

static Outcome runBroadcast(sm::BroadcastOp op, Warp &warp) {
  ArrayRef<int64_t> from = op.getSource().getType().getShape();
  ArrayRef<int64_t> to = op.getResult().getType().getShape();
  return rearrange(op, op.getSource(), warp, [=](int64_t element) {
    int64_t source = 0, stride = 1;
    for (size_t dim = to.size(); dim-- > 0;) {
      if (from[dim] != 1)
        source += element % to[dim] * stride;
      stride *= from[dim];
      element /= to[dim];
    }
    return source;
  });
}

static Outcome runAny(sm::AnyOp op, Warp &warp) {
  bool any = llvm::any_of(warp.getTile(op.getSource()).integers(),
                          [](int64_t element) { return element != 0; });
  warp.set(op.getResult(), Tile::getInteger(interp::ElementType::I1, any));
  return Outcome::Done;
}

/// Extracts the scalar of a tile of one element, which every thread holds.
static Outcome runExtract(tensor::ExtractOp op, Warp &warp) {
  if (op.getTensor().getType().getNumElements() != 1)
    return warp.fail(op, "takes one element out of a tile that threads share; "
                         "reduce it instead");
  warp.set(op.getResult(), warp.getTile(op.getTensor()).getElement(0));
  return Outcome::Done;
}

//===----------------------------------------------------------------------===//
// Exchange through scratch memory
//===----------------------------------------------------------------------===//

static bool takesScratch(Operation *op, Warp &warp) {
  return warp.getCta().getSimulation().getScratchBytes(op) != 0;
}

/// Records an access to the scratch memory, which only has an address in the
/// last forms.
static LogicalResult recordScratch(Operation *op, Warp &warp, bool isWrite) {
  std::optional<int64_t> address =
      cast<sm::SharedMemoryOpInterface>(op).getSharedAddress();
  if (!address)
    return success();
  return recordAccess(op, warp, *address,
                      warp.getCta().getSimulation().getScratchBytes(op),
                      isWrite);
}

/// Passes the warp's fragments of the operands to the other warps.
static Outcome deposit(Operation *op, Warp &warp) {
  if (!takesScratch(op, warp))
    return Outcome::Done;
  // The lowering decides which warp writes which byte. The check is that no
  // other op uses the memory.
  if (warp.isFirstOfRole() && failed(recordScratch(op, warp, /*isWrite=*/true)))
    return Outcome::Failed;
  Exchange &exchange = warp.getCta().getExchange(op);
  exchange.operands.resize(op->getNumOperands());
  for (auto [operand, passed] :
       llvm::zip_equal(op->getOperands(), exchange.operands)) {
    passed.fragments.resize(warp.getRoleWarps());
    passed.fragments[warp.getRank()] = warp.getTile(operand);
    passed.whole = Tile();
  }
  return Outcome::Done;
}

/// Returns a whole operand, assembled from the fragments of all warps.
static const Tile &getWhole(Operation *op, unsigned number, Warp &warp) {
  Exchange::Operand &exchange = warp.getCta().getExchange(op).operands[number];
  if (exchange.whole.getNumElements() != 0)
    return exchange.whole;
  auto type = cast<RankedTensorType>(op->getOperand(number).getType());
  Tile whole = interp::Frame::makeWhole(type);
  const Distribution &distribution =
      warp.getCta().getSimulation().tables.getDistribution(type);
  interp::visitNumbers(whole.getType(), [&](auto number) {
    using T = decltype(number);
    MutableArrayRef<T> out = whole.getMutable<T>();
    for (auto [fragment, tile] : llvm::zip(distribution, exchange.fragments)) {
      ArrayRef<T> in = tile.get<T>();
      for (auto [place, element] : llvm::enumerate(fragment.elements))
        if (fragment.isFirst[place])
          out[element] = in[place];
    }
  });
  exchange.whole = std::move(whole);
  return exchange.whole;
}

/// Calls `compute(at)`, where at(e) is element e of an operand. All requested
/// elements must be held by the warp, or come through scratch memory.
template <typename T, typename Compute>
static bool computeFrom(Operation *op, unsigned number, Warp &warp,
                        Compute compute) {
  Value operand = op->getOperand(number);
  bool isHeld = true;
  if (takesScratch(op, warp)) {
    ArrayRef<T> whole = getWhole(op, number, warp).get<T>();
    compute([whole](int64_t element) { return whole[element]; });
    return true;
  }
  ArrayRef<T> own = warp.getTile(operand).get<T>();
  const Fragment &fragment = warp.getFragment(operand.getType());
  compute([&](int64_t element) {
    int32_t place = fragment.places[element];
    isHeld &= place >= 0;
    return own[std::max(place, 0)];
  });
  return isHeld;
}

/// Sets the result of `op` by compute(at, out), with `at` as above.
template <typename Compute>
static Outcome computeResult(Operation *op, Warp &warp, Compute compute) {
  if (takesScratch(op, warp) &&
      failed(recordScratch(op, warp, /*isWrite=*/false)))
    return Outcome::Failed;
  Tile result = warp.makeResult(op);
  bool isHeld = interp::visitNumbers(result.getType(), [&](auto number) {
    using T = decltype(number);
    return computeFrom<T>(
        op, 0, warp, [&](auto at) { compute(at, result.getMutable<T>()); });
  });
  if (!isHeld) {
    (void)warp.reportNotHeld(op);
    return Outcome::Failed;
  }
  warp.set(op->getResult(0), std::move(result));
  return Outcome::Done;
}

static Outcome runReduce(sm::ReduceOp op, Warp &warp) {
  RankedTensorType source = op.getSource().getType();
  interp::ElementType type = *interp::getElementType(source.getElementType());
  interp::AxisView view(source.getShape(), op.getAxis());
  int64_t keep = op.getKeep().value_or(1);
  const Fragment &fragment = warp.getFragment(op.getType());
  return computeResult(op, warp, [&](auto at, auto out) {
    for (auto [place, element] : llvm::enumerate(fragment.elements)) {
      // Copies in other registers and lanes have the same bits.
      int32_t first = fragment.places[element];
      if (first < int64_t(place)) {
        out[place] = out[first];
        continue;
      }
      int64_t inner = element % view.inner, rest = element / view.inner;
      int64_t outer = rest / keep, start = rest % keep;
      auto sum = at(view.at(outer, start, inner));
      for (int64_t i = start + keep; i < view.extent; i += keep)
        sum = interp::combine(op.getKind(), type, sum,
                              at(view.at(outer, i, inner)));
      out[place] = sum;
    }
  });
}

static Outcome runScan(sm::ScanOp op, Warp &warp) {
  RankedTensorType source = op.getSource().getType();
  interp::ElementType type = *interp::getElementType(source.getElementType());
  interp::AxisView view(source.getShape(), op.getAxis());
  const Fragment &fragment = warp.getFragment(op.getType());
  return computeResult(op, warp, [&](auto at, auto out) {
    for (int64_t o = 0; o < view.outer; ++o)
      for (int64_t j = 0; j < view.inner; ++j) {
        // Skip lines without an element of this warp.
        auto isOwn = [&](int64_t i) {
          return fragment.places[view.at(o, i, j)] >= 0;
        };
        int64_t i = 0;
        while (i < view.extent && !isOwn(i))
          ++i;
        if (i == view.extent)
          continue;
        int64_t last = op.getReverse() ? view.extent - 1 : 0;
        auto sum = at(view.at(o, last, j));
        for (int64_t n = 0; n < view.extent; ++n) {
          int64_t i = op.getReverse() ? view.extent - 1 - n : n;
          int64_t element = view.at(o, i, j);
          if (n != 0)
            sum = interp::combine(op.getKind(), type, sum, at(element));
          if (isOwn(i))
            out[fragment.places[element]] = sum;
        }
      }
    for (auto [place, element] : llvm::enumerate(fragment.elements))
      out[place] = out[fragment.places[element]];
  });
}

//===----------------------------------------------------------------------===//
// Reductions and scans by a region
//===----------------------------------------------------------------------===//

/// Combines `extent` groups of one element per line. `getElement(line, step)`
/// is the number of an element of the operands, and `visit` takes the results.
template <typename OpTy>
static Outcome
fold(OpTy op, Warp &warp, int64_t extent, int64_t lines,
     function_ref<int64_t(int64_t, int64_t)> getElement,
     function_ref<void(int64_t, const interp::CombinerFrame::Group &)> visit) {
  if (takesScratch(op, warp) &&
      failed(recordScratch(op, warp, /*isWrite=*/false)))
    return Outcome::Failed;
  interp::CombinerFrame combiner(warp, op.getCombiner(), lines);
  bool isHeld = true;
  auto get = [&](int64_t step) {
    interp::CombinerFrame::Group group;
    for (unsigned source = 0; source < op->getNumOperands(); ++source) {
      Tile line =
          combiner.makeOwn(getElementTypeOrSelf(op->getOperand(source)));
      interp::visitNumbers(line.getType(), [&](auto number) {
        using T = decltype(number);
        MutableArrayRef<T> out = line.getMutable<T>();
        isHeld &= computeFrom<T>(op, source, warp, [&](auto at) {
          for (int64_t i = 0; i < lines; ++i)
            out[i] = at(getElement(i, step));
        });
      });
      group.push_back(std::move(line));
    }
    return group;
  };
  if (failed(combiner.fold(extent, get, visit)))
    return Outcome::Failed;
  if (isHeld)
    return Outcome::Done;
  (void)warp.reportNotHeld(op);
  return Outcome::Failed;
}

static Outcome runReduceWith(sm::ReduceWithOp op, Warp &warp) {
  auto source = cast<RankedTensorType>(op.getSources().front().getType());
  interp::AxisView view(source.getShape(), op.getAxis());
  const Fragment &fragment = warp.getFragment(op.getResult(0).getType());
  ArrayRef<int32_t> elements = fragment.elements;
  return fold(
      op, warp, view.extent, elements.size(),
      [&](int64_t line, int64_t step) {
        return view.at(elements[line] / view.inner, step,
                       elements[line] % view.inner);
      },
      [&](int64_t step, const interp::CombinerFrame::Group &group) {
        if (step + 1 == view.extent)
          for (auto [result, tile] : llvm::zip_equal(op.getResults(), group))
            warp.set(result,
                     tile.reshape(warp.makeOwn(result.getType()).getShape()));
      });
}

static Outcome runScanWith(sm::ScanWithOp op, Warp &warp) {
  auto source = cast<RankedTensorType>(op.getSources().front().getType());
  interp::AxisView view(source.getShape(), op.getAxis());
  const Fragment &fragment = warp.getFragment(source);
  // The lines with an element of this warp.
  SmallVector<std::pair<int64_t, int64_t>> lines;
  for (int64_t o = 0; o < view.outer; ++o)
    for (int64_t j = 0; j < view.inner; ++j)
      for (int64_t i = 0; i < view.extent; ++i)
        if (fragment.places[view.at(o, i, j)] >= 0) {
          lines.push_back({o, j});
          break;
        }
  auto getElement = [&](int64_t line, int64_t step) {
    auto [o, j] = lines[line];
    return view.at(o, op.getReverse() ? view.extent - 1 - step : step, j);
  };
  SmallVector<Tile> results;
  for (unsigned number = 0; number < op->getNumResults(); ++number)
    results.push_back(warp.makeResult(op, number));
  auto visit = [&](int64_t step, const interp::CombinerFrame::Group &group) {
    for (size_t i = 0; i < results.size(); ++i)
      interp::visitNumbers(results[i].getType(), [&](auto number) {
        using T = decltype(number);
        ArrayRef<T> in = group[i].get<T>();
        MutableArrayRef<T> out = results[i].getMutable<T>();
        for (int64_t line = 0, e = lines.size(); line < e; ++line)
          if (int32_t place = fragment.places[getElement(line, step)];
              place >= 0)
            out[place] = in[line];
      });
  };
  Outcome outcome =
      fold(op, warp, view.extent, lines.size(), getElement, visit);
  if (outcome != Outcome::Done)
    return outcome;
  for (Value value : op.getResults()) {
    Tile &result = results[cast<OpResult>(value).getResultNumber()];
    // Copies in other registers and lanes have the same bits.
    interp::visitNumbers(result.getType(), [&](auto number) {
      auto out = result.getMutable<decltype(number)>();
      for (auto [place, element] : llvm::enumerate(fragment.elements))
        out[place] = out[fragment.places[element]];
    });
    warp.set(value, std::move(result));
  }
  return Outcome::Done;
}

static Outcome runConvert(sm::ConvertOp op, Warp &warp) {
  const Fragment &fragment = warp.getFragment(op.getType());
  return computeResult(op, warp, [&](auto at, auto out) {
    for (auto [place, element] : llvm::enumerate(fragment.elements))
      out[place] = at(element);
  });
}

static Outcome runRearrange(sm::RearrangeOp op, Warp &warp) {
  if (takesScratch(op, warp) &&
      failed(recordScratch(op, warp, /*isWrite=*/false)))
    return Outcome::Failed;
  Tile result = warp.makeResult(op);
  std::vector<int64_t> numbers = tile::IndexMap::get(op).evaluateAll(
      cast<RankedTensorType>(op.getType()).getShape());
  const Fragment &fragment = warp.getFragment(op.getType());
  bool isHeld = true;
  int64_t first = 0;
  for (unsigned operand = 0; operand < op.getSources().size(); ++operand) {
    auto type = cast<RankedTensorType>(op.getSources()[operand].getType());
    int64_t count = type.getNumElements();
    interp::visitNumbers(result.getType(), [&](auto zero) {
      using T = decltype(zero);
      MutableArrayRef<T> out = result.getMutable<T>();
      isHeld &= computeFrom<T>(op, operand, warp, [&](auto at) {
        for (auto [place, element] : llvm::enumerate(fragment.elements))
          if (int64_t number = numbers[element] - first;
              number >= 0 && number < count)
            out[place] = at(number);
      });
    });
    first += count;
  }
  if (!isHeld) {
    (void)warp.reportNotHeld(op);
    return Outcome::Failed;
  }
  warp.set(op.getResult(), std::move(result));
  return Outcome::Done;
}

template <typename OpTy>
static void addExchange(BehaviourTable &table, Outcome (*take)(OpTy, Warp &)) {
  table.add<OpTy>({meetRole(takesScratch),
                   {deposit},
                   meetRole(takesScratch),
                   {BehaviourTable::makeStage(take)}});
}

void sim::addTileBehaviours(BehaviourTable &table) {
  table.addPrivate<sm::IndicesOp>(runIndices);
  table.addPrivate<sm::ExpandDimsOp>(runExpandDims);
  table.addPrivate<sm::TransposeOp>(runTranspose);
  table.addPrivate<sm::BroadcastOp>(runBroadcast);
  table.addPrivate<sm::AnyOp>(runAny);
  table.addPrivate<tensor::ExtractOp>(runExtract);
  addExchange<sm::ReduceOp>(table, runReduce);
  addExchange<sm::ScanOp>(table, runScan);
  addExchange<sm::ReduceWithOp>(table, runReduceWith);
  addExchange<sm::ScanWithOp>(table, runScanWith);
  addExchange<sm::RearrangeOp>(table, runRearrange);
  addExchange<sm::ConvertOp>(table, runConvert);
}
