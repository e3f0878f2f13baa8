//===- Accesses.cpp - Loads and stores of global tensors --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The valid indices of a range are an interval, low … high - 1 of its extent.
// An access has two forms: if all indices are valid, plain loops, else loops
// with masks. Only gathered positions always need masks. Masked elements may
// lie outside of the memory, so addresses are plain integer arithmetic.
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace tessera;
using namespace tessera::host;
using namespace tessera::tile;
using arith::CmpIPredicate;

/// The resolved indices of an access.
struct KernelLowering::Access {
  /// An axis of the tile.
  struct Dimension {
    int64_t extent = 0;
    /// The positions of a range: start + i, valid for low <= i < high. Null if
    /// the positions are gathered.
    Value start, low, high;
    Value stride;
    /// Whether elements of neighbouring positions are neighbours in memory.
    bool isContiguous = false;
  };
  /// Gathered positions of one dimension of the tensor.
  struct Gather {
    ExpressionRef positions;
    IndexAxes axes;
    Value size, stride;
  };
  Tensor *tensor = nullptr;
  SmallVector<Dimension> kept;
  SmallVector<Gather> gathers;
  /// The offset of the dropped dimensions, and whether their indices are valid
  /// (null if there is none).
  Value offset, valid;
  /// Whether all elements are valid; null if that is not known in advance.
  Value isFull;

  SmallVector<int64_t> getShape() const {
    return llvm::map_to_vector(kept,
                               [](const Dimension &d) { return d.extent; });
  }
};

template <typename OpTy>
KernelLowering::Access KernelLowering::makeAccess(OpTy op) {
  Access access;
  access.tensor =
      &tensors[std::get<unsigned>(values.find(op.getGlobal())->second)];
  access.offset = getIndex(0);
  access.isFull = arith::ConstantIntOp::create(builder, loc, 1, /*width=*/1);
  Value zero = getIndex(0);
  auto isWithin = [&](Value position, Value size) {
    // One comparison, since sizes are not negative.
    return compare(CmpIPredicate::ult, position, size);
  };
  SmallVector<IndexAxes> axes = op.getIndexAxes();
  for (auto [dim, index] : llvm::enumerate(op.getIndices())) {
    Value size = access.tensor->sizes[dim];
    Value stride = access.tensor->strides[dim];
    bool mustHold = op.isInBounds(dim);
    const HostValue &value = values.find(index)->second;
    if (const auto *position = std::get_if<Value>(&value)) {
      Value holds = isWithin(*position, size);
      if (mustHold)
        failIf(logicalNot(holds));
      access.valid = logicalAnd(access.valid, holds);
      access.isFull = logicalAnd(access.isFull, holds);
      access.offset = add(access.offset, multiply(*position, stride));
      continue;
    }
    if (const auto *tile = std::get_if<ExpressionRef>(&value)) {
      Access::Gather gather = {makeCheap(*tile), axes[dim], size, stride};
      ArrayRef<int64_t> shape = (*tile)->getShape();
      // Paired indices extend along axes that are already there.
      if (axes[dim].first == static_cast<int64_t>(access.kept.size()))
        for (int64_t extent : shape)
          access.kept.push_back({extent, {}, {}, {}, {}, false});
      if (mustHold)
        forEachPosition(shape, 1, [&](ArrayRef<Value> at) {
          Value position =
              arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                         evaluate(*gather.positions, at, 1));
          failIf(logicalNot(isWithin(position, size)));
        });
      access.gathers.push_back(std::move(gather));
      continue;
    }
    Access::Dimension dimension;
    dimension.stride = stride;
    dimension.isContiguous = dim + 1 == op.getIndices().size();
    const HostRange &range = std::get<HostRange>(value);
    Value extent = getIndex(range.extent);
    dimension.extent = range.extent;
    dimension.start = range.start;
    // Positions below zero, and those from the size or the limit on.
    Value isNegative = compare(CmpIPredicate::slt, range.start, zero);
    Value below = arith::MinUIOp::create(
        builder, loc, arith::SubIOp::create(builder, loc, zero, range.start),
        extent);
    dimension.low =
        arith::SelectOp::create(builder, loc, isNegative, below, zero);
    HostRange inTensor = makeRange(range.start, size, range.extent);
    dimension.high =
        arith::MinSIOp::create(builder, loc, inTensor.count, range.count);
    Value holds =
        logicalAnd(compare(CmpIPredicate::eq, dimension.low, zero),
                   compare(CmpIPredicate::eq, dimension.high, extent));
    if (mustHold)
      failIf(logicalNot(holds));
    access.isFull = logicalAnd(access.isFull, holds);
    access.kept.push_back(std::move(dimension));
  }
  // A gathered dimension makes the number of valid elements unknown.
  if (!access.gathers.empty())
    access.isFull = Value();
  return access;
}

/// Emits loops over the kept dimensions from `dim` on. `visit` takes a
/// position, the offset of its first element, and a mask (null if all elements
/// are valid).
void KernelLowering::visitDimension(
    Access &access, unsigned dim, Position &position, Value offset, Value valid,
    bool isMasked, int64_t width,
    function_ref<void(ArrayRef<Value>, Value, Value)> visit) {
  if (dim == access.kept.size())
    return visit(position, offset, valid);
  const Access::Dimension &dimension = access.kept[dim];
  bool isLast = dim + 1 == access.kept.size();
  int64_t step = isLast ? width : 1;
  emitLoop(0, dimension.extent, step, {}, [&](Value i, ValueRange) {
    Value moved = offset, holds;
    position.push_back(i);
    if (!dimension.start) {
      holds = valid;
      for (const Access::Gather &gather : access.gathers) {
        tile::IndexAxes axes = gather.axes;
        if (axes.first + axes.rank != int64_t(dim) + 1)
          continue;
        ArrayRef<Value> own = ArrayRef(position).slice(axes.first, axes.rank);
        Value at =
            arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                       evaluate(*gather.positions, own, 1));
        holds = logicalAnd(holds, compare(CmpIPredicate::ult, at, gather.size));
        moved = add(moved, multiply(at, gather.stride));
      }
    } else {
      moved = add(moved, multiply(add(dimension.start, i), dimension.stride));
      if (isMasked && step == 1) {
        holds = logicalAnd(compare(CmpIPredicate::sge, i, dimension.low),
                           compare(CmpIPredicate::slt, i, dimension.high));
        holds = logicalAnd(valid, holds);
      } else if (isMasked) {
        Type type = VectorType::get({step}, builder.getI1Type());
        auto getMask = [&](Value bound) -> Value {
          return vector::CreateMaskOp::create(
              builder, loc, type,
              Value(arith::SubIOp::create(builder, loc, bound, i)));
        };
        Value high = dimension.high;
        if (valid)
          high =
              arith::SelectOp::create(builder, loc, valid, high, getIndex(0));
        Value ones = getElements(step).getInteger(-1, builder.getI1Type());
        holds = arith::AndIOp::create(
            builder, loc, getMask(high),
            arith::XOrIOp::create(builder, loc, getMask(dimension.low), ones));
      }
    }
    visitDimension(access, dim + 1, position, moved, holds, isMasked, width,
                   visit);
    position.pop_back();
    return SmallVector<Value>();
  });
}

void KernelLowering::forEachElement(
    Access &access, bool isMasked, int64_t width,
    function_ref<void(ArrayRef<Value>, Value, Value)> visit) {
  Position position;
  visitDimension(access, 0, position, access.offset,
                 isMasked ? access.valid : Value(), isMasked, width, visit);
}

Value KernelLowering::loadElements(const Tensor &tensor, Value base,
                                   Value offset, Value mask, Value fill,
                                   int64_t width) {
  Type memory = getMemoryType(tensor.element);
  Type type = getLanesType(memory, width);
  unsigned bytes = memory.getIntOrFloatBitWidth() / 8;
  Value address = getAddress(base, offset, memory);
  ElementBuilder elements = getElements(width);
  auto load = [&]() -> Value {
    return LLVM::LoadOp::create(builder, loc, type, address, bytes);
  };
  if (!mask)
    return elements.decode(tensor.element, load());
  if (width == 1) {
    auto branch =
        scf::IfOp::create(builder, loc, TypeRange(fill.getType()), mask, true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(builder, loc, elements.decode(tensor.element, load()));
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loc, fill);
    return branch.getResult(0);
  }
  Value zeros = isa<FloatType>(memory) ? elements.getFloat(0, memory)
                                       : elements.getInteger(0, memory);
  Value loaded = LLVM::MaskedLoadOp::create(builder, loc, type, address, mask,
                                            zeros, bytes);
  return arith::SelectOp::create(builder, loc, mask,
                                 elements.decode(tensor.element, loaded),
                                 elements.splat(fill));
}

void KernelLowering::storeElements(Type memory, Value base, Value offset,
                                   Value mask, Value value, int64_t width) {
  unsigned bytes = memory.getIntOrFloatBitWidth() / 8;
  Value address = getAddress(base, offset, memory);
  if (mask && width > 1) {
    LLVM::MaskedStoreOp::create(builder, loc, value, address, mask, bytes);
    return;
  }
  OpBuilder::InsertionGuard guard(builder);
  if (mask) {
    auto branch = scf::IfOp::create(builder, loc, mask, false);
    builder.setInsertionPointToStart(branch.thenBlock());
  }
  LLVM::StoreOp::create(builder, loc, value, address, bytes);
}

LogicalResult KernelLowering::lowerLoad(LoadOp op) {
  Access access = makeAccess(op);
  const Tensor &tensor = *access.tensor;
  Type held = getHeldType(tensor.element);
  Value fill;
  if (std::optional<TypedAttr> attribute = op.getFill()) {
    if (auto number = dyn_cast<FloatAttr>(*attribute))
      fill = getElements().getFloat(number.getValueAsDouble(), held);
    else
      fill = getElements().getInteger(
          cast<IntegerAttr>(*attribute).getValue().getSExtValue(), held);
  } else if (isa<FloatType>(held)) {
    fill = getElements().getFloat(0, held);
  } else {
    fill = getElements().getInteger(0, held);
  }
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!type) {
    values[op.getResult()] =
        loadElements(tensor, tensor.data, access.offset, access.valid, fill, 1);
    return success();
  }
  BufferRef buffer = allocate(type);
  bool isContiguous = access.kept.back().isContiguous;
  int64_t width = isContiguous ? getLanes(type.getShape()) : 1;
  auto fillBuffer = [&](bool isMasked) {
    forEachElement(
        access, isMasked, width,
        [&](ArrayRef<Value> position, Value offset, Value mask) {
          write(*buffer, position,
                loadElements(tensor, tensor.data, offset, mask, fill, width));
        });
  };
  if (!access.isFull) {
    fillBuffer(/*isMasked=*/true);
  } else {
    auto branch = scf::IfOp::create(builder, loc, access.isFull, true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    fillBuffer(/*isMasked=*/false);
    builder.setInsertionPointToStart(branch.elseBlock());
    fillBuffer(/*isMasked=*/true);
  }
  values[op.getResult()] = makeRead(type, buffer);
  return success();
}

LogicalResult KernelLowering::lowerStore(StoreOp op) {
  Access access = makeAccess(op);
  const Tensor &tensor = *access.tensor;
  auto type = dyn_cast<RankedTensorType>(op.getValue().getType());
  // Both forms evaluate the elements.
  ExpressionRef tile = type ? makeCheap(getTile(op.getValue())) : nullptr;
  bool isContiguous = !type || access.kept.back().isContiguous;
  int64_t width = type && isContiguous ? getLanes(type.getShape()) : 1;
  auto store = [&](bool isMasked) {
    forEachElement(access, isMasked, width,
                   [&](ArrayRef<Value> position, Value offset, Value mask) {
                     Value held = tile ? evaluate(*tile, position, width)
                                       : getScalar(op.getValue());
                     storeElements(
                         getMemoryType(tensor.element), tensor.data, offset,
                         mask, getElements(width).encode(tensor.element, held),
                         width);
                   });
  };
  auto mark = [&](bool isMasked) {
    Type byte = builder.getI8Type();
    forEachElement(access, isMasked, width,
                   [&](ArrayRef<Value>, Value offset, Value mask) {
                     storeElements(byte, tensor.written, offset, mask,
                                   getElements(width).getInteger(1, byte),
                                   width);
                   });
  };
  auto emitForms = [&](function_ref<void(bool)> emit) {
    if (!type || !access.isFull)
      return emit(/*isMasked=*/true);
    auto branch = scf::IfOp::create(builder, loc, access.isFull, true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    emit(/*isMasked=*/false);
    builder.setInsertionPointToStart(branch.elseBlock());
    emit(/*isMasked=*/true);
  };
  emitForms(store);
  // An `inout` tensor has contents.
  if (op.getGlobalType().isReadable())
    return success();
  Value null = LLVM::ZeroOp::create(builder, loc, tensor.written.getType());
  Value isMarked = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne,
                                        tensor.written, null);
  auto branch = scf::IfOp::create(builder, loc, isMarked, false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  emitForms(mark);
  return success();
}

Value KernelLowering::replace(AtomicKind kind, Type element, Value old,
                              Value value, Value expected, int64_t width) {
  switch (kind) {
  case AtomicKind::Add:
    return combine(ReduceKind::Sum, element, old, value, width);
  case AtomicKind::Max:
    return arith::MaxSIOp::create(builder, loc, old, value);
  case AtomicKind::Min:
    return arith::MinSIOp::create(builder, loc, old, value);
  case AtomicKind::UMax:
    return arith::MaxUIOp::create(builder, loc, old, value);
  case AtomicKind::UMin:
    return arith::MinUIOp::create(builder, loc, old, value);
  case AtomicKind::And:
    return arith::AndIOp::create(builder, loc, old, value);
  case AtomicKind::Or:
    return arith::OrIOp::create(builder, loc, old, value);
  case AtomicKind::Xor:
    return arith::XOrIOp::create(builder, loc, old, value);
  case AtomicKind::Exchange:
    return value;
  case AtomicKind::Cas:
    return arith::SelectOp::create(
        builder, loc, compare(CmpIPredicate::eq, old, expected), value, old);
  }
  llvm_unreachable("unknown atomic operation");
}

LogicalResult KernelLowering::lowerAtomic(AtomicOp op) {
  // Programs of such kernels run one after the other. One element at a time,
  // since gathered positions may be equal.
  Access access = makeAccess(op);
  const Tensor &tensor = *access.tensor;
  Type element = tensor.element;
  auto type = dyn_cast<RankedTensorType>(op.getValue().getType());
  auto getOperand = [&](Value operand) {
    return type && operand ? makeCheap(getTile(operand)) : nullptr;
  };
  ExpressionRef tile = getOperand(op.getValue());
  ExpressionRef expected = getOperand(op.getExpected());
  bool isVector = type && access.kept.back().isContiguous;
  int64_t width = isVector ? getLanes(type.getShape()) : 1;
  Type held = getHeldType(element);
  Value zero = isa<FloatType>(held) ? getElements().getFloat(0, held)
                                    : getElements().getInteger(0, held);
  BufferRef result;
  if (op.getOld())
    result = allocate(type);
  auto emit = [&](bool isMasked) {
    forEachElement(
        access, isMasked, width,
        [&](ArrayRef<Value> position, Value offset, Value mask) {
          auto getValue = [&](Value operand, const ExpressionRef &from) {
            if (!operand)
              return Value();
            return from ? evaluate(*from, position, width) : getScalar(operand);
          };
          Value old =
              loadElements(tensor, tensor.data, offset, mask, zero, width);
          Value value =
              replace(op.getKind(), element, old, getValue(op.getValue(), tile),
                      getValue(op.getExpected(), expected), width);
          storeElements(getMemoryType(element), tensor.data, offset, mask,
                        getElements(width).encode(element, value), width);
          if (result)
            write(*result, position, old);
        });
  };
  if (!type || !access.isFull) {
    emit(/*isMasked=*/true);
  } else {
    auto branch = scf::IfOp::create(builder, loc, access.isFull, true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    emit(/*isMasked=*/false);
    builder.setInsertionPointToStart(branch.elseBlock());
    emit(/*isMasked=*/true);
  }
  if (result)
    values[op.getOld()] = makeRead(type, result);
  return success();
}
