//===- KernelLowering.h - Lowers one kernel to a function -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile is an expression: a function from a position to elements. Elementwise
// operations with one user make larger expressions, so that a chain of them is
// one loop without intermediate tiles (loop fusion by inlining). Other tiles
// are evaluated to a buffer where they are defined.
//
// Invariants: each operation is lowered once, in order. An expression reads
// buffers only, and nothing writes to a buffer while an expression refers to
// it. An element of an expensive expression is evaluated once.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_TILETOHOST_KERNELLOWERING_H
#define TESSERA_LIB_CONVERSION_TILETOHOST_KERNELLOWERING_H

#include "Arena.h"
#include "ElementBuilder.h"

#include "tessera/Conversion/TileToHost/Passes.h"
#include "tessera/Dialect/Tile/IR/IndexMap.h"

#include "llvm/ADT/SetVector.h"

#include <variant>

namespace tessera::host {

/// The value of a `!tile.range`. The first `count` indices are valid.
struct HostRange {
  Value start, limit, count;
  int64_t extent = 0;
};

struct Expression;
using ExpressionRef = std::shared_ptr<const Expression>;

struct Expression {
  enum Kind {
    Read,       // of `buffer`
    Splat,      // of `scalar`
    Map,        // result `number` of `op` on the elements of `operands`
    Broadcast,  // of operand 0
    ExpandDims, // of operand 0, with the dimension `number` inserted
    Positions,  // `scalar` + i, as i32
    Valid,      // i < `scalar`
  };
  Kind kind;
  RankedTensorType type;
  BufferRef buffer = {};
  Value scalar = {};
  Operation *op = nullptr;
  SmallVector<ExpressionRef, 3> operands = {};
  int64_t number = 0;
  /// Whether an element may be evaluated several times.
  bool isCheap = true;
  /// The length of the longest chain of operands.
  int64_t depth = 0;

  ArrayRef<int64_t> getShape() const { return type.getShape(); }
  bool refersTo(const Buffer *other) const;
  /// Checks whether an element depends on no other element of `other` than that
  /// at the same position.
  bool isPointwiseIn(const Buffer *other) const;
};

/// A scalar, a range, a tile, or the number of a tensor parameter.
using HostValue = std::variant<Value, HostRange, ExpressionRef, unsigned>;

class KernelLowering {
public:
  KernelLowering(tile::KernelOp kernel, OpBuilder &builder, int64_t lanes)
      : kernel(kernel), builder(builder), lanes(lanes) {}

  FailureOr<HostFunction> run();

private:
  /// A tensor parameter.
  struct Tensor {
    Type element;
    Value data, written;
    SmallVector<Value> sizes, strides;
  };
  using Position = SmallVector<Value>;
  using Visit = function_ref<void(ArrayRef<Value>)>;
  struct Access;

  // The function and its parameters.
  void declare();
  Value loadWord(Value base, int64_t word);
  Value getSize(tile::SizeAttr size);
  void findLastUses();

  // Operations, in KernelLowering.cpp and ControlFlow.cpp.
  LogicalResult lower(Block &block);
  LogicalResult lower(Operation *op);
  LogicalResult lowerElementwise(Operation *op);
  LogicalResult lowerConstant(arith::ConstantOp op);
  /// Returns a held scalar of an attribute of a number.
  Value getNumber(Attribute value);
  LogicalResult lowerRange(Operation *op);
  LogicalResult lowerExtract(tensor::ExtractOp op);
  LogicalResult lowerFor(scf::ForOp op);
  /// Emits a loop of at most `trips` iterations that ends when the carried
  /// value `runs` is false. Its body, without operations, takes the number of
  /// the iteration first.
  scf::WhileOp makeExitingLoop(scf::ForOp op, unsigned runs, Value trips,
                               ValueRange init);
  LogicalResult lowerWhile(scf::WhileOp op);

  // Loops that never end, in EndlessLoops.cpp.
  /// Tiles at the start of iteration 64, 128, 256, … of a loop.
  struct KeptState {
    Value isKept;
    SmallVector<ExpressionRef> tiles;
  };
  KeptState keepState(scf::ForOp op, Value trip, ArrayRef<BufferRef> buffers);
  /// Sets the failure word if the iteration ends with the values that it
  /// started with: scalars and parts `before` and `after`, and `buffers`.
  void failIfRepeated(const KeptState &kept, ValueRange before,
                      ValueRange after, ArrayRef<BufferRef> buffers);

  LogicalResult lowerIf(scf::IfOp op);
  /// Forgets the values of a lowered block.
  void erase(Block &block);
  LogicalResult refuse(Operation *op);
  /// Waits at a barrier of the grid.
  void meetGrid();
  bool isSupportedType(Type type);
  /// Sets the failure word if the i1 `condition` is true.
  void failIf(Value condition);
  /// Counts steps: `times` executions of `block`. Returns `times`, or 0 after a
  /// failure if too few steps remain.
  Value takeSteps(Value times, Block &block);

  // Values of several parts, for control flow.
  void flatten(Value value, SmallVectorImpl<Value> &parts);
  void flattenTypes(Type type, SmallVectorImpl<Type> &types);
  void setParts(Value value, ArrayRef<Value> &parts);
  /// Sets the values that a loop carries: scalars and ranges to `parts`, tiles
  /// to reads of `buffers`, in order.
  void setCarried(ValueRange targets, ValueRange parts,
                  ArrayRef<BufferRef> buffers);

  // Tiles, in Tiles.cpp.
  ExpressionRef getTile(Value value) {
    return std::get<ExpressionRef>(values.find(value)->second);
  }
  HostRange getRange(Value value) {
    return std::get<HostRange>(values.find(value)->second);
  }
  Value getScalar(Value value) {
    return std::get<Value>(values.find(value)->second);
  }
  HostRange makeRange(Value start, Value limit, int64_t extent);
  /// Sets the tile of `value`; evaluates it first unless it is cheap or has a
  /// single use in its block.
  void define(Value value, Expression expression);
  ExpressionRef makeRead(RankedTensorType type, BufferRef buffer);
  /// Returns a tile of an operand; a scalar is repeated.
  ExpressionRef getOperandTile(Value operand, RankedTensorType like);
  BufferRef allocate(RankedTensorType type);
  BufferRef materialize(const ExpressionRef &tile);
  ExpressionRef makeCheap(const ExpressionRef &tile);
  void evaluateInto(const ExpressionRef &tile, const BufferRef &buffer);
  int64_t getLanes(ArrayRef<int64_t> shape) const;
  Value evaluate(const Expression &tile, ArrayRef<Value> position,
                 int64_t width);
  Value read(const Buffer &buffer, Type element, ArrayRef<Value> position,
             int64_t width) {
    return read(buffer.memref, element, position, width);
  }
  Value read(Value memref, Type element, ArrayRef<Value> position,
             int64_t width);
  void write(const Buffer &buffer, ArrayRef<Value> position, Value value);
  /// Emits loops over all positions of a tile, `width` elements of the last
  /// dimension at a time.
  void forEachPosition(ArrayRef<int64_t> shape, int64_t width, Visit visit);
  void forEachPosition(ArrayRef<int64_t> extents, ArrayRef<int64_t> steps,
                       Visit visit);

  // Compute, in Products.cpp and Reductions.cpp.
  LogicalResult lowerGemm(tile::GemmOp op);
  BufferRef transpose(const Buffer &source, RankedTensorType type);
  LogicalResult lowerReduce(tile::ReduceOp op);
  void reduceLastDimension(tile::ReduceOp op, const BufferRef &result);
  void sumRows(tile::ReduceOp op, const BufferRef &result);
  LogicalResult lowerScan(tile::ScanOp op);
  LogicalResult lowerCombined(Operation *op, int64_t axis, Region &combiner,
                              bool isScan, bool isReverse);
  /// Combines two groups of elements by the region of a reduction.
  SmallVector<Value> combineGroups(Region &combiner, ValueRange left,
                                   ValueRange right, int64_t width);
  Value combine(tile::ReduceKind kind, Type element, Value x, Value y,
                int64_t width);
  SmallVector<Value>
  emitLoop(int64_t begin, int64_t end, int64_t step, ValueRange init,
           function_ref<SmallVector<Value>(Value, ValueRange)> body);

  // Rearranged tiles, in Rearrange.cpp.
  LogicalResult lowerRearrange(tile::RearrangeOp op);
  /// Returns the buffer that holds all sources one after the other, and sets
  /// `line` to a memref of its elements.
  BufferRef makeLine(tile::RearrangeOp op, Value &line);
  Value getNumberOf(const tile::IndexMap &map, ArrayRef<Value> position);

  // Memory, in Accesses.cpp.
  template <typename OpTy>
  Access makeAccess(OpTy op);
  void forEachElement(Access &access, bool isMasked, int64_t width,
                      function_ref<void(ArrayRef<Value>, Value, Value)> visit);
  void visitDimension(Access &access, unsigned dim, Position &position,
                      Value offset, Value valid, bool isMasked, int64_t width,
                      function_ref<void(ArrayRef<Value>, Value, Value)> visit);
  Value loadElements(const Tensor &tensor, Value base, Value offset, Value mask,
                     Value fill, int64_t width);
  void storeElements(Type memory, Value base, Value offset, Value mask,
                     Value value, int64_t width);
  LogicalResult lowerLoad(tile::LoadOp op);
  LogicalResult lowerStore(tile::StoreOp op);
  LogicalResult lowerAtomic(tile::AtomicOp op);
  /// Returns the value that an atomic operation writes.
  Value replace(tile::AtomicKind kind, Type element, Value old, Value value,
                Value expected, int64_t width);
  LogicalResult lowerCheck(tile::CheckOp op);

  // Short forms of builders.
  ElementBuilder getElements(int64_t width = 1) {
    return ElementBuilder(builder, loc, width);
  }
  Value getIndex(int64_t value);
  Value add(Value x, Value y);
  Value multiply(Value x, Value y);
  Value compare(arith::CmpIPredicate predicate, Value x, Value y);
  Value logicalAnd(Value x, Value y);
  Value logicalNot(Value x);
  Value getAddress(Value base, Value offset, Type element);

  tile::KernelOp kernel;
  OpBuilder &builder;
  int64_t lanes;
  Location loc = kernel.getLoc();
  HostFunction result;
  Value arguments, state, arenaValue;
  Block *entry = nullptr;
  Arena arena;
  SmallVector<Tensor> tensors;
  llvm::SmallSetVector<tile::SizeAttr, 8> sizes;
  SmallVector<Value> sizeValues;
  DenseMap<Operation *, SmallVector<Value, 2>> lastUses;
  /// After `arena`, which the buffers of its tiles refer to.
  DenseMap<Value, HostValue> values;
};

} // namespace tessera::host

#endif // TESSERA_LIB_CONVERSION_TILETOHOST_KERNELLOWERING_H
