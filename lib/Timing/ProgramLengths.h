//===- ProgramLengths.h - Iterations of each program ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How long the loops of a program are, without a run of them. The clock picks
// the programs that it runs by their lengths: with a causal mask they differ by
// a factor, and neighbours are not alike.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TIMING_PROGRAMLENGTHS_H
#define TESSERA_LIB_TIMING_PROGRAMLENGTHS_H

#include "ScalarValues.h"

namespace tessera::timing {

class ProgramLengths {
public:
  /// A persistent CTA goes on with the program `ctas` after its own.
  ProgramLengths(sm::KernelOp kernel, const llvm::StringMap<int64_t> &sizes,
                 int64_t ctas);

  /// Returns the iterations of all innermost loops of the CTA that begins with
  /// `program`, or nullopt if control flow depends on unknown values. Counts
  /// in one role, since all roles loop alike.
  std::optional<int64_t> count(int64_t program);

private:
  bool run(Block &block);
  bool run(Operation *op);
  bool isInnermost(Operation *loop);

  /// Operations that may still be executed, by all programs.
  int64_t stepsLeft = int64_t(1) << 20;
  sm::KernelOp kernel;
  int64_t ctas;
  ScalarValues scalars;
  /// Null in kernels without roles.
  sm::RoleOp role;
  llvm::DenseMap<Operation *, bool> innermost;
  int64_t program = 0, iterations = 0;
};

} // namespace tessera::timing

#endif // TESSERA_LIB_TIMING_PROGRAMLENGTHS_H
