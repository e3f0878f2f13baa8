//===- Kernel.h - What all CTAs of a simulation share -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_SIMULATOR_EXECUTION_KERNEL_H
#define TESSERA_LIB_SIMULATOR_EXECUTION_KERNEL_H

#include "Machine/Fragments.h"
#include "Machine/ProgramDraws.h"
#include "Machine/Tracer.h"

#include "tessera/Dialect/SM/IR/ProgramWalk.h"
#include "tessera/Interpreter/Frame.h"
#include "tessera/Simulator/Simulator.h"

namespace tessera::sim {

/// Of one memory barrier, and of one word.
inline constexpr int64_t kMbarrierBytes = 8, kWordBytes = 4;

/// Where things lie in shared memory: the addresses of the kernel, and for what
/// has none yet places of its own, as if memory had no end.
class Placement {
public:
  explicit Placement(sm::KernelOp kernel);

  /// The first byte of what `op` allocates.
  int64_t getAddress(Operation *op) const { return addresses.lookup(op); }
  int64_t getSize() const { return size; }

private:
  DenseMap<Operation *, int64_t> addresses;
  int64_t size = 0;
};

struct Simulation {
  Simulation(sm::KernelOp kernel, interp::Launch &launch,
             const Options &options)
      : kernel(kernel), launch(launch), options(options), placement(kernel),
        sharedTables(options.tables ? options.tables : makeLayoutTables()),
        tables(*sharedTables), rolesInTurn(sm::getRolesInTurn(kernel)),
        draws(options), chooser(options.deviations) {
    if (options.trace || !options.tracePath.empty())
      tracer = std::make_unique<Tracer>(steps);
  }

  sm::KernelOp kernel;
  interp::Launch &launch;
  const Options &options;
  Placement placement;
  std::shared_ptr<LayoutTables> sharedTables;
  LayoutTables &tables;
  interp::Frame::Constants constants;
  /// How many clusters the launch has.
  int64_t clusterCount = 0;
  /// Those that take turns as a whole, in the order of their turns.
  SmallVector<sm::RoleOp> rolesInTurn;
  /// For kernels that draw their programs.
  ProgramDraws draws;
  uint64_t steps = 0;
  /// Counts accesses to global memory, through all clusters.
  uint64_t time = 0;
  DenseMap<Operation *, int64_t> scratchBytes;
  /// For Order::Chosen, through all clusters.
  Chooser chooser;
  /// Null where no trace is wanted.
  std::unique_ptr<Tracer> tracer;

  /// The scratch memory in bytes that `op` takes; 0 if it needs none.
  int64_t getScratchBytes(Operation *op);
  /// An op that draws programs, or null.
  Operation *findDraw();
  /// Whether barriers and fences stand as ops.
  bool isFenced() { return kernel.getForm() == sm::Form::Fenced; }
};

/// Checks that the simulator knows every operation and type of `kernel`, with
/// an error at the first that it does not.
LogicalResult verifySimulatable(sm::KernelOp kernel);

} // namespace tessera::sim

#endif // TESSERA_LIB_SIMULATOR_EXECUTION_KERNEL_H
