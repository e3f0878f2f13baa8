//===- Frame.h - Values while a kernel runs ---------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface between the semantics of an operation and its executor: the
// values of SSA values, the shapes of results, and reports of defects. The
// interpreter executes programs of the grid, which hold whole tiles. The
// simulator executes warps, which hold parts of tiles.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_INTERPRETER_FRAME_H
#define TESSERA_INTERPRETER_FRAME_H

#include "tessera/Interpreter/Interpreter.h"

#include "llvm/ADT/DenseMap.h"

namespace tessera::interp {

/// State shared by all programs of a launch.
struct Execution {
  Execution(Launch &launch, const RunOptions &options,
            ArrayRef<int64_t> gridExtents)
      : launch(launch), options(options), gridExtents(gridExtents) {}

  Launch &launch;
  const RunOptions &options;
  uint64_t steps = 0;
  /// Number of accesses to global memory.
  uint64_t time = 0;
  /// Number of operations that may have changed global memory.
  uint64_t changes = 0;
  /// Null if no atomic operation acquires or releases.
  std::unique_ptr<sim::ProgramOrder> order;
  /// Number of programs along each axis.
  array::Shape gridExtents;
  DenseMap<Operation *, Tile> constants;

  array::Shape getCoordinates(uint32_t program) const;
  /// Forgets the accesses of all programs, at a barrier of the grid.
  void forgetAccesses();
};

class Frame {
public:
  using Constants = DenseMap<Operation *, Tile>;

  /// `constants` are created once, as whole tiles, for all frames of a launch.
  Frame(Launch &launch, Constants &constants)
      : launch(launch), constants(constants) {}
  Frame(const Frame &) = delete;
  virtual ~Frame();

  Launch &getLaunch() { return launch; }
  Constants &getConstants() { return constants; }

  const RuntimeValue &get(Value value) const {
    return values.find(value)->second;
  }
  const Tile &getTile(Value value) const { return std::get<Tile>(get(value)); }
  const IndexRange &getRange(Value value) const {
    return std::get<IndexRange>(get(value));
  }
  Handle getHandle(Value value) const { return std::get<Handle>(get(value)); }
  int64_t getInteger(Value value) const { return getTile(value).getInteger(); }
  GlobalTensor &getTensor(Value value) const {
    return *std::get<GlobalTensor *>(get(value));
  }
  void set(Value value, RuntimeValue contents) {
    values[value] = std::move(contents);
  }

  /// Creates a tile of zeros of a verified type.
  static Tile makeWhole(Type type);
  /// Creates a tile of zeros for this frame's part of a result of `op`.
  Tile makeResult(Operation *op, unsigned index = 0) const {
    return makeOwn(op->getResult(index).getType());
  }
  virtual Tile makeOwn(Type type) const { return makeWhole(type); }
  /// Returns this frame's part of `whole`, a tile of this type.
  virtual Tile getOwnPart(Type type, const Tile &whole) const { return whole; }

  /// Reports a defect at `op`, with a note that names the program or warp.
  virtual LogicalResult report(Operation *op, const Twine &message) = 0;

private:
  Launch &launch;
  Constants &constants;
  DenseMap<Value, RuntimeValue> values;
};

/// One program of the grid, in the interpreter.
class ProgramFrame : public Frame {
public:
  ProgramFrame(Execution &execution, uint32_t program)
      : Frame(execution.launch, execution.constants), execution(execution),
        program(program) {
    passBarrier();
  }

  /// Executes the only block of `region` with the given block arguments.
  /// Returns the operands of its terminator.
  FailureOr<SmallVector<RuntimeValue>> run(Region &region,
                                           ArrayRef<RuntimeValue> arguments);
  /// Executes one operation. Fails after a report, also at the limit of steps.
  LogicalResult execute(Operation &op);
  /// Counts a step, and reports the limit of steps.
  LogicalResult takeStep(Operation *op);

  /// Returns the time stamp of an access that begins now.
  AccessStamp beginAccess();
  void passBarrier();
  void noteChange() { ++execution.changes; }
  uint64_t countChanges() const { return execution.changes; }
  /// Applies the order of an atomic operation on an element, which has changed
  /// the element or not.
  void synchronize(const GlobalTensor &tensor, int64_t offset,
                   tile::AtomicOrder order, bool changes);

  LogicalResult report(Operation *op, const Twine &message) override {
    return report(op, message, /*advice=*/"");
  }
  /// Reports a defect with a second note at `op`, unless `advice` is empty.
  LogicalResult report(Operation *op, const Twine &message, StringRef advice);
  /// Returns "program (m = 3, h = 0)", or "the only program" without a grid.
  std::string describeProgram(uint32_t other) const;
  std::string describeProgram() const { return describeProgram(program); }
  /// Prints a line of the operation `op`.
  void print(Operation *op, StringRef text);

private:
  Execution &execution;
  uint32_t program;
  uint64_t barrier;
  /// All accesses so far, and those before the last barrier.
  sim::Clocks clocks{1}, clocksAtBarrier{1};
  /// Takes effect at the next barrier.
  sim::OtherPrograms acquired;
};

} // namespace tessera::interp

#endif // TESSERA_INTERPRETER_FRAME_H
