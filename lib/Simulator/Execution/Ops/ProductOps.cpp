//===- ProductOps.cpp - Matrix products -------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Behaviour of MMAs. A product of a role is one group of the tensor cores of
// each warpgroup. Each of the four warps issues its rows, and the group may
// take effect once all four have issued it. Operands in shared memory are
// recorded as reads at issue; the values are read when the group takes effect.
//
// Invariants: groups of a warpgroup take effect in order, a pending tile is
// consumed once, and `issued` and `retired` count the groups that a warp has
// issued and awaited.
//
//===----------------------------------------------------------------------===//

#include "Behaviours.h"
#include "Tiles/SharedElements.h"

#include "tessera/Interpreter/MultiplyAdd.h"

using namespace tessera;
using namespace tessera::sim;
using interp::Handle;
using interp::Tile;

static TensorCores &getCores(Warp &warp) {
  return warp.getCta().getTensorCores(warp.getFirstWarp(), warp.getWarpgroup());
}

/// Consumes the result of group `index` for the warp. Fails with a report if it
/// was consumed before.
static LogicalResult consume(Operation *op, Warp &warp, TensorCores &cores,
                             int64_t index) {
  Product::Part &part = cores.products[index].parts[warp.getRank() % 4];
  if (part.isConsumed)
    return warp.report(op, "this pending tile was used before");
  part.isConsumed = true;
  return success();
}

/// Checks whether the operand or accumulator is still being computed.
static bool isPending(Value value) {
  return isa<sm::PendingType>(value.getType());
}

template <typename OpTy>
static Outcome issue(OpTy op, Warp &warp) {
  Cta &cta = warp.getCta();
  TensorCores &cores = getCores(warp);
  int64_t index = warp.issued;
  bool isNew = index == int64_t(cores.products.size());
  bool isInRegisters = isa<RankedTensorType>(op.getA().getType());
  int64_t a = isInRegisters ? 0 : warp.getHandle(op.getA()).number;
  int64_t b = warp.getHandle(op.getB()).number;
  if (isNew) {
    Product &product = cores.products.emplace_back();
    product.number = cta.getCluster().startAsync();
    product.op = op;
    product.a = a;
    product.b = b;
  }
  Product &product = cores.products[index];
  if (product.op != op || product.a != a || product.b != b)
    return warp.fail(op, "the warps of a warpgroup issue different products");
  Product::Part &part = product.parts[warp.getRank() % 4];
  part.warp = &warp;
  if (isPending(op.getAccumulator())) {
    part.previous = warp.getHandle(op.getAccumulator()).number;
    if (failed(consume(op, warp, cores, part.previous)))
      return Outcome::Failed;
  } else {
    part.accumulator = warp.getTile(op.getAccumulator());
  }

  auto right = cast<sm::SmemType>(op.getB().getType());
  if (failed(recordAccess(op, warp, b, right.getBytes(), /*isWrite=*/false,
                          product.number)))
    return Outcome::Failed;
  if (isInRegisters) {
    part.a = warp.getTile(op.getA());
  } else {
    auto left = cast<sm::SmemType>(op.getA().getType());
    Type accumulator = op.getResult().getType();
    if (auto pending = dyn_cast<sm::PendingType>(accumulator))
      accumulator = pending.getTensor();
    const Footprint &rows = cta.getSimulation().tables.getRowFootprint(
        cast<RankedTensorType>(accumulator), warp.getRank(), left,
        op.getTransposeA());
    if (failed(
            recordAccess(op, warp, a, rows, /*isWrite=*/false, product.number)))
      return Outcome::Failed;
  }
  ++product.arrived;
  Tracer *tracer = cta.getSimulation().tracer.get();
  if (tracer && product.arrived == product.parts.size())
    tracer->start(cta.getNumber(), product.number, op);
  ++warp.issued;
  warp.advance();
  if (isPending(op.getResult()))
    warp.set(op.getResult(), Handle{index, 0});
  return Outcome::Done;
}

/// Waits until at most `leave` groups of the warp are in flight.
static Outcome retire(Warp &warp, int64_t leave) {
  TensorCores &cores = getCores(warp);
  int64_t end = warp.issued - leave;
  for (int64_t i = warp.retired; i < end; ++i)
    if (!cores.products[i].isDone)
      return warp.block([] {
        return std::string("its products, which not all warps of its "
                           "warpgroup have issued");
      });
  if (warp.isAsking())
    return Outcome::Ready;
  for (; warp.retired < end; ++warp.retired)
    warp.see(cores.products[warp.retired].number);
  return Outcome::Done;
}

static Outcome runRetire(sm::MmaRetireOp op, Warp &warp) {
  return retire(warp, op.getLeave());
}

/// Sets the result of `op` to the tile of group `index`.
static Outcome yield(Operation *op, Warp &warp, int64_t index) {
  TensorCores &cores = getCores(warp);
  if (index >= warp.retired)
    return warp.fail(op, "the product of this tile may still be in flight");
  if (failed(consume(op, warp, cores, index)))
    return Outcome::Failed;
  Product::Part &part = cores.products[index].parts[warp.getRank() % 4];
  warp.set(op->getResult(0), std::move(part.accumulator));
  return Outcome::Done;
}

static Outcome runAwait(sm::MmaAwaitOp op, Warp &warp) {
  Outcome outcome = retire(warp, op.getLeave());
  if (outcome != Outcome::Done)
    return outcome;
  return yield(op, warp, warp.getHandle(op.getPending()).number);
}

static Outcome awaitOwn(sm::MmaOp op, Warp &warp) {
  Outcome outcome = retire(warp, /*leave=*/0);
  if (outcome != Outcome::Done)
    return outcome;
  return yield(op, warp, warp.issued - 1);
}

//===----------------------------------------------------------------------===//
// Arithmetic of the tensor cores
//===----------------------------------------------------------------------===//

/// Loads the operand B as rows along K.
template <typename Scalar>
static std::vector<Scalar> loadB(Cta &cta, const SharedTile &tile,
                                 bool isTransposed) {
  int64_t count = tile.type.getNumElements();
  Tile values(tile.getElementType(), {count});
  loadElements(cta, tile, cta.getSimulation().tables.getAllElements(count),
               values);
  ArrayRef<Scalar> elements = values.get<Scalar>();
  if (!isTransposed)
    return elements.vec();
  int64_t n = tile.type.getShape()[0], k = tile.type.getShape()[1];
  std::vector<Scalar> turned(count);
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = 0; i < k; ++i)
      turned[i * n + j] = elements[j * k + i];
  return turned;
}

/// Loads the rows of A of the warp of `part`, in the order of `view`.
template <typename Scalar, typename OpTy>
static std::vector<Scalar> loadRows(OpTy op, Cta &cta, const Product &product,
                                    const Product::Part &part,
                                    const RowView &view, int64_t m, int64_t k) {
  int64_t count = view.rows.size() * k;
  if (auto left = dyn_cast<sm::SmemType>(op.getA().getType())) {
    std::vector<int32_t> elements;
    elements.reserve(count);
    for (int64_t row : view.rows)
      for (int64_t i = 0; i < k; ++i)
        elements.push_back(op.getTransposeA() ? i * m + row : row * k + i);
    SharedTile tile{left, product.a, Proxy::Async};
    Tile values(tile.getElementType(), {count});
    loadElements(cta, tile, elements, values);
    return values.get<Scalar>().vec();
  }
  std::vector<Scalar> rows(count);
  ArrayRef<Scalar> elements = part.a.get<Scalar>();
  const Fragment &fragment = cta.getSimulation().tables.getDistribution(
      cast<RankedTensorType>(op.getA().getType()))[part.warp->getRank()];
  RowView own(fragment, k);
  for (int64_t place = 0, e = fragment.getNumPlaces(); place < e; ++place)
    rows[own.row[place] * k + own.column[place]] = elements[place];
  return rows;
}

template <typename Scalar, typename OpTy, typename AddScaled>
static void multiply(OpTy op, Product &product, TensorCores &cores, Cta &cta,
                     RankedTensorType accumulator, AddScaled addScaled) {
  auto right = cast<sm::SmemType>(op.getB().getType());
  int64_t m = accumulator.getDimSize(0), n = accumulator.getDimSize(1);
  int64_t k = right.getShape()[op.getTransposeB()];
  std::vector<Scalar> b =
      loadB<Scalar>(cta, {right, product.b, Proxy::Async}, op.getTransposeB());
  // Tensor cores read f32 as TF32.
  auto truncate = [&](std::vector<Scalar> &values) {
    if constexpr (std::is_same_v<Scalar, float>)
      if (right.getElementType().isF32())
        llvm::transform(values, values.begin(), interp::truncateToTF32);
  };
  truncate(b);
  for (auto [i, part] : llvm::enumerate(product.parts)) {
    const Fragment &fragment = cta.getSimulation().tables.getDistribution(
        accumulator)[part.warp->getRank()];
    RowView view(fragment, n);
    if (part.previous >= 0)
      part.accumulator =
          std::move(cores.products[part.previous].parts[i].accumulator);
    std::vector<Scalar> a =
        loadRows<Scalar>(op, cta, product, part, view, m, k);
    truncate(a);
    std::vector<Scalar> c(view.rows.size() * n);
    MutableArrayRef<Scalar> sums = part.accumulator.getMutable<Scalar>();
    for (size_t place = 0; place < sums.size(); ++place)
      c[view.row[place] * n + view.column[place]] = sums[place];
    interp::multiply(c.data(), a.data(), b.data(), view.rows.size(), n, k,
                     addScaled);
    for (size_t place = 0; place < sums.size(); ++place)
      sums[place] = c[view.row[place] * n + view.column[place]];
    part.accumulator.normalize();
    part.a = Tile();
  }
}

template <typename OpTy>
static void multiply(OpTy op, Product &product, TensorCores &cores, Cta &cta,
                     RankedTensorType accumulator) {
  if (accumulator.getElementType().isInteger())
    multiply<int64_t>(op, product, cores, cta, accumulator,
                      interp::addScaledIntegers);
  else
    multiply<float>(op, product, cores, cta, accumulator,
                    interp::addScaledNarrow);
}

void sim::multiply(Product &product, TensorCores &cores, Cta &cta) {
  if (auto op = dyn_cast<sm::MmaOp>(product.op))
    ::multiply(op, product, cores, cta, op.getResult().getType());
  else if (auto op = dyn_cast<sm::MmaIssueOp>(product.op))
    ::multiply(op, product, cores, cta, op.getResult().getType().getTensor());
}

//===----------------------------------------------------------------------===//
// Products of threads
//===----------------------------------------------------------------------===//

static Outcome runDot(sm::DotOp op, Warp &warp) {
  Cta &cta = warp.getCta();
  RankedTensorType type = op.getResult().getType();
  const Fragment &fragment = warp.getFragment(type);
  auto load = [&](Value operand) -> FailureOr<Tile> {
    SharedTile tile{cast<sm::SmemType>(operand.getType()),
                    warp.getHandle(operand).number};
    if (failed(recordAccess(op, warp, tile.base, tile.type.getBytes(),
                            /*isWrite=*/false)))
      return failure();
    int64_t count = tile.type.getNumElements();
    Tile values(tile.getElementType(), {count});
    loadElements(cta, tile, cta.getSimulation().tables.getAllElements(count),
                 values);
    return values;
  };
  FailureOr<Tile> a = load(op.getA()), b = load(op.getB());
  if (failed(a) || failed(b))
    return Outcome::Failed;
  int64_t m = type.getDimSize(0), n = type.getDimSize(1);
  int64_t k = op.getA().getType().getShape()[!op.getTransposeA()];
  int64_t rowA = op.getTransposeA() ? 1 : k, stepA = op.getTransposeA() ? m : 1;
  int64_t columnB = op.getTransposeB() ? k : 1;
  int64_t stepB = op.getTransposeB() ? 1 : n;
  Tile result = warp.getTile(op.getAccumulator());
  auto sum = [&](auto from, auto with, auto out, auto addScaled) {
    for (auto [place, element] : llvm::enumerate(fragment.elements)) {
      int64_t atA = element / n * rowA, atB = element % n * columnB;
      for (int64_t i = 0; i < k; ++i, atA += stepA, atB += stepB)
        addScaled(&out[place], from[atA], &with[atB], 1);
    }
  };
  if (!result.isFloat())
    sum(a->integers(), b->integers(), result.mutableIntegers(),
        interp::addScaledIntegers);
  else if (a->getType() == interp::ElementType::F32)
    sum(a->get<float>(), b->get<float>(), result.getMutable<float>(),
        interp::addScaledWide);
  else
    sum(a->get<float>(), b->get<float>(), result.getMutable<float>(),
        interp::addScaledNarrow);
  result.normalize();
  warp.set(op.getResult(), std::move(result));
  return Outcome::Done;
}

void sim::addProductBehaviours(BehaviourTable &table) {
  table.add<sm::MmaIssueOp>(issue<sm::MmaIssueOp>);
  table.add<sm::MmaAwaitOp>({{BehaviourTable::makeStage(runAwait).waits()}});
  table.add<sm::MmaRetireOp>({{BehaviourTable::makeStage(runRetire).waits()}});
  table.add<sm::MmaOp>({{BehaviourTable::makeStage(issue<sm::MmaOp>)},
                        {BehaviourTable::makeStage(awaitOwn).waits()}});
  table.add<sm::DotOp>(runDot);
}
