//===- Frame.h - One program while it runs ----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state of one program of the grid: what its SSA values hold, where it
// stands in time, and how it reports a defect.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_INTERPRETER_FRAME_H
#define TESSERA_INTERPRETER_FRAME_H

#include "tessera/Interpreter/Interpreter.h"

#include "llvm/ADT/DenseMap.h"

namespace tessera::interp {

/// What all programs of a launch share.
struct Execution {
  Execution(Launch &launch, const RunOptions &options,
            ArrayRef<int64_t> gridExtents)
      : launch(launch), options(options), gridExtents(gridExtents) {}

  Launch &launch;
  const RunOptions &options;
  uint64_t steps = 0;
  /// Counts accesses to global memory.
  uint64_t time = 0;
  /// The number of programs along each axis.
  array::Shape gridExtents;
  /// Constants are made once.
  DenseMap<Operation *, Tile> constants;

  array::Shape getCoordinates(uint32_t program) const;
};

class Frame {
public:
  Frame(Execution &execution, uint32_t program)
      : execution(execution), program(program), barrier(++execution.time) {}

  Execution &getExecution() { return execution; }
  Launch &getLaunch() { return execution.launch; }

  const RuntimeValue &get(Value value) const {
    return values.find(value)->second;
  }
  const Tile &getTile(Value value) const { return std::get<Tile>(get(value)); }
  const IndexRange &getRange(Value value) const {
    return std::get<IndexRange>(get(value));
  }
  int64_t getInteger(Value value) const { return getTile(value).getInteger(); }
  GlobalTensor &getTensor(Value value) const {
    return *std::get<GlobalTensor *>(get(value));
  }
  void set(Value value, RuntimeValue contents) {
    values[value] = std::move(contents);
  }

  /// Executes the only block of `region` with the given block arguments, and
  /// returns what its terminator was given.
  FailureOr<SmallVector<RuntimeValue>> run(Region &region,
                                           ArrayRef<RuntimeValue> arguments);

  /// The time stamps of an access that begins now.
  AccessStamp beginAccess() { return {program, ++execution.time, barrier}; }
  void passBarrier() { barrier = ++execution.time; }

  /// Reports a defect at `op`, with a note that says which program it is.
  LogicalResult report(Operation *op, const Twine &message);
  /// "program (m = 3, h = 0)", or "the only program" without a grid.
  std::string describeProgram(uint32_t other) const;
  std::string describeProgram() const { return describeProgram(program); }

private:
  LogicalResult takeStep(Operation *op);
  LogicalResult execute(Operation &op);

  Execution &execution;
  uint32_t program;
  uint64_t barrier;
  DenseMap<Value, RuntimeValue> values;
};

/// An empty tile for the result of `op`, whose type has been verified.
Tile makeResult(Operation *op, unsigned index = 0);

} // namespace tessera::interp

#endif // TESSERA_INTERPRETER_FRAME_H
