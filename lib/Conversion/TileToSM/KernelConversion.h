//===- KernelConversion.h - A kernel, op by op ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds the sm.kernel of a tile.kernel in the order of its operations. A
// scalar becomes one value, a range two values (start and limit), a tile one
// value for each requested layout. `getTile` creates the conversion of layout,
// the read from shared memory or the second computation right after the
// definition. A loop that needs a tile from outside therefore converts it
// outside.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_TILETOSM_KERNELCONVERSION_H
#define TESSERA_LIB_CONVERSION_TILETOSM_KERNELCONVERSION_H

#include "ClusterPlan.h"
#include "LayoutAssignment.h"

#include "mlir/IR/Builders.h"

namespace tessera::sm {

struct ConversionOptions {
  bool remarks = false;
  /// Number of tiles along the first axis in a band; 0 chooses it.
  int64_t rasterGroup = 0;
};

/// Emits an error for tiles that are too large for any layout.
LogicalResult checkTileSizes(tile::KernelOp kernel);

class KernelConversion {
public:
  KernelConversion(tile::KernelOp kernel, const ProductAssignments &assigned,
                   ConversionOptions options)
      : kernel(kernel), assigned(assigned), options(options),
        assignment(kernel, assigned), builder(kernel) {}

  /// Converts the kernel. The tile.kernel remains; the new kernel precedes it.
  LogicalResult run();

  int64_t getNumConverts() const { return numConverts; }

private:
  // The kernel and its grid.
  void bindGrid(KernelOp made);
  SmallVector<Value> decodeProgram(ArrayRef<Value> counts);
  bool isGrouped() const;
  int64_t getBandTiles() const;
  /// Returns a size, computed once at the start of the kernel.
  Value getSize(tile::SizeAttr size);
  Value makeIndex(Location loc, int64_t value);

  LogicalResult convertBody(Block &block);
  LogicalResult convert(Operation *op);

  // Ranges and scalars.
  Value getScalar(Value value) { return scalars.find(value)->second.front(); }
  Value getStart(Value range) { return scalars.find(range)->second[0]; }
  Value getLimit(Value range) { return scalars.find(range)->second[1]; }
  bool convertRange(Operation *op);
  void cloneScalar(Operation *op);

  // Control flow.
  LogicalResult convertFor(scf::ForOp loop);
  LogicalResult convertIf(scf::IfOp branch);
  LogicalResult convertWhile(scf::WhileOp loop);
  /// Returns the types of the values that represent `like`, in their layouts.
  SmallVector<Type> getTypes(ValueRange like);
  /// Returns `values` in the types of `getTypes(like)`.
  FailureOr<SmallVector<Value>> getAll(ValueRange values, ValueRange like);
  void defineAll(ValueRange old, ValueRange made);

  // Tiles.
  void define(Value old, Value made);
  FailureOr<Value> getTile(Value value, const layout::Layout &layout);
  FailureOr<Value> getShared(const OperandPlan &operand);
  /// Returns the source of a transposed copy of `operand` in shared memory.
  FailureOr<Value> getTurned(const OperandPlan &operand);
  Value makeTransposed(Value tile);
  /// Computes `op`, whose result is a tile, in a layout.
  FailureOr<Operation *> compute(Operation *op, const layout::Layout &layout);
  FailureOr<Operation *> computeElementwise(Operation *op,
                                            const layout::Layout &layout);
  Operation *computePositions(Operation *op, RankedTensorType type);
  LogicalResult convertRearrange(tile::RearrangeOp op);
  LogicalResult convertReduce(tile::ReduceOp reduce);
  LogicalResult convertReduceWith(tile::ReduceWithOp reduce);
  LogicalResult convertScanWith(tile::ScanWithOp scan);
  /// Returns the operands of a reduction or scan by a region, in one layout.
  FailureOr<SmallVector<Value>> getCombinedTiles(ValueRange sources,
                                                 unsigned axis);
  LogicalResult convertGemm(tile::GemmOp gemm);

  // Accesses.
  struct Box;
  Value makeInside(Location loc, Value position, Value size);
  Value makeLimit(Value range, Value end, Value extent);
  template <typename OpTy>
  FailureOr<Box> getBox(OpTy op, const layout::Layout *tile);
  LogicalResult convertLoad(tile::LoadOp load);
  LogicalResult convertStore(tile::StoreOp store);
  LogicalResult convertAtomic(tile::AtomicOp add);
  template <typename OpTy, typename Create>
  LogicalResult convertWrite(OpTy op, Create create);

  /// A tile in the layout of its definition, and the place after it.
  struct TileValue {
    Value value;
    Operation *marker;
  };

  tile::KernelOp kernel;
  const ProductAssignments &assigned;
  ConversionOptions options;
  ClusterPlan cluster;
  LayoutAssignment assignment;
  OpBuilder builder;
  Block *entry = nullptr;
  Operation *lastSize = nullptr;
  llvm::DenseMap<Attribute, Value> sizes;
  llvm::DenseMap<Value, SmallVector<Value, 2>> scalars;
  llvm::DenseMap<Value, TileValue> tiles;
  llvm::DenseMap<std::pair<Value, Attribute>, Value> inLayout;
  llvm::DenseMap<Value, Value> staged;
  llvm::DenseMap<Value, Value> copies;
  SmallVector<Operation *> markers;
  int64_t numConverts = 0;
};

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_TILETOSM_KERNELCONVERSION_H
