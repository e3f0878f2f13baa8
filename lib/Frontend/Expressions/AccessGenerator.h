//===- AccessGenerator.h - Indexing of tensors and tiles --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_ACCESSGENERATOR_H
#define TESSERA_FRONTEND_ACCESSGENERATOR_H

#include "Conversions.h"
#include "TreeWalk.h"

namespace tessera::frontend {

/// Indexed elements of a tensor in global memory.
struct Access {
  enum class Use : uint8_t { Read, Write, Replace };

  Value global;
  SmallVector<Value> indices;
  /// The first axis of the tile for each range and gather; absent unless
  /// positions are paired.
  DenseI64ArrayAttr axes;
  /// The tile or scalar type of the elements.
  Type valueType;
  SourcePlace place;
  /// The name of the tensor in messages.
  std::string name;

  /// The sizes that the axes of the elements walk.
  AxisNames axisNames;
};

class AccessGenerator : KernelPart {
public:
  AccessGenerator(KernelContext &context, TreeWalk &walk, EntryValues &values,
                  Conversions &conversions)
      : KernelPart(context), walk(walk), values(values),
        conversions(conversions) {}

  /// Generates an index expression as a value: a load, a tile with new
  /// dimensions, or a type.
  Entity genIndexing(const IndexExpr &expr);

  /// Reports `x[m][n]` for a tensor of two dimensions; returns false for other
  /// indices.
  bool reportSplitIndex(const IndexExpr &expr);

  /// Generates the indices of an access; nothing after an error.
  std::optional<Access> genAccess(const IndexExpr &expr, Access::Use use);
  std::optional<Access> genAccess(const IndexExpr &expr, const Entity &base,
                                  Access::Use use);

private:
  /// Positions of one axis that an index takes.
  struct Part {
    int64_t first, extent;
    /// Whether the axis is dropped.
    bool isDropped;
  };
  std::optional<Part> evaluatePart(const IndexItem &item, const Entity &base,
                                   unsigned axis);
  bool checkTileIndex(const IndexExpr &expr, const Entity &base);
  Entity genTileIndexing(const IndexExpr &expr, const Entity &base);
  Value genAccessIndex(const IndexItem &item, Access &access, size_t dim,
                       SmallVectorImpl<int64_t> &shape);
  Value genPosition(const Entity &index, const IndexItem &item,
                    const Access &access, size_t dim);
  /// Generates the indices of a list of paired positions, from dimension `dim`
  /// on. Returns false after an error.
  bool genPaired(ArrayRef<IndexItem> items, Access &access, size_t dim,
                 SmallVectorImpl<int64_t> &shape);
  bool checkDimension(const IndexItem &item, const Access &access, size_t dim,
                      tile::RangeType range);
  bool checkUse(const Access &access, Access::Use use);

  TreeWalk &walk;
  EntryValues &values;
  Conversions &conversions;
};

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_ACCESSGENERATOR_H
