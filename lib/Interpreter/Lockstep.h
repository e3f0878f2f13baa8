//===- Lockstep.h - Programs that meet at barriers --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs run one after the other, but those of a kernel with barriers of the
// grid must wait for each other. All programs of such a kernel run from one
// barrier to the next, then the next part begins.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_INTERPRETER_LOCKSTEP_H
#define TESSERA_LIB_INTERPRETER_LOCKSTEP_H

#include "tessera/Interpreter/Frame.h"

#include "llvm/ADT/DenseSet.h"

namespace tessera::interp {

class Lockstep {
public:
  explicit Lockstep(Execution &execution) : execution(execution) {}

  /// Checks whether programs of the kernel wait for each other.
  static bool isNeeded(tile::KernelOp kernel);

  /// Adds a program, after all earlier ones, with the values of the arguments
  /// of the kernel's body.
  void addProgram(uint32_t program, ArrayRef<RuntimeValue> arguments);
  /// Runs all programs.
  LogicalResult run(tile::KernelOp kernel);

private:
  using Values = SmallVector<RuntimeValue>;
  /// Values of all programs.
  using Lists = std::vector<Values>;

  LogicalResult run(Block &block, Lists &arguments);
  LogicalResult execute(Operation *op);
  LogicalResult executeLoop(Operation *op);
  LogicalResult executeWhile(Operation *op);
  LogicalResult meet(Operation *barrier);
  /// Returns the number that `get` yields for each program. Reports an error at
  /// `op` if two programs have different numbers.
  FailureOr<int64_t> agree(Operation *op,
                           function_ref<int64_t(size_t program)> get);
  Lists getAll(ValueRange operands) const;
  void setResults(Operation *op, Lists &values);

  Execution &execution;
  std::vector<std::unique_ptr<ProgramFrame>> frames;
  Lists kernelArguments;
  /// The operations that contain a barrier of the grid.
  llvm::DenseSet<Operation *> containers;
};

} // namespace tessera::interp

#endif // TESSERA_LIB_INTERPRETER_LOCKSTEP_H
