//===- CombinerFrame.h - Execution of a combiner ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Executes the region of a reduction or scan on many lines at once. A line is
// the elements along the axis at one position of the other dimensions. Each
// scalar of the region is held as a tile with one element per line, so each
// operation of the region runs once per step along the axis. The interpreter
// and the simulator share this code.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_INTERPRETER_COMBINERFRAME_H
#define TESSERA_INTERPRETER_COMBINERFRAME_H

#include "tessera/Interpreter/Semantics.h"

#include "mlir/IR/TypeUtilities.h"

namespace tessera::interp {

class CombinerFrame : public Frame {
public:
  /// One tile per source, with one element per line.
  using Group = SmallVector<Tile, 2>;

  CombinerFrame(Frame &outer, Region &combiner, int64_t lines)
      : Frame(outer.getLaunch(), outer.getConstants()), outer(outer),
        combiner(combiner), lines(lines) {}

  /// Combines `extent` groups in order. `get` returns the group of a step, and
  /// `visit` takes the combination of the groups up to a step.
  LogicalResult fold(int64_t extent, function_ref<Group(int64_t)> get,
                     function_ref<void(int64_t, const Group &)> visit);

  /// Returns a tile of one element per line for elements of `type`.
  Tile makeOwn(Type type) const override {
    return Tile(*getElementType(type), {lines});
  }
  Tile getOwnPart(Type type, const Tile &whole) const override;
  LogicalResult report(Operation *op, const Twine &message) override {
    return outer.report(op, message);
  }

private:
  FailureOr<Group> combine(const Group &left, const Group &right);

  Frame &outer;
  Region &combiner;
  int64_t lines;
};

} // namespace tessera::interp

#endif // TESSERA_INTERPRETER_COMBINERFRAME_H
