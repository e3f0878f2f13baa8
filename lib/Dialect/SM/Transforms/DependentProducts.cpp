//===- DependentProducts.cpp - A product made of another one ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attention: s = q k', then work on s in registers that ends in p, then
// o = p v + f(o). Iteration j of the new loop issues s(j) and right after it
// the product that uses p(j-1); the work on s(j) runs while the latter goes on:
//
//   s(0), work(0), p(0), f(0)                      under a test of the trip
//   count for j from the second on
//     wait k(j), v(j-1)
//     s = issue q, k(j), 0
//     o = issue p, v(j-1), f(o)
//     await s leave 1; release k(j)
//     work(j)
//     await o; release v(j-1)
//     p(j), f(j)
//   wait v; o = issue p, v, f(o); await o; release v
//
// p(j) is packed after the await of o: registers that a product in flight reads
// must not be written (ptxas C7513). Both waits stand before both products,
// since v(j-1) was loaded before k(j): a warpgroup whose turn it is has all it
// needs, and never meets another one, which waits for its own turn.
//
//===----------------------------------------------------------------------===//

#include "ProductLoops.h"
#include "TripCount.h"
#include "tessera/Dialect/SM/IR/SM.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace tessera;
using namespace tessera::sm;

namespace {
/// Where in an iteration an operation runs.
enum class Part {
  First,  // before the first product
  Work,   // while the second product of the iteration before is in flight
  Pack,   // after that: makes the operand of the next one
  Scale,  // there, too: takes its result
  Second, // before the second product, one iteration late
};

class DependentProducts {
public:
  DependentProducts(scf::ForOp loop, bool takesTurns)
      : loop(loop), takesTurns(takesTurns) {}

  LogicalResult match(std::string &why);
  SmallVector<Value> rewrite(OpBuilder &builder);

private:
  LogicalResult matchSlot(MmaOp product, Value operand, RingWaitOp &wait,
                          RingReleaseOp &release, std::string &why);
  LogicalResult assignParts(std::string &why);
  LogicalResult addToFirst(Value value, std::string &why);
  LogicalResult addToSecond(Value value, std::string &why);

  void emit(Part part, OpBuilder &builder, IRMapping &mapping);
  Value issueFirst(OpBuilder &builder, IRMapping &mapping);
  Value issueSecond(OpBuilder &builder, IRMapping &last, ValueRange carried);
  void awaitFirst(OpBuilder &builder, IRMapping &mapping, Value issued,
                  int64_t leave);
  Value awaitSecond(OpBuilder &builder, IRMapping &last, Value issued);
  void emitSecond(OpBuilder &builder, IRMapping &last, ValueRange carried);
  SmallVector<Value> getCarried(IRMapping &mapping, Value position);

  scf::ForOp loop;
  bool takesTurns;
  MmaOp first, second;
  RingWaitOp firstWait, secondWait;
  RingReleaseOp firstRelease, secondRelease;
  BlockArgument accumulator;
  unsigned accumulatorIndex = 0;
  llvm::DenseMap<Operation *, Part> parts;
  /// Scalars that the second part takes, besides what it makes.
  llvm::DenseSet<Operation *> secondScalars;
  /// What is packed, and is part of the work, too.
  llvm::DenseSet<Operation *> packedInWork;
  /// Whether the second part asks for the position of its iteration.
  bool needsPosition = false;
};
} // namespace

/// Whether `op` or something within it uses one of `values`.
static bool usesAny(Operation *op, const llvm::DenseSet<Value> &values) {
  return op
      ->walk([&](Operation *inner) {
        return llvm::any_of(inner->getOperands(),
                            [&](Value value) { return values.contains(value); })
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The operations of `block` that depend on `start`, and their results.
static llvm::DenseSet<Operation *> getDependents(Block &block, Value start) {
  llvm::DenseSet<Value> values{start};
  llvm::DenseSet<Operation *> dependents;
  for (Operation &op : block)
    if (usesAny(&op, values)) {
      dependents.insert(&op);
      values.insert_range(op.getResults());
    }
  return dependents;
}

static bool isFreeOfEffects(Operation *op) {
  return isMemoryEffectFree(op) || isa<AnyOp>(op);
}

//===----------------------------------------------------------------------===//
// What kind of loop it is
//===----------------------------------------------------------------------===//

bool sm::hasDependentProducts(scf::ForOp loop) {
  SmallVector<MmaOp> products(loop.getBody()->getOps<MmaOp>());
  if (products.size() != 2)
    return false;
  return getDependents(*loop.getBody(), products[0].getResult())
      .contains(products[1]);
}

/// The slot that `operand` of `product` lies in; nothing else reads it.
LogicalResult DependentProducts::matchSlot(MmaOp product, Value operand,
                                           RingWaitOp &wait,
                                           RingReleaseOp &release,
                                           std::string &why) {
  Block *body = loop.getBody();
  auto tile = operand.getDefiningOp<SlotTileOp>();
  wait = tile ? tile.getSlot().getDefiningOp<RingWaitOp>() : RingWaitOp();
  if (!wait || wait->getBlock() != body) {
    why = "operand b of a product does not arrive through a ring";
    return failure();
  }
  for (Operation *user : wait->getUsers()) {
    if (auto given = dyn_cast<RingReleaseOp>(user)) {
      if (given->getBlock() == body)
        release = given;
      continue;
    }
    auto other = dyn_cast<SlotTileOp>(user);
    bool isPrivate =
        other && llvm::all_of(other->getUsers(), [&](Operation *reader) {
          return reader->getBlock() == body &&
                 (reader == product || isa<ClipOp>(reader));
        });
    if (!isPrivate) {
      why = "a slot is used by more than one product";
      return failure();
    }
  }
  if (!release) {
    why = "a slot of its operands is not given back in it";
    return failure();
  }
  return success();
}

/// Adds what `value` takes to what runs before the first product.
LogicalResult DependentProducts::addToFirst(Value value, std::string &why) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != loop.getBody() || parts.contains(op))
    return success();
  if (!isa<RingWaitOp>(op) && !isMemoryEffectFree(op)) {
    why = "an operand of the first product depends on what the loop writes";
    return failure();
  }
  parts[op] = Part::First;
  for (Value operand : op->getOperands())
    if (failed(addToFirst(operand, why)))
      return failure();
  return success();
}

/// Adds what `value` takes to what runs before the second product, an iteration
/// late: there, only the position of the iteration is at hand.
LogicalResult DependentProducts::addToSecond(Value value, std::string &why) {
  if (loop.isDefinedOutsideOfLoop(value))
    return success();
  if (value == loop.getInductionVar()) {
    needsPosition = true;
    return success();
  }
  Operation *op = value.getDefiningOp();
  if (op && parts.lookup(op) == Part::Second && parts.contains(op))
    return success();
  bool isScalar = op && isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
                  value.getType().isIntOrIndexOrFloat();
  if (!isScalar || op->getBlock() != loop.getBody()) {
    why = "the tile of the second product depends on what the loop carries";
    return failure();
  }
  if (!secondScalars.insert(op).second)
    return success();
  for (Value operand : op->getOperands())
    if (failed(addToSecond(operand, why)))
      return failure();
  return success();
}

LogicalResult DependentProducts::match(std::string &why) {
  auto refuse = [&](StringRef reason) {
    why = reason.str();
    return failure();
  };
  Block *body = loop.getBody();
  SmallVector<MmaOp> products(body->getOps<MmaOp>());
  first = products[0];
  second = products[1];
  if (!loop.isDefinedOutsideOfLoop(first.getA()) ||
      !isa<SmemType>(first.getA().getType()))
    return refuse("operand a of the first product changes in the loop");
  if (!loop.isDefinedOutsideOfLoop(first.getAccumulator()))
    return refuse("the first product adds to what the loop computes");
  if (!isRegisterTile(second.getA().getType()))
    return refuse("operand a of the second product is not in registers");
  if (failed(matchSlot(first, first.getB(), firstWait, firstRelease, why)) ||
      failed(matchSlot(second, second.getB(), secondWait, secondRelease, why)))
    return failure();

  // The second product comes back as what it is made of.
  OpOperand *yielded = second->hasOneUse() ? &*second->use_begin() : nullptr;
  if (!yielded || yielded->getOwner() != body->getTerminator())
    return refuse("the second product is used in the loop");
  accumulatorIndex = yielded->getOperandNumber();
  accumulator = loop.getRegionIterArg(accumulatorIndex);
  return assignParts(why);
}

LogicalResult DependentProducts::assignParts(std::string &why) {
  auto refuse = [&](StringRef reason) {
    why = reason.str();
    return failure();
  };
  Block *body = loop.getBody();
  llvm::DenseSet<Operation *> onFirst = getDependents(*body, first.getResult());
  llvm::DenseSet<Operation *> onAccumulator = getDependents(*body, accumulator);
  if (!onAccumulator.contains(second))
    return refuse("the second product does not add to what the loop carries");

  // The end of the chain to operand a.
  Value packed = second.getA();
  while (Operation *op = packed.getDefiningOp()) {
    if (op->getBlock() != body || !isa<arith::TruncFOp, ConvertOp>(op))
      break;
    parts[op] = Part::Pack;
    packed = op->getOperand(0);
  }
  if (packed == second.getA())
    return refuse("operand a of the second product is not packed in the loop");

  parts[secondWait] = Part::Second;
  parts[firstWait] = Part::First;
  for (Operation &op : *body) {
    bool isClip = isa<ClipOp>(op);
    if (!isa<SlotTileOp>(op) && !isClip)
      continue;
    auto tile = isClip ? cast<ClipOp>(op).getTile().getDefiningOp<SlotTileOp>()
                       : cast<SlotTileOp>(op);
    if (tile && tile.getSlot() == firstWait.getSlot())
      parts[&op] = Part::First;
    else if (tile && tile.getSlot() == secondWait.getSlot())
      parts[&op] = Part::Second;
  }
  for (Value operand : first->getOperands())
    if (failed(addToFirst(operand, why)))
      return failure();
  for (Operation &op : *body)
    if (isa<ClipOp>(op) && parts.contains(&op))
      for (Value operand : op.getOperands())
        if (failed(parts[&op] == Part::First ? addToFirst(operand, why)
                                             : addToSecond(operand, why)))
          return failure();

  for (Operation &op : body->without_terminator()) {
    if (&op == first || &op == second || &op == firstRelease ||
        &op == secondRelease)
      continue;
    auto known = parts.find(&op);
    if (known != parts.end()) {
      if (known->second == Part::First &&
          (onFirst.contains(&op) || onAccumulator.contains(&op)))
        return refuse("an operand of the first product depends on a product");
      if (known->second == Part::Pack && onAccumulator.contains(&op))
        return refuse("operand a of the second product depends on its result");
      continue;
    }
    if (!isFreeOfEffects(&op))
      return refuse("it does more than compute");
    parts[&op] = onAccumulator.contains(&op) ? Part::Scale : Part::Work;
  }
  // What depends on the accumulator ends in the next one.
  for (auto &[op, part] : parts) {
    if (part != Part::Scale)
      continue;
    for (Operation *user : op->getUsers()) {
      Operation *inBlock = body->findAncestorOpInBlock(*user);
      if (inBlock != second && parts.lookup(inBlock) != Part::Scale)
        return refuse("the result of the second product is used for more than "
                      "the next one");
    }
  }
  for (Operation &op : llvm::reverse(body->without_terminator())) {
    auto known = parts.find(&op);
    if (known == parts.end() || known->second != Part::Pack)
      continue;
    if (llvm::any_of(op.getUsers(), [&](Operation *user) {
          Operation *inBlock = body->findAncestorOpInBlock(*user);
          auto used = parts.find(inBlock);
          return packedInWork.contains(inBlock) ||
                 (used != parts.end() && used->second == Part::Work);
        }))
      packedInWork.insert(&op);
  }
  for (Operation *user : accumulator.getUsers())
    if (user == body->getTerminator())
      return refuse("the result of the second product is used for more than "
                    "the next one");
  return success();
}

//===----------------------------------------------------------------------===//
// The new loop
//===----------------------------------------------------------------------===//

void DependentProducts::emit(Part part, OpBuilder &builder,
                             IRMapping &mapping) {
  Block *body = loop.getBody();
  for (Operation &op : body->without_terminator()) {
    auto known = parts.find(&op);
    bool isIn = known != parts.end() && known->second == part;
    if (part == Part::Second && secondScalars.contains(&op))
      isIn = true;
    if (part == Part::Work && packedInWork.contains(&op))
      isIn = true;
    if (isIn)
      builder.clone(op, mapping);
  }
}

Value sm::issueProduct(OpBuilder &builder, MmaOp product, Value a, Value b,
                       Value accumulator) {
  return MmaIssueOp::create(
      builder, product.getLoc(),
      PendingType::get(builder.getContext(), product.getType()), a, b,
      accumulator, product.getTransposeA(), product.getTransposeB());
}

Value DependentProducts::issueFirst(OpBuilder &builder, IRMapping &mapping) {
  return issueProduct(builder, first, mapping.lookupOrDefault(first.getA()),
                      mapping.lookupOrDefault(first.getB()),
                      mapping.lookupOrDefault(first.getAccumulator()));
}

/// Takes the slot of the product that an iteration left to the next one, which
/// has what it `carried`.
void DependentProducts::emitSecond(OpBuilder &builder, IRMapping &last,
                                   ValueRange carried) {
  if (needsPosition)
    last.map(loop.getInductionVar(), carried.back());
  emit(Part::Second, builder, last);
}

Value DependentProducts::issueSecond(OpBuilder &builder, IRMapping &last,
                                     ValueRange carried) {
  return issueProduct(builder, second, carried[loop.getNumRegionIterArgs()],
                      last.lookupOrDefault(second.getB()),
                      carried[accumulatorIndex]);
}

Value DependentProducts::awaitSecond(OpBuilder &builder, IRMapping &last,
                                     Value issued) {
  Location loc = second.getLoc();
  Value tile =
      MmaAwaitOp::create(builder, loc, second.getType(), issued, /*leave=*/0);
  RingReleaseOp::create(builder, loc, last.lookup(secondWait.getSlot()));
  return tile;
}

void DependentProducts::awaitFirst(OpBuilder &builder, IRMapping &mapping,
                                   Value issued, int64_t leave) {
  Location loc = first.getLoc();
  Value tile = MmaAwaitOp::create(builder, loc, first.getType(), issued, leave);
  mapping.map(first.getResult(), tile);
  RingReleaseOp::create(builder, loc, mapping.lookup(firstWait.getSlot()));
}

/// What an iteration hands to the next one: instead of the accumulator, what
/// the second product starts from; p; the position, if it is asked for.
SmallVector<Value> DependentProducts::getCarried(IRMapping &mapping,
                                                 Value position) {
  SmallVector<Value> carried;
  for (Value value : loop.getYieldedValues())
    carried.push_back(mapping.lookupOrDefault(value));
  carried[accumulatorIndex] = mapping.lookupOrDefault(second.getAccumulator());
  carried.push_back(mapping.lookupOrDefault(second.getA()));
  if (needsPosition)
    carried.push_back(position);
  return carried;
}

SmallVector<Value> DependentProducts::rewrite(OpBuilder &builder) {
  Location loc = loop.getLoc();
  unsigned numCarried = loop.getNumRegionIterArgs();
  IRMapping start;
  start.map(loop.getInductionVar(), loop.getLowerBound());
  start.map(loop.getRegionIterArgs(), loop.getInitArgs());
  emit(Part::First, builder, start);
  awaitFirst(builder, start, issueFirst(builder, start), /*leave=*/0);
  for (Part part : {Part::Work, Part::Pack, Part::Scale})
    emit(part, builder, start);

  Value next =
      arith::AddIOp::create(builder, loc, loop.getLowerBound(), loop.getStep());
  auto rest = scf::ForOp::create(
      builder, loc, next, loop.getUpperBound(), loop.getStep(),
      getCarried(start, loop.getLowerBound()),
      [&](OpBuilder &inner, Location where, Value position, ValueRange values) {
        IRMapping mapping, last;
        mapping.map(loop.getInductionVar(), position);
        mapping.map(loop.getRegionIterArgs(), values.take_front(numCarried));
        emit(Part::First, inner, mapping);
        emitSecond(inner, last, values);
        if (takesTurns)
          TurnTakeOp::create(inner, where);
        Value s = issueFirst(inner, mapping);
        Value o = issueSecond(inner, last, values);
        if (takesTurns)
          TurnPassOp::create(inner, where);
        awaitFirst(inner, mapping, s, /*leave=*/1);
        emit(Part::Work, inner, mapping);
        mapping.map(accumulator, awaitSecond(inner, last, o));
        emit(Part::Pack, inner, mapping);
        emit(Part::Scale, inner, mapping);
        scf::YieldOp::create(inner, where, getCarried(mapping, position));
      },
      loop.getUnsignedCmp());
  rest->setDiscardableAttrs(loop->getDiscardableAttrDictionary());

  IRMapping last;
  SmallVector<Value> results(rest.getResults().take_front(numCarried));
  emitSecond(builder, last, rest.getResults());
  Value o = issueSecond(builder, last, rest.getResults());
  results[accumulatorIndex] = awaitSecond(builder, last, o);
  return results;
}

LogicalResult sm::pipelineDependentProducts(scf::ForOp loop, bool takesTurns,
                                            std::string &why) {
  DependentProducts products(loop, takesTurns);
  if (failed(products.match(why)))
    return failure();
  replaceIfRun(loop,
               [&](OpBuilder &builder) { return products.rewrite(builder); });
  return success();
}
