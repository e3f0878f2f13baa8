//===- GlobalAccess.cpp - Addresses and validity of a box -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits addresses as sums of a part of the thread and a constant of the
// register, and shares them: registers whose addresses differ by a constant use
// one sum. Vectors are as wide as the layout permits; a uniform test at run
// time decides whether they are aligned.
//
//===----------------------------------------------------------------------===//

#include "GlobalAccess.h"

#include "tessera/Dialect/SM/IR/GlobalVectors.h"
#include "tessera/Layout/RegisterMatching.h"

using namespace tessera;
using namespace tessera::sm;
using layout::Digit;
using layout::Layout;
using layout::Point;

static Value emitI64(OpBuilder &builder, Location loc, int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                  builder.getI64IntegerAttr(value));
}

static Value emitValue(OpBuilder &builder, Location loc, OpFoldResult value) {
  if (auto attribute = dyn_cast<Attribute>(value))
    return emitI64(builder, loc, cast<IntegerAttr>(attribute).getInt());
  return cast<Value>(value);
}

static std::optional<int64_t> getConstant(OpFoldResult value) {
  if (auto attribute = dyn_cast<Attribute>(value))
    return cast<IntegerAttr>(attribute).getInt();
  return std::nullopt;
}

/// Emits `position`, an i32, times `stride`, as i64.
static Value emitOffset(OpBuilder &builder, Location loc, Value position,
                        OpFoldResult stride) {
  Value wide =
      LLVM::SExtOp::create(builder, loc, builder.getI64Type(), position);
  if (getConstant(stride) == 1)
    return wide;
  return LLVM::MulOp::create(builder, loc, wide,
                             emitValue(builder, loc, stride));
}

/// Returns the positions of a gather along `axes`. The coordinates of each
/// register's element select an element of the index tile.
static FailureOr<std::vector<Coordinate>>
getGathered(Operation *op, const Layout &layout, tile::IndexAxes axes,
            Type indexType, ArrayRef<Value> registers) {
  std::optional<SmallVector<int64_t>> matches =
      matchRegisters(getLayout(indexType), layout, [&](Point element) {
        ArrayRef<int64_t> own = ArrayRef(element).slice(axes.first, axes.rank);
        return Point(own.begin(), own.end());
      });
  if (!matches)
    return op->emitOpError()
           << "gathers by a tile whose layout is not that of the result's rows";
  std::vector<Coordinate> positions;
  for (int64_t match : *matches)
    positions.push_back({registers[match], 0});
  return positions;
}

/// Returns the number of adjacent lanes in the last dimension, `width` elements
/// apart.
static int64_t countNeighbours(const Layout &layout, int64_t width) {
  std::optional<unsigned> lanes = layout.findAxis(layout::kLane);
  if (!lanes)
    return 1;
  unsigned last = layout.getRank() - 1;
  // Bits are listed in the order of their places.
  int64_t neighbours = 1;
  for (const Digit &digit : layout.getDigits()) {
    if (digit.axis != *lanes || digit.place != neighbours)
      continue;
    Point next(layout.getRank(), 0);
    next[last] = width * neighbours;
    if (digit.kind == Digit::Kind::Broadcast || digit.count != 2 ||
        ArrayRef(digit.stride) != ArrayRef(next))
      break;
    neighbours *= 2;
  }
  // Other bits that toggle these would change the order.
  for (const Digit &digit : layout.getDigits()) {
    bool isOwn = digit.axis == *lanes && digit.place < neighbours;
    while (digit.kind == Digit::Kind::Bit && !isOwn &&
           (digit.stride[last] & ((neighbours - 1) * width)) != 0)
      neighbours /= 2;
  }
  return neighbours;
}

FailureOr<GlobalAccess> GlobalAccess::get(OpBuilder &builder, Operation *op,
                                          const LoweringContext &context,
                                          const AccessOperands &operands,
                                          const Layout &layout) {
  Location loc = op->getLoc();
  auto type = cast<tile::GlobalType>(operands.global.getType());
  GlobalAccess access;
  access.address = context.getAddress(operands.global);
  access.mask = operands.mask;
  access.elementBytes = sm::getElementBytes(type.getElementType());

  TileCoordinates coordinates(builder, loc, layout, context.getThreads(op));
  int64_t registers = access.registers = layout.getSize(layout::kRegister);
  for (unsigned dim = 0; dim < type.getRank(); ++dim) {
    OpFoldResult stride = context.getStride(operands.global, dim);
    const auto *walked = llvm::find(operands.dims, int64_t(dim));
    ArrayRef<Value> index = operands.indices[dim];
    if (walked == operands.dims.end()) {
      Value position = emitToI32(builder, loc, index.front());
      access.baseOffset = emitSum(builder, loc, access.baseOffset,
                                  emitOffset(builder, loc, position, stride));
      continue;
    }
    unsigned i = walked - operands.dims.begin();
    Dimension entry;
    entry.globalDim = dim;
    entry.stride = stride;
    entry.inBounds = operands.inBounds[i];
    entry.limit = emitToI32(builder, loc, operands.limits[i]);
    if (isa<RankedTensorType>(operands.indexTypes[dim])) {
      FailureOr<std::vector<Coordinate>> positions = getGathered(
          op, layout, operands.axes[i], operands.indexTypes[dim], index);
      if (failed(positions))
        return failure();
      entry.positions = std::move(*positions);
    } else {
      entry.start = emitToI32(builder, loc, index.front());
      llvm::DenseMap<Value, Value> sums;
      for (int64_t r = 0; r < registers; ++r) {
        Coordinate position = coordinates.get(r, operands.axes[i].first);
        Value &sum = sums[position.dynamic];
        if (!sum)
          sum = emitSum(builder, loc, entry.start, position.dynamic);
        position.dynamic = sum;
        entry.positions.push_back(position);
      }
    }
    access.dims.push_back(std::move(entry));
  }
  for (Dimension &dim : access.dims)
    for (Coordinate &position : dim.positions)
      access.numbers.try_emplace(position.dynamic, access.numbers.size());

  access.lastIsContiguous = !access.dims.empty() && access.dims.back().start &&
                            access.dims.back().globalDim + 1 == type.getRank();
  if (access.lastIsContiguous) {
    access.vectorWidth = getGlobalVectorWidth(layout, access.elementBytes);
    access.neighbours = countNeighbours(layout, access.vectorWidth);
  }
  return access;
}

Value GlobalAccess::emitIsAligned(OpBuilder &builder, Location loc,
                                  bool ragged) {
  // None of the following numbers may have bits below the width of a vector: in
  // bytes …
  Value bytes =
      LLVM::PtrToIntOp::create(builder, loc, builder.getI64Type(), address);
  int64_t width = vectorWidth;
  auto combine = [&](Value &sum, Value value) {
    sum = sum ? Value(LLVM::OrOp::create(builder, loc, sum, value)) : value;
  };
  // … and in elements.
  Value elements;
  if (baseOffset)
    combine(elements, baseOffset);
  for (const Dimension &dim : ArrayRef(dims).drop_back())
    if (std::optional<int64_t> stride = getConstant(dim.stride)) {
      if (*stride % width)
        combine(elements, emitI64(builder, loc, *stride));
    } else {
      combine(elements, cast<Value>(dim.stride));
    }
  const Dimension &last = dims.back();
  auto combineI32 = [&](Value value) {
    combine(elements,
            LLVM::SExtOp::create(builder, loc, builder.getI64Type(), value));
  };
  combineI32(last.start);
  if (!last.inBounds && !ragged)
    combineI32(last.limit);
  Value inElements = LLVM::AndOp::create(builder, loc, elements,
                                         emitI64(builder, loc, width - 1));
  Value inBytes = LLVM::AndOp::create(
      builder, loc, bytes, emitI64(builder, loc, width * elementBytes - 1));
  return LLVM::ICmpOp::create(
      builder, loc, LLVM::ICmpPredicate::eq,
      LLVM::OrOp::create(builder, loc, inElements, inBytes),
      emitI64(builder, loc, 0));
}

std::pair<Value, int64_t> GlobalAccess::emitPlace(OpBuilder &builder,
                                                  Location loc, int64_t reg) {
  // Registers whose addresses differ by a constant share one sum.
  std::vector<int64_t> key;
  int64_t constant = 0;
  for (const Dimension &dim : dims) {
    const Coordinate &position = dim.positions[reg];
    std::optional<int64_t> stride = getConstant(dim.stride);
    key.push_back(numbers.lookup(position.dynamic));
    key.push_back(stride ? 0 : position.constant);
    if (stride)
      constant += *stride * position.constant;
  }
  Value &pointer = pointers[key];
  if (!pointer) {
    Value offset = baseOffset;
    for (const Dimension &dim : dims) {
      Coordinate position = dim.positions[reg];
      Value sum = position.dynamic;
      if (!getConstant(dim.stride) && position.constant)
        sum = LLVM::AddOp::create(builder, loc, sum,
                                  emitI32(builder, loc, position.constant));
      offset = emitSum(builder, loc, offset,
                       emitOffset(builder, loc, sum, dim.stride));
    }
    pointer = address;
    if (offset) {
      if (elementBytes != 1)
        offset = LLVM::MulOp::create(builder, loc, offset,
                                     emitI64(builder, loc, elementBytes));
      pointer = LLVM::GEPOp::create(builder, loc, address.getType(),
                                    builder.getI8Type(), address,
                                    ArrayRef<LLVM::GEPArg>{offset});
    }
  }
  return {pointer, constant * elementBytes};
}

Value GlobalAccess::emitPointer(OpBuilder &builder, Location loc, int64_t reg) {
  auto [pointer, bytes] = emitPlace(builder, loc, reg);
  if (bytes == 0)
    return pointer;
  return LLVM::GEPOp::create(
      builder, loc, pointer.getType(), builder.getI8Type(), pointer,
      ArrayRef<LLVM::GEPArg>{emitI64(builder, loc, bytes)});
}

Value GlobalAccess::emitIsValid(OpBuilder &builder, Location loc, int64_t reg,
                                int64_t ahead) {
  Value valid = mask;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    if (dim.inBounds)
      continue;
    Coordinate position = dim.positions[reg];
    if (i + 1 == dims.size())
      position.constant += ahead;
    Value &isBelow = validities[{int64_t(i), numbers.lookup(position.dynamic),
                                 position.constant}];
    if (!isBelow) {
      Value sum = position.dynamic;
      if (position.constant)
        sum = LLVM::AddOp::create(builder, loc, sum,
                                  emitI32(builder, loc, position.constant));
      // An unsigned comparison: a negative position is not below the limit.
      isBelow = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ult,
                                     sum, dim.limit);
    }
    valid = valid ? Value(LLVM::AndOp::create(builder, loc, valid, isBelow))
                  : isBelow;
  }
  return valid;
}

Value GlobalAccess::emitIsInRow(OpBuilder &builder, Location loc, int64_t reg,
                                Value back, int64_t count) {
  const Dimension &row = dims.back();
  const Coordinate &position = row.positions[reg];
  Value first = LLVM::SubOp::create(
      builder, loc,
      LLVM::AddOp::create(builder, loc, position.dynamic,
                          emitI32(builder, loc, position.constant)),
      back);
  // As unsigned numbers, positions before the row are far past its end.
  Value begins = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ult,
                                      first, row.limit);
  Value rest = LLVM::SubOp::create(builder, loc, row.limit, first);
  Value ends = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::uge,
                                    rest, emitI32(builder, loc, count));
  return emitAnd(builder, loc, begins, ends);
}

Value GlobalAccess::emitIsRowShorter(OpBuilder &builder, Location loc,
                                     int64_t count) {
  const Dimension &row = dims.back();
  if (row.inBounds)
    return LLVM::ConstantOp::create(builder, loc, builder.getI1Type(),
                                    builder.getBoolAttr(false));
  return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::slt, row.limit,
                              emitI32(builder, loc, count));
}

void GlobalAccess::startBranch() {
  pointers.clear();
  validities.clear();
}
