//===- KernelLowering.cpp - Lowers one kernel to a function -----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the function, loads its parameters, and lowers the operations of a
// block in order. After the last use of a tile, its buffer is free.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

#include "Outlining.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace tessera;
using namespace tessera::host;
using namespace tessera::tile;

FailureOr<HostFunction> host::lowerToHost(KernelOp kernel, OpBuilder &builder,
                                          int64_t lanes) {
  return KernelLowering(kernel, builder, lanes).run();
}

LogicalResult KernelLowering::refuse(Operation *op) {
  return op->emitRemark("'")
         << op->getName() << "' is not compiled for the processor; the kernel '"
         << kernel.getSymName() << "' runs in the interpreter"
         << " [runs-in-interpreter]";
}

//===----------------------------------------------------------------------===//
// Short forms
//===----------------------------------------------------------------------===//

Value KernelLowering::getIndex(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value KernelLowering::add(Value x, Value y) {
  return arith::AddIOp::create(builder, loc, x, y);
}

Value KernelLowering::multiply(Value x, Value y) {
  return arith::MulIOp::create(builder, loc, x, y);
}

Value KernelLowering::compare(arith::CmpIPredicate predicate, Value x,
                              Value y) {
  return arith::CmpIOp::create(builder, loc, predicate, x, y);
}

Value KernelLowering::logicalAnd(Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  return arith::AndIOp::create(builder, loc, x, y);
}

Value KernelLowering::logicalNot(Value x) {
  Value yes = arith::ConstantIntOp::create(builder, loc, 1, /*width=*/1);
  return arith::XOrIOp::create(builder, loc, x, yes);
}

Value KernelLowering::getAddress(Value base, Value offset, Type element) {
  Value word =
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(), offset);
  return LLVM::GEPOp::create(builder, loc, base.getType(), element, base,
                             ArrayRef<LLVM::GEPArg>{word});
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

Value KernelLowering::loadWord(Value base, int64_t word) {
  Value address =
      LLVM::GEPOp::create(builder, loc, base.getType(), builder.getI64Type(),
                          base, ArrayRef<LLVM::GEPArg>{int32_t(word)});
  return LLVM::LoadOp::create(builder, loc, builder.getI64Type(), address);
}

/// Returns the scalar of held type that a word contains.
static Value fromWord(OpBuilder &builder, Location loc, Type type, Value word) {
  if (type.isIndex())
    return arith::IndexCastOp::create(builder, loc, type, word);
  if (type.isInteger(64))
    return word;
  Type held = getHeldType(type);
  unsigned width = held.getIntOrFloatBitWidth();
  Value bits = word;
  if (width < 64)
    bits = arith::TruncIOp::create(builder, loc, builder.getIntegerType(width),
                                   word);
  if (isa<FloatType>(held))
    return arith::BitcastOp::create(builder, loc, held, bits);
  return bits;
}

void KernelLowering::declare() {
  MLIRContext *context = builder.getContext();
  Type pointer = LLVM::LLVMPointerType::get(context);
  Type bytes = MemRefType::get({ShapedType::kDynamic}, builder.getI8Type());
  result.function = mlir::func::FuncOp::create(
      builder, loc, kernel.getSymName(),
      builder.getFunctionType({pointer, pointer, bytes}, {}));
  entry = result.function.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  arguments = entry->getArgument(0);
  state = entry->getArgument(1);
  arenaValue = entry->getArgument(2);

  for (AxisAttr axis : kernel.getAxes())
    sizes.insert(axis.getSize());
  kernel.getBody().walk([&](Operation *op) {
    if (auto size = dyn_cast<SizeOp>(op))
      sizes.insert(size.getSize());
    if (auto range = dyn_cast<RangeOp>(op))
      if (StringAttr dimension =
              cast<RangeType>(range.getResult().getType()).getDimension())
        sizes.insert(SizeAttr::getSymbol(dimension));
  });

  int64_t word = 0;
  Type index = builder.getIndexType();
  auto nextIndex = [&]() -> Value {
    return fromWord(builder, loc, index, loadWord(arguments, word++));
  };
  auto nextPointer = [&]() -> Value {
    return LLVM::IntToPtrOp::create(builder, loc, pointer,
                                    loadWord(arguments, word++));
  };
  for (BlockArgument param : kernel.getParams()) {
    auto type = dyn_cast<GlobalType>(param.getType());
    if (!type) {
      values[param] =
          fromWord(builder, loc, param.getType(), loadWord(arguments, word++));
      continue;
    }
    values[param] = unsigned(tensors.size());
    Tensor tensor{type.getElementType(), nextPointer(), nextPointer(), {}, {}};
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      tensor.sizes.push_back(nextIndex());
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      tensor.strides.push_back(nextIndex());
    // Callers ensure that the last dimension is contiguous.
    if (!tensor.strides.empty())
      tensor.strides.back() = getIndex(1);
    tensors.push_back(std::move(tensor));
  }
  for ([[maybe_unused]] SizeAttr size : sizes)
    sizeValues.push_back(nextIndex());

  for (auto [i, axis, argument] :
       llvm::enumerate(kernel.getAxes(), kernel.getGridArguments())) {
    Value coordinate =
        fromWord(builder, loc, index, loadWord(state, kCoordinatesWord + i));
    if (!axis.isTiled()) {
      values[argument] = coordinate;
      continue;
    }
    Value start = multiply(coordinate, getIndex(axis.getTileExtent()));
    values[argument] =
        makeRange(start, getSize(axis.getSize()), axis.getTileExtent());
  }
}

Value KernelLowering::getSize(SizeAttr size) {
  return sizeValues[llvm::find(sizes, size) - sizes.begin()];
}

void KernelLowering::findLastUses() {
  auto note = [&](Value value, Block *block) {
    if (!isa<RankedTensorType>(value.getType()))
      return;
    Operation *last = value.getDefiningOp();
    for (Operation *user : value.getUsers()) {
      Operation *ancestor = block->findAncestorOpInBlock(*user);
      if (!last || last->isBeforeInBlock(ancestor))
        last = ancestor;
    }
    if (last)
      lastUses[last].push_back(value);
  };
  kernel.getBody().walk([&](Block *block) {
    for (BlockArgument argument : block->getArguments())
      note(argument, block);
    for (Operation &op : *block)
      for (Value value : op.getResults())
        note(value, block);
  });
}

/// Largest number of operations of a kernel. LLVM takes 1 to 3 ms for each.
static constexpr int64_t kMaxOperations = 4000;

FailureOr<HostFunction> KernelLowering::run() {
  int64_t count = 0;
  kernel.getBody().walk([&](Operation *) { ++count; });
  if (count > kMaxOperations) {
    kernel.emitRemark("kernel '")
        << kernel.getSymName() << "' has " << count
        << " operations, and at most " << kMaxOperations
        << " are compiled for the processor; it runs in the interpreter"
        << " [runs-in-interpreter]";
    return failure();
  }
  OpBuilder::InsertionGuard guard(builder);
  kernel.getBody().walk([&](AtomicOp) { result.isOrdered = true; });
  findLastUses();
  declare();
  takeSteps(getIndex(1), kernel.getBody().front());
  LogicalResult lowered = lower(kernel.getBody().front());
  if (failed(lowered)) {
    values.clear();
    result.function.erase();
    return failure();
  }
  mlir::func::ReturnOp::create(builder, loc);
  outlineParts(result.function);
  result.arenaBytes = arena.getSize();
  result.sizes = sizes.takeVector();
  return result;
}

void KernelLowering::meetGrid() {
  result.meetsGrid = true;
  auto module = result.function->getParentOfType<ModuleOp>();
  if (!module.lookupSymbol(kMeetGridName)) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    mlir::func::FuncOp::create(builder, module.getLoc(), kMeetGridName,
                               builder.getFunctionType(state.getType(), {}))
        .setPrivate();
  }
  mlir::func::CallOp::create(builder, loc, kMeetGridName, TypeRange(), state);
}

void KernelLowering::failIf(Value condition) {
  // The word stays 1 once it is: no branch is necessary.
  Type word = builder.getI64Type();
  Value value = arith::ExtUIOp::create(builder, loc, word, condition);
  Value old = loadWord(state, kFailedWord);
  LLVM::StoreOp::create(builder, loc,
                        arith::OrIOp::create(builder, loc, old, value), state);
}

Value KernelLowering::takeSteps(Value times, Block &block) {
  // Inner loops count their own steps.
  int64_t cost = 0;
  block.walk<WalkOrder::PreOrder>([&](Operation *op) {
    ++cost;
    return isa<scf::ForOp, scf::WhileOp>(op) ? WalkResult::skip()
                                             : WalkResult::advance();
  });
  Type word = builder.getI64Type();
  Value address =
      LLVM::GEPOp::create(builder, loc, state.getType(), word, state,
                          ArrayRef<LLVM::GEPArg>{kStepsWord});
  Value left = LLVM::LoadOp::create(builder, loc, word, address);
  Value price = arith::ConstantIntOp::create(builder, loc, cost, 64);
  Value affordable = arith::DivUIOp::create(builder, loc, left, price);
  Value wanted = arith::IndexCastOp::create(builder, loc, word, times);
  Value isTooMuch = compare(arith::CmpIPredicate::ugt, wanted, affordable);
  failIf(isTooMuch);
  Value zero = arith::ConstantIntOp::create(builder, loc, 0, 64);
  Value granted =
      arith::SelectOp::create(builder, loc, isTooMuch, zero, wanted);
  LLVM::StoreOp::create(
      builder, loc,
      arith::SubIOp::create(builder, loc, left, multiply(granted, price)),
      address);
  return arith::IndexCastOp::create(builder, loc, times.getType(), granted);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult KernelLowering::lower(Block &block) {
  for (Operation &op : block.without_terminator()) {
    loc = op.getLoc();
    if (failed(lower(&op)))
      return failure();
    if (auto dead = lastUses.find(&op); dead != lastUses.end())
      for (Value value : dead->second)
        values.erase(value);
  }
  loc = block.getTerminator()->getLoc();
  return success();
}

LogicalResult KernelLowering::lower(Operation *op) {
  if (ElementBuilder::supports(op))
    return lowerElementwise(op);
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](arith::ConstantOp op) { return lowerConstant(op); })
      .Case<SizeOp, RangeOp, ShiftOp, StartOp, EndOp, LimitOp, IndicesOp,
            ValidOp>([&](Operation *op) { return lowerRange(op); })
      .Case([&](LoadOp op) { return lowerLoad(op); })
      .Case([&](StoreOp op) { return lowerStore(op); })
      .Case([&](AtomicOp op) { return lowerAtomic(op); })
      .Case([&](BarrierOp op) {
        if (op.getGrid())
          meetGrid();
        return success();
      })
      .Case([&](CheckOp op) { return lowerCheck(op); })
      .Case([&](GemmOp op) { return lowerGemm(op); })
      .Case([&](ReduceOp op) { return lowerReduce(op); })
      .Case([&](ScanOp op) { return lowerScan(op); })
      .Case([&](ReduceWithOp op) {
        return lowerCombined(op, op.getAxis(), op.getCombiner(),
                             /*isScan=*/false, /*isReverse=*/false);
      })
      .Case([&](ScanWithOp op) {
        return lowerCombined(op, op.getAxis(), op.getCombiner(),
                             /*isScan=*/true, op.getReverse());
      })
      .Case([&](TransposeOp op) {
        BufferRef source = materialize(getTile(op.getSource()));
        auto type = cast<RankedTensorType>(op.getType());
        values[op.getResult()] = makeRead(type, transpose(*source, type));
        return success();
      })
      .Case([&](RearrangeOp op) { return lowerRearrange(op); })
      .Case<BroadcastOp, ExpandDimsOp>([&](Operation *op) {
        bool repeats = isa<BroadcastOp>(op);
        ExpressionRef source = getTile(op->getOperand(0));
        Expression tile{repeats ? Expression::Broadcast
                                : Expression::ExpandDims,
                        cast<RankedTensorType>(op->getResult(0).getType())};
        tile.operands.push_back(repeats ? makeCheap(source) : source);
        tile.isCheap = tile.operands[0]->isCheap;
        if (auto expand = dyn_cast<ExpandDimsOp>(op))
          tile.number = expand.getAxis();
        define(op->getResult(0), std::move(tile));
        return success();
      })
      .Case([&](IotaOp op) {
        Expression tile{Expression::Positions,
                        cast<RankedTensorType>(op.getType())};
        tile.scalar = getIndex(0);
        define(op.getResult(), std::move(tile));
        return success();
      })
      .Case([&](tensor::SplatOp op) {
        if (!op.getDynamicSizes().empty())
          return refuse(op);
        define(op.getResult(),
               Expression(*getOperandTile(op.getInput(), op.getType())));
        return success();
      })
      .Case([&](tensor::ExtractOp op) { return lowerExtract(op); })
      .Case([&](mlir::ub::PoisonOp op) {
        Type type = op.getType();
        Type element = getElementTypeOrSelf(type);
        if (!isSupportedType(type) || isa<RangeType>(type))
          return refuse(op);
        Value scalar = isa<FloatType>(element)
                           ? getElements().getFloat(
                                 std::numeric_limits<double>::quiet_NaN(),
                                 getHeldType(element))
                           : getElements().getInteger(-1, element);
        auto tensor = dyn_cast<RankedTensorType>(type);
        if (!tensor) {
          values[op.getResult()] = scalar;
          return success();
        }
        Expression tile{Expression::Splat, tensor};
        tile.scalar = scalar;
        define(op.getResult(), std::move(tile));
        return success();
      })
      .Case([&](scf::ForOp op) { return lowerFor(op); })
      .Case([&](scf::WhileOp op) { return lowerWhile(op); })
      .Case([&](scf::IfOp op) { return lowerIf(op); })
      .Default([&](Operation *op) { return refuse(op); });
}

LogicalResult KernelLowering::lowerCheck(CheckOp op) {
  // The interpreter repeats a failed run and reports the element.
  auto type = dyn_cast<RankedTensorType>(op.getCondition().getType());
  if (!type) {
    failIf(logicalNot(getScalar(op.getCondition())));
    return success();
  }
  ExpressionRef condition = makeCheap(getTile(op.getCondition()));
  int64_t width = getLanes(type.getShape());
  forEachPosition(type.getShape(), width, [&](ArrayRef<Value> position) {
    ElementBuilder elements = getElements(width);
    Value holds = evaluate(*condition, position, width);
    Value zero = elements.getInteger(0, builder.getI1Type());
    failIf(elements.anyLane(compare(arith::CmpIPredicate::eq, holds, zero)));
  });
  return success();
}

bool KernelLowering::isSupportedType(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.hasStaticShape() && isElementType(tensor.getElementType());
  return isa<RangeType>(type) || type.isIndex() || isElementType(type);
}

LogicalResult KernelLowering::lowerElementwise(Operation *op) {
  for (Type type :
       llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
    if (!isSupportedType(type))
      return refuse(op);
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type) {
    // A choice between ranges, or scalars.
    if (isa<RangeType>(op->getResult(0).getType())) {
      auto select = cast<arith::SelectOp>(op);
      HostRange x = getRange(select.getTrueValue());
      HostRange y = getRange(select.getFalseValue());
      Value condition = getScalar(select.getCondition());
      auto choose = [&](Value first, Value second) -> Value {
        return arith::SelectOp::create(builder, loc, condition, first, second);
      };
      values[op->getResult(0)] = makeRange(choose(x.start, y.start),
                                           choose(x.limit, y.limit), x.extent);
      return success();
    }
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(getScalar(operand));
    Value failed;
    SmallVector<Value> results = getElements().emit(op, operands, failed);
    if (failed)
      failIf(failed);
    for (auto [result, value] : llvm::zip(op->getResults(), results))
      values[result] = value;
    return success();
  }
  SmallVector<ExpressionRef, 3> operands;
  for (Value operand : op->getOperands())
    operands.push_back(getOperandTile(operand, type));
  // Floats that are held in the same way.
  if (isa<arith::ExtFOp>(op) && !type.getElementType().isF64()) {
    Expression tile = *operands[0];
    tile.type = type;
    if (tile.kind == Expression::Read || tile.kind == Expression::Splat) {
      define(op->getResult(0), std::move(tile));
      return success();
    }
  }
  if (op->getNumResults() > 1)
    for (ExpressionRef &operand : operands)
      operand = makeCheap(operand);
  for (OpResult result : op->getResults()) {
    Expression tile{Expression::Map, cast<RankedTensorType>(result.getType())};
    tile.op = op;
    tile.operands = operands;
    tile.number = result.getResultNumber();
    tile.isCheap = false;
    // A failure is noted where it occurs.
    if (ElementBuilder::canFail(op))
      values[result] =
          makeCheap(std::make_shared<const Expression>(std::move(tile)));
    else
      define(result, std::move(tile));
  }
  return success();
}

Value KernelLowering::getNumber(Attribute value) {
  if (auto number = dyn_cast<FloatAttr>(value))
    return getElements().getFloat(number.getValueAsDouble(),
                                  getHeldType(number.getType()));
  auto number = cast<IntegerAttr>(value);
  return getElements().getInteger(number.getValue().getSExtValue(),
                                  number.getType());
}

LogicalResult KernelLowering::lowerConstant(arith::ConstantOp op) {
  if (!isSupportedType(op.getType()))
    return refuse(op);
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!type) {
    values[op.getResult()] = getNumber(op.getValue());
    return success();
  }
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  // Longer constants would be long code.
  if (!elements || (!elements.isSplat() && elements.getNumElements() > 256))
    return refuse(op);
  if (elements.isSplat()) {
    Expression tile{Expression::Splat, type};
    tile.scalar = getNumber(elements.getSplatValue<Attribute>());
    define(op.getResult(), std::move(tile));
    return success();
  }
  BufferRef buffer = allocate(type);
  for (auto [i, value] : llvm::enumerate(elements.getValues<Attribute>())) {
    Position position;
    int64_t rest = i;
    for (int64_t extent : llvm::reverse(type.getShape())) {
      position.insert(position.begin(), getIndex(rest % extent));
      rest /= extent;
    }
    write(*buffer, position, getNumber(value));
  }
  values[op.getResult()] = makeRead(type, buffer);
  return success();
}

LogicalResult KernelLowering::lowerExtract(tensor::ExtractOp op) {
  ExpressionRef tile = getTile(op.getTensor());
  Position position;
  for (auto [index, extent] : llvm::zip(op.getIndices(), tile->getShape())) {
    Value value = getScalar(index);
    Value isInside =
        compare(arith::CmpIPredicate::ult, value, getIndex(extent));
    failIf(logicalNot(isInside));
    position.push_back(
        arith::SelectOp::create(builder, loc, isInside, value, getIndex(0)));
  }
  values[op.getResult()] = evaluate(*tile, position, 1);
  return success();
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

HostRange KernelLowering::makeRange(Value start, Value limit, int64_t extent) {
  // The difference fits into an unsigned word if it is positive. Positions
  // that wrap around are beyond it.
  Value left = arith::MinUIOp::create(
      builder, loc, arith::SubIOp::create(builder, loc, limit, start),
      getIndex(extent));
  Value isPositive = compare(arith::CmpIPredicate::sgt, limit, start);
  Value count =
      arith::SelectOp::create(builder, loc, isPositive, left, getIndex(0));
  return {start, limit, count, extent};
}

LogicalResult KernelLowering::lowerRange(Operation *op) {
  Value first = op->getNumOperands() ? op->getOperand(0) : Value();
  auto setScalar = [&](Value value) {
    values[op->getResult(0)] = value;
    return success();
  };
  auto setTile = [&](Expression::Kind kind, Value scalar) {
    Expression tile{kind, cast<RankedTensorType>(op->getResult(0).getType())};
    tile.scalar = scalar;
    define(op->getResult(0), std::move(tile));
    return success();
  };
  if (auto size = dyn_cast<SizeOp>(op))
    return setScalar(getSize(size.getSize()));
  if (auto range = dyn_cast<RangeOp>(op)) {
    auto type = cast<RangeType>(range.getResult().getType());
    HostRange made = makeRange(getScalar(range.getStart()),
                               getScalar(range.getLimit()), type.getExtent());
    if (StringAttr dimension = type.getDimension())
      failIf(compare(arith::CmpIPredicate::ne, made.limit,
                     getSize(SizeAttr::getSymbol(dimension))));
    if (range.getFull()) {
      Value isFull = logicalAnd(
          compare(arith::CmpIPredicate::sge, made.start, getIndex(0)),
          compare(arith::CmpIPredicate::eq, made.count, getIndex(made.extent)));
      failIf(logicalNot(isFull));
    }
    values[range.getResult()] = made;
    return success();
  }
  HostRange range = getRange(first);
  if (auto shift = dyn_cast<ShiftOp>(op)) {
    Value offset = getScalar(shift.getOffset());
    values[shift.getResult()] = makeRange(
        add(range.start, offset), add(range.limit, offset), range.extent);
    return success();
  }
  if (isa<StartOp>(op))
    return setScalar(range.start);
  if (isa<LimitOp>(op))
    return setScalar(range.limit);
  if (isa<EndOp>(op)) {
    Value end = add(range.start, getIndex(range.extent));
    Value wraps = compare(arith::CmpIPredicate::slt, end, range.start);
    Value least = arith::MinSIOp::create(builder, loc, end, range.limit);
    return setScalar(
        arith::SelectOp::create(builder, loc, wraps, range.limit, least));
  }
  if (isa<IndicesOp>(op))
    return setTile(Expression::Positions, range.start);
  return setTile(Expression::Valid, range.count);
}
