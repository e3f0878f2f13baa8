//===- EntryValues.h - Values at the entry of a kernel ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constants, sizes and ranges over whole dimensions are the same throughout a
// kernel. They are generated once, at the start of its entry block, in the
// order of their first use.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_ENTRYVALUES_H
#define TESSERA_FRONTEND_ENTRYVALUES_H

#include "KernelContext.h"

namespace tessera::frontend {

class EntryValues : KernelPart {
public:
  explicit EntryValues(KernelContext &context) : KernelPart(context) {}

  /// Makes `block` the entry block. Values of an earlier one are forgotten.
  void setEntry(Block *block);

  Value getConstant(TypedAttr value, SourcePlace place);
  Value getIndexConstant(int64_t value, SourcePlace place);
  Value getSize(StringRef name, SourcePlace place);
  /// Returns the range over a whole dimension of known extent.
  Value getWholeRange(int64_t extent, SourcePlace place);

  /// Returns a compile-time value as a constant of type `element`, repeated to
  /// `shape` if there is one. Null, after an error, if it does not fit.
  Value getNumber(const Entity &number, Type element,
                  std::optional<ArrayRef<int64_t>> shape, SourcePlace place);
  /// Reports an error if `number` is an infinity and `element` an integer type.
  bool reportInfinity(const Entity &number, Type element, SourcePlace place);
  TypedAttr getNumberAttr(const Entity &number, Type element,
                          SourcePlace place);
  /// Returns a constant of the type of `like`, a scalar or a tile.
  Value getFloatLike(Value like, double value, SourcePlace place);

private:
  Block *entry = nullptr;
  /// The last of the generated operations; null if none.
  Operation *last = nullptr;
  llvm::DenseMap<Attribute, Value> constants;
  llvm::DenseMap<int64_t, Value> wholeRanges;
};

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_ENTRYVALUES_H
