//===- TileMemory.cpp - Transfers to and from memory ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads, stores and atomic operations. Each index operand becomes a list of
// memory offsets of its dimension, with a mark for invalid indices. The lists
// of paired indices are added. The lanes of the access are the Cartesian
// product of the lists, in row-major order; an `index` operand is a list of one
// offset.
//
//===----------------------------------------------------------------------===//

#include "tessera/Interpreter/Semantics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tessera/Array/Rounding.h"

#include <limits>

using namespace tessera;
using namespace tessera::interp;
using namespace tessera::tile;

/// The offset of a lane that must not access memory.
static constexpr int64_t outside = std::numeric_limits<int64_t>::min();

/// The offsets of one dimension.
using Offsets = std::vector<int64_t>;

/// Checks whether a load yields the elements past the end of a range: nothing
/// may use them, and a kernel with zeros there would hide a use. Programs may
/// write the elements of other tensors at the same time.
static bool isOpen(Operation *op, const GlobalTensor &tensor, size_t dim) {
  auto load = dyn_cast<LoadOp>(op);
  return load && load.getOpenEnds() && (*load.getOpenEnds())[dim] &&
         !tensor.isWritable();
}

/// Computes the offsets of each dimension, shared by the three operations.
template <typename OpTy>
static FailureOr<SmallVector<Offsets>>
resolveIndices(OpTy op, GlobalTensor &tensor, ProgramFrame &frame) {
  SmallVector<Offsets> dimensions;
  SmallVector<IndexAxes> allAxes = op.getIndexAxes();
  /// By first axis: its list.
  llvm::SmallDenseMap<int64_t, unsigned> listOfAxis;
  for (auto [dim, index] : llvm::enumerate(op.getIndices())) {
    int64_t size = tensor.getShape()[dim], stride = tensor.getStrides()[dim];
    bool mustHold = op.isInBounds(dim);
    Offsets offsets;
    int64_t limit = size, wrong = 0;
    bool holds = true;
    auto add = [&](int64_t position) {
      bool good = position >= 0 && position < size && position < limit;
      offsets.push_back(good ? position * stride : outside);
      if (!good && holds) {
        holds = false;
        wrong = position;
      }
    };
    const RuntimeValue &value = frame.get(index);
    if (const auto *range = std::get_if<IndexRange>(&value)) {
      if (!isOpen(op, tensor, dim))
        limit = range->limit;
      offsets.reserve(range->extent);
      for (int64_t i = 0; i < range->extent; ++i)
        add(range->at(i));
    } else {
      for (int64_t position : std::get<Tile>(value).integers())
        add(position);
    }
    if (mustHold && !holds)
      return frame.report(
          op, "access is marked in bounds, but index " + Twine(wrong) +
                  " of dimension " + Twine(dim) + " of '" + tensor.getName() +
                  "' is not (size " + Twine(size) +
                  (limit < size ? ", limit " + std::to_string(limit) : "") +
                  ")");
    IndexAxes axes = allAxes[dim];
    auto list = axes.rank > 0 ? listOfAxis.find(axes.first) : listOfAxis.end();
    if (list == listOfAxis.end()) {
      if (axes.rank > 0)
        listOfAxis[axes.first] = dimensions.size();
      dimensions.push_back(std::move(offsets));
      continue;
    }
    for (auto [sum, offset] :
         llvm::zip_equal(dimensions[list->second], offsets))
      sum = sum == outside || offset == outside ? outside : sum + offset;
  }
  return dimensions;
}

/// Calls `visit(lane, offset)` for every lane; the offset of an invalid lane is
/// `outside`. Stops when `visit` returns false.
template <typename Visit>
static bool forEachLane(ArrayRef<Offsets> dimensions, Visit visit) {
  if (dimensions.empty())
    return visit(0, 0);
  for (const Offsets &offsets : dimensions)
    if (offsets.empty())
      return true;
  ArrayRef<Offsets> outer = dimensions.drop_back();
  const Offsets &inner = dimensions.back();
  SmallVector<size_t> position(outer.size(), 0);
  int64_t lane = 0;
  while (true) {
    int64_t base = 0;
    for (auto [offsets, at] : llvm::zip(outer, position)) {
      if (offsets[at] == outside) {
        base = outside;
        break;
      }
      base += offsets[at];
    }
    for (int64_t offset : inner)
      if (!visit(lane++, base == outside || offset == outside ? outside
                                                              : base + offset))
        return false;
    int64_t dim = outer.size() - 1;
    for (; dim >= 0; --dim) {
      if (++position[dim] < outer[dim].size())
        break;
      position[dim] = 0;
    }
    if (dim < 0)
      return true;
  }
}

/// Returns the spelling of a barrier in the source of `location`.
static StringRef getBarrierSpelling(Location location) {
  auto place = location->findInstanceOf<FileLineColLoc>();
  return place && place.getFilename().getValue().ends_with(".tile")
             ? StringRef("'barrier();'")
             : BarrierOp::getOperationName();
}

/// Checks whether `op` loads elements to which its program adds a value, as in
/// `s[0] = s[0] + t`.
static bool isReadForSum(Operation *op) {
  auto load = dyn_cast<LoadOp>(op);
  if (!load)
    return false;
  return llvm::any_of(load->getUsers(), [&](Operation *add) {
    return isa<arith::AddFOp, arith::AddIOp>(add) &&
           llvm::any_of(add->getUsers(), [&](Operation *user) {
             auto store = dyn_cast<StoreOp>(user);
             return store && store.getGlobal() == load.getGlobal() &&
                    store.getIndices() == load.getIndices();
           });
  });
}

static LogicalResult reportConflict(Operation *op, ProgramFrame &frame,
                                    const GlobalTensor &tensor, int64_t offset,
                                    const Conflict &conflict) {
  std::string other = conflict.other ? frame.describeProgram(*conflict.other)
                                     : std::string("another program");
  StringRef advice;
  if (conflict.kind == Conflict::ReadOfOther && isReadForSum(op))
    advice = "several programs add to an element by 'atomic_add'";
  return frame.report(op,
                      tensor.describe(offset, conflict, other,
                                      getBarrierSpelling(op->getLoc())),
                      advice);
}

//===----------------------------------------------------------------------===//
// Load
//===----------------------------------------------------------------------===//

template <typename T>
static LogicalResult load(LoadOp op, ProgramFrame &frame, GlobalTensor &tensor,
                          ArrayRef<Offsets> dimensions, T fill) {
  Tile result = frame.makeResult(op);
  MutableArrayRef<T> out = result.getMutable<T>();
  ArrayRef<T> memory = tensor.getMemory().get<T>();
  if (!tensor.isWritable()) {
    forEachLane(dimensions, [&](int64_t lane, int64_t offset) {
      out[lane] = offset == outside ? fill : memory[offset];
      return true;
    });
  } else {
    AccessStamp access = frame.beginAccess();
    std::optional<Conflict> conflict;
    int64_t where = 0;
    bool done = forEachLane(dimensions, [&](int64_t lane, int64_t offset) {
      if (offset == outside) {
        out[lane] = fill;
        return true;
      }
      out[lane] = memory[offset];
      where = offset;
      conflict = tensor.recordRead(offset, access);
      return !conflict;
    });
    if (!done)
      return reportConflict(op, frame, tensor, where, *conflict);
  }
  frame.set(op.getResult(), std::move(result));
  return success();
}

static LogicalResult runLoad(LoadOp op, ProgramFrame &frame) {
  GlobalTensor &tensor = frame.getTensor(op.getGlobal());
  FailureOr<SmallVector<Offsets>> dimensions =
      resolveIndices(op, tensor, frame);
  if (failed(dimensions))
    return failure();
  std::optional<TypedAttr> fill = op.getFill();
  if (tensor.isFloat())
    return visitFloats(tensor.getType(), [&](auto number) {
      if (fill)
        number = cast<FloatAttr>(*fill).getValueAsDouble();
      return load(op, frame, tensor, *dimensions, number);
    });
  int64_t value = 0;
  if (fill)
    value = wrap(tensor.getType(),
                 cast<IntegerAttr>(*fill).getValue().getSExtValue());
  return load<int64_t>(op, frame, tensor, *dimensions, value);
}

//===----------------------------------------------------------------------===//
// Store and atomic operation
//===----------------------------------------------------------------------===//

/// Calls `visit(lane, offset, access)` for each valid element, which returns
/// the conflict of its access.
template <typename OpTy, typename Visit>
static LogicalResult writeElements(OpTy op, ProgramFrame &frame,
                                   GlobalTensor &tensor,
                                   ArrayRef<Offsets> dimensions, Visit visit) {
  AccessStamp access = frame.beginAccess();
  std::optional<Conflict> conflict;
  int64_t where = 0;
  bool done = forEachLane(dimensions, [&](int64_t lane, int64_t offset) {
    if (offset == outside)
      return true;
    where = offset;
    conflict = visit(lane, offset, access);
    return !conflict;
  });
  if (!done)
    return reportConflict(op, frame, tensor, where, *conflict);
  return success();
}

template <typename T>
static LogicalResult write(StoreOp op, ProgramFrame &frame,
                           GlobalTensor &tensor, ArrayRef<Offsets> dimensions) {
  ArrayRef<T> values = frame.getTile(op.getValue()).get<T>();
  frame.noteChange();
  return writeElements(
      op, frame, tensor, dimensions,
      [&](int64_t lane, int64_t offset, const AccessStamp &access) {
        return tensor.store<T>(offset, values[lane], access);
      });
}

template <typename T>
static LogicalResult write(AtomicOp op, ProgramFrame &frame,
                           GlobalTensor &tensor, ArrayRef<Offsets> dimensions) {
  ArrayRef<T> values = frame.getTile(op.getValue()).get<T>();
  ArrayRef<T> expected = values;
  if (op.getExpected())
    expected = frame.getTile(op.getExpected()).get<T>();
  Tile result;
  MutableArrayRef<T> old;
  if (op.getOld()) {
    result = frame.makeResult(op);
    old = result.getMutable<T>();
    llvm::fill(old, T(0));
  }
  if (failed(writeElements(
          op, frame, tensor, dimensions,
          [&](int64_t lane, int64_t offset, const AccessStamp &access) {
            T before = 0;
            auto conflict =
                tensor.replace<T>(op.getKind(), offset, values[lane],
                                  expected[lane], access, &before);
            bool changes = !tensor.holds<T>(offset, before);
            if (changes)
              frame.noteChange();
            if (!old.empty())
              old[lane] = before;
            frame.synchronize(tensor, offset, op.getOrder(), changes);
            return conflict;
          })))
    return failure();
  if (op.getOld())
    frame.set(op.getOld(), std::move(result));
  return success();
}

template <typename OpTy>
static LogicalResult runWrite(OpTy op, ProgramFrame &frame) {
  GlobalTensor &tensor = frame.getTensor(op.getGlobal());
  FailureOr<SmallVector<Offsets>> dimensions =
      resolveIndices(op, tensor, frame);
  if (failed(dimensions))
    return failure();
  return visitNumbers(tensor.getType(), [&](auto number) {
    return write<decltype(number)>(op, frame, tensor, *dimensions);
  });
}

static LogicalResult runBarrier(BarrierOp op, ProgramFrame &frame) {
  frame.passBarrier();
  return success();
}

void interp::addTileMemorySemantics(SemanticsTable &table) {
  table.add<LoadOp>(runLoad);
  table.add<StoreOp>(runWrite<StoreOp>);
  table.add<AtomicOp>(runWrite<AtomicOp>);
  table.add<BarrierOp>(runBarrier);
}
