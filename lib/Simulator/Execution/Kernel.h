//===- Kernel.h - State shared by all CTAs ----------------------*- C++ -*-===//
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

#include "llvm/ADT/MapVector.h"

namespace tessera::sim {

/// Bytes of an mbarrier, and of a word.
inline constexpr int64_t kMbarrierBytes = 8, kWordBytes = 4;

/// Addresses in shared memory: those of the kernel, and distinct addresses of
/// its own for ops that have none yet. The memory is then unlimited.
class Placement {
public:
  explicit Placement(sm::KernelOp kernel);

  /// Returns the first byte of the memory that `op` allocates.
  int64_t getAddress(Operation *op) const { return addresses.lookup(op); }
  /// Returns the ops that allocate `byte`. Memory that is not live at the same
  /// time may have several.
  SmallVector<Operation *> findBuffers(int64_t byte) const;
  int64_t getSize() const { return size; }

private:
  llvm::MapVector<Operation *, int64_t> addresses;
  int64_t size = 0;
};

struct Simulation {
  Simulation(sm::KernelOp kernel, interp::Launch &launch,
             const Options &options)
      : kernel(kernel), launch(launch), options(options), placement(kernel),
        sharedTables(options.tables ? options.tables : makeLayoutTables()),
        tables(*sharedTables), pingPongRoles(sm::getRolesInTurn(kernel)),
        draws(options), chooser(options.deviations) {
    kernel.walk([&](sm::AtomicOp op) {
      if (op.getOrder() != tile::AtomicOrder::Relaxed && !order)
        order = std::make_unique<ProgramOrder>();
    });
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
  /// Number of clusters of the launch.
  int64_t clusterCount = 0;
  /// Roles in ping-pong, in the order of their turns.
  SmallVector<sm::RoleOp> pingPongRoles;
  /// For dynamically scheduled programs.
  ProgramDraws draws;
  uint64_t steps = 0;
  /// Number of accesses to global memory, of all clusters.
  uint64_t time = 0;
  /// Number of events that may let a waiting warp go on. These are changes of
  /// global memory, copies, operations on barriers other than those of a role,
  /// and iterations of waiting loops that change their values.
  uint64_t changes = 0;
  /// Number of barriers of the grid that all clusters have passed.
  uint64_t gridRounds = 0;
  /// The order of clusters; null if no atomic operation acquires or releases.
  std::unique_ptr<ProgramOrder> order;
  DenseMap<Operation *, int64_t> scratchBytes;
  /// For Order::Chosen, of all clusters.
  Chooser chooser;
  /// Null if no trace is requested.
  std::unique_ptr<Tracer> tracer;

  /// Returns the size in bytes of the scratch memory of `op`; 0 if none.
  int64_t getScratchBytes(Operation *op);
  /// Returns an op that fetches the next program, or null.
  Operation *findDraw();
  /// Whether barriers and fences are separate ops.
  bool isFenced() { return kernel.getForm() == sm::Form::Fenced; }
};

/// Checks that the simulator supports every operation and type of `kernel`.
/// Reports an error at the first that it does not support.
LogicalResult verifySimulatable(sm::KernelOp kernel);

} // namespace tessera::sim

#endif // TESSERA_LIB_SIMULATOR_EXECUTION_KERNEL_H
