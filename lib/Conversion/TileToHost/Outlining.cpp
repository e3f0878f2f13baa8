//===- Outlining.cpp - Parts of large functions -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The time of LLVM's passes grows with the square of the number of loops of a
// function. A function with many loops is thus divided: consecutive operations
// of a block become a function of their own, from the innermost blocks
// outwards. The functions take the values that they use as arguments. Constants
// and buffers are created again where they are used.
//
//===----------------------------------------------------------------------===//

#include "Outlining.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace tessera;
using namespace tessera::host;
using mlir::func::FuncOp;

/// Largest number of loops of a function that remains whole. Functions of the
/// examples have fewer.
static constexpr int64_t kMaxLoops = 192;
/// Largest number of loops of a part, unless one operation has more.
static constexpr int64_t kMaxLoopsOfPart = 32;

/// Checks whether an operation is cloned to each part that uses its result.
static bool isCloned(Operation *op) {
  return op &&
         (op->hasTrait<OpTrait::ConstantLike>() || isa<memref::ViewOp>(op));
}

static bool isLoop(Operation *op) { return isa<scf::ForOp, scf::WhileOp>(op); }

namespace {
class Outliner {
public:
  explicit Outliner(FuncOp function)
      : function(function), builder(function.getContext()) {}

  /// Outlines parts of `block` and of the blocks in it. Returns the number of
  /// loops that remain.
  int64_t visit(Block &block);

private:
  void outline(ArrayRef<Operation *> part);

  FuncOp function;
  OpBuilder builder;
  int64_t numParts = 0;
};
} // namespace

int64_t Outliner::visit(Block &block) {
  struct Part {
    SmallVector<Operation *> ops;
    int64_t loops = 0;
  };
  SmallVector<Part> parts(1);
  int64_t total = 0;
  for (Operation &op : block.without_terminator()) {
    if (isCloned(&op))
      continue;
    int64_t loops = isLoop(&op);
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        loops += visit(inner);
    if (parts.back().loops + loops > kMaxLoopsOfPart && parts.back().loops > 0)
      parts.emplace_back();
    parts.back().ops.push_back(&op);
    parts.back().loops += loops;
    total += loops;
  }
  if (total <= kMaxLoopsOfPart)
    return total;
  for (const Part &part : parts)
    if (part.loops > 0)
      outline(part.ops);
  return 0;
}

void Outliner::outline(ArrayRef<Operation *> part) {
  llvm::SmallPtrSet<Operation *, 32> members(part.begin(), part.end());
  auto isInside = [&](Operation *op) {
    while (op && op->getBlock() != part.front()->getBlock())
      op = op->getParentOp();
    return op && members.contains(op);
  };
  // Values that the part uses, and its values that other operations use.
  llvm::SmallSetVector<Value, 16> used, produced;
  llvm::SetVector<Operation *> cloned;
  auto use = [&](Value value) {
    Operation *parent = value.getParentBlock()->getParentOp();
    Operation *op = value.getDefiningOp();
    if (isInside(op ? op : parent))
      return;
    if (!isCloned(op)) {
      used.insert(value);
      return;
    }
    // A buffer is a view of the arena from a constant on.
    for (Value operand : op->getOperands()) {
      if (isCloned(operand.getDefiningOp()))
        cloned.insert(operand.getDefiningOp());
      else
        used.insert(operand);
    }
    cloned.insert(op);
  };
  for (Operation *op : part) {
    op->walk(
        [&](Operation *inner) { llvm::for_each(inner->getOperands(), use); });
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(),
                       [&](Operation *user) { return !isInside(user); }))
        produced.insert(result);
  }

  Location loc = part.front()->getLoc();
  builder.setInsertionPoint(function);
  auto type =
      builder.getFunctionType(ValueRange(used.getArrayRef()).getTypes(),
                              ValueRange(produced.getArrayRef()).getTypes());
  auto callee = FuncOp::create(
      builder, loc, (function.getSymName() + ".part" + Twine(numParts++)).str(),
      type);
  callee.setPrivate();
  Block *entry = callee.addEntryBlock();
  builder.setInsertionPoint(part.front());
  auto call =
      mlir::func::CallOp::create(builder, loc, callee, used.getArrayRef());
  IRMapping mapping;
  mapping.map(used.getArrayRef(), entry->getArguments());
  builder.setInsertionPointToEnd(entry);
  for (Operation *op : cloned)
    builder.clone(*op, mapping);
  for (Operation *op : part)
    op->moveBefore(entry, entry->end());
  mlir::func::ReturnOp::create(builder, loc, produced.getArrayRef());
  for (auto [i, value] : llvm::enumerate(produced.takeVector()))
    value.replaceUsesWithIf(call.getResult(i), [&](OpOperand &operand) {
      return !callee->isAncestor(operand.getOwner());
    });
  callee.walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (Value value = mapping.lookupOrNull(operand.get()))
        operand.set(value);
  });
}

void host::outlineParts(FuncOp function) {
  int64_t loops = 0;
  function.walk([&](Operation *op) { loops += isLoop(op); });
  if (loops > kMaxLoops)
    Outliner(function).visit(function.getBody().front());
}
