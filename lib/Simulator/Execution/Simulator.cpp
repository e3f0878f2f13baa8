//===- Simulator.cpp - Executes kernels of the sm dialect -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a kernel on the simulated machine: assigns addresses to the ops that
// have none, sets up the launch, and simulates the clusters one after the
// other. The first cluster with a defect ends the run. A persistent kernel is
// launched with at most `multiprocessors` CTAs, which loop over their programs.
//
//===----------------------------------------------------------------------===//

#include "tessera/Simulator/Simulator.h"

#include "Machine/Schedule.h"

#include "tessera/Dialect/SM/IR/Occupancy.h"
#include "tessera/Dialect/SM/IR/Target.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MathExtras.h"

using namespace tessera;
using namespace tessera::sim;

/// Largest alignment: the pattern of the widest swizzle.
static constexpr int64_t kAlignment = 1024;

/// Memory of the simulator. Buffers without addresses do not overlap, so a
/// kernel may use more memory than a CTA has.
static constexpr int64_t kMaxSharedBytes = 1 << 28;

/// Adds or multiplies sizes; results above the limit stay above the limit.
static int64_t add(int64_t x, int64_t y) {
  int64_t sum;
  return llvm::AddOverflow(x, y, sum) ? 2 * kMaxSharedBytes : sum;
}
static int64_t multiply(int64_t x, int64_t y) {
  int64_t product;
  return llvm::MulOverflow(x, y, product) ? 2 * kMaxSharedBytes : product;
}

/// Returns the bytes that `op` allocates; 0 for other ops. Scratch memory is
/// not allocated, unless copies read it after the op.
static int64_t getAllocatedBytes(Operation *op) {
  if (auto queue = dyn_cast<sm::QueueAllocOp>(op))
    return multiply(queue.getType().getCount(), kWordBytes);
  if (auto ring = dyn_cast<sm::RingAllocOp>(op)) {
    int64_t bytes = 0;
    for (sm::SmemType tile : ring.getType().getTiles())
      bytes = add(llvm::alignTo(std::min(bytes, kMaxSharedBytes), kAlignment),
                  multiply(ring.getType().getSlots(), tile.getBytes()));
    return bytes;
  }
  auto memory = dyn_cast<sm::SharedMemoryOpInterface>(op);
  bool isHere = memory && (!memory.isScratch() || sm::getCompletion(op));
  return isHere ? memory.getSharedBytes() : 0;
}

static std::optional<int64_t> getSetAddress(Operation *op) {
  auto memory = dyn_cast<sm::SharedMemoryOpInterface>(op);
  return memory ? memory.getSharedAddress() : std::nullopt;
}

Placement::Placement(sm::KernelOp kernel) {
  SmallVector<std::pair<Operation *, int64_t>> rest;
  kernel.walk([&](Operation *op) {
    int64_t bytes = getAllocatedBytes(op);
    if (bytes == 0)
      return;
    if (std::optional<int64_t> address = getSetAddress(op)) {
      addresses[op] = *address;
      size = std::max(size, add(*address, bytes));
    } else {
      rest.emplace_back(op, bytes);
    }
  });
  for (auto [op, bytes] : rest) {
    if (size > kMaxSharedBytes)
      break;
    addresses[op] = size = llvm::alignTo(size, kAlignment);
    size = add(size, bytes);
  }
  if (std::optional<int64_t> known = kernel.getSharedMemory();
      known && rest.empty())
    size = *known;
}

SmallVector<Operation *> Placement::findBuffers(int64_t byte) const {
  SmallVector<Operation *> found;
  for (auto [op, address] : addresses)
    if (byte >= address && byte - address < getAllocatedBytes(op))
      found.push_back(op);
  return found;
}

int64_t Simulation::getScratchBytes(Operation *op) {
  auto [it, isNew] = scratchBytes.try_emplace(op);
  if (isNew)
    it->second = sm::getScratchBytes(op);
  return it->second;
}

Operation *Simulation::findDraw() {
  Operation *found = nullptr;
  kernel.getBody().walk([&](sm::NextProgramOp op) { found = op; });
  return found;
}

LogicalResult sim::verifySimulatable(sm::KernelOp kernel) {
  bool isFenced = kernel.getForm() == sm::Form::Fenced;
  auto isKnown = [](Type type) {
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      return sm::isRegisterTile(type) &&
             interp::getElementType(tensor.getElementType()).has_value();
    return interp::getElementType(type) ||
           isa<tile::GlobalType, sm::SmemType, sm::RingType, sm::SlotType,
               sm::PendingType, sm::SlotsType, sm::MbarrierType, sm::QueueType,
               sm::WordsType>(type);
  };
  WalkResult result = kernel.getBody().walk([&](Operation *op) {
    bool isStructure = op->getNumRegions() != 0 &&
                       op->getName().getDialectNamespace() == "scf";
    if (!op->hasTrait<OpTrait::IsTerminator>() && !isStructure &&
        !findBehaviour(op, isFenced) && !findSemantics(op)) {
      op->emitError("the simulator does not know the operation '")
          << op->getName() << "'";
      return WalkResult::interrupt();
    }
    for (Type type : op->getResultTypes())
      if (!isKnown(type)) {
        op->emitError("the simulator does not know values of type ") << type;
        return WalkResult::interrupt();
      }
    for (Region &region : op->getRegions())
      if (!region.empty() && !region.hasOneBlock()) {
        op->emitError("the simulator does not know regions of several blocks");
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Returns the number of programs; of clusters, if the kernel has clusters.
static int64_t countPrograms(sm::KernelOp kernel,
                             const interp::SizeBinding &sizes) {
  int64_t programs = 1;
  for (tile::SizeAttr count : kernel.getProgramCounts())
    programs *= sizes.evaluate(count).value_or(0);
  return programs;
}

/// Returns the most CTAs that run at the same time, as far as threads and
/// shared memory limit them.
static int64_t getMostCtas(const Simulation &simulation) {
  sm::KernelOp kernel = simulation.kernel;
  const GpuTarget &target = sm::getTarget(kernel);
  int64_t blocks = std::min(
      {target.blocksPerSM, target.threadsPerSM / kernel.getThreads(),
       sm::getBlocksInSharedMemory(target, simulation.placement.getSize())});
  return target.multiprocessors * blocks;
}

/// Runs the clusters from one barrier of the grid to the next, in rounds. The
/// barrier orders all accesses of before it, so tensors forget them.
static LogicalResult runTogether(Simulation &simulation) {
  int64_t count = simulation.clusterCount, most = getMostCtas(simulation);
  if (count > most)
    return simulation.kernel.emitError("the grid has ")
           << count << " programs, but `barrier(grid)` needs all of them to "
           << "run at the same time, and a GPU runs at most " << most;
  std::vector<std::unique_ptr<Cluster>> clusters;
  for (int64_t i = 0; i < count; ++i)
    clusters.push_back(std::make_unique<Cluster>(simulation, i));
  while (true) {
    SmallVector<Cluster *> waiting;
    for (const std::unique_ptr<Cluster> &cluster : clusters) {
      if (failed(cluster->run()))
        return failure();
      if (cluster->waitsForGrid())
        waiting.push_back(cluster.get());
    }
    if (waiting.empty())
      return success();
    if (waiting.size() != clusters.size())
      return waiting.front()->reportDeadlock();
    simulation.launch.forgetAccesses();
    if (simulation.order)
      simulation.order->forgetAccesses();
    ++simulation.gridRounds;
    ++simulation.changes;
  }
}

LogicalResult sim::simulate(interp::Launch &launch, const Options &options,
                            Statistics *statistics) {
  auto kernel = dyn_cast<sm::KernelOp>(launch.getKernel().getOperation());
  if (!kernel)
    return launch.getKernel().emitError(
        "the simulator runs kernels of the sm dialect only");
  if (failed(verifySimulatable(kernel)) ||
      failed(interp::verifyArguments(launch)))
    return failure();
  // Reports the defects of the grid.
  if (failed(interp::getGridExtents(launch)))
    return failure();
  int64_t programs = countPrograms(kernel, launch.getSizes());
  int64_t size = kernel.getClusterSize();

  Simulation simulation(kernel, launch, options);
  if (int64_t bytes = simulation.placement.getSize(); bytes > kMaxSharedBytes)
    return kernel.emitError("takes ")
           << bytes << " bytes of shared memory; the simulator has at most "
           << kMaxSharedBytes;
  simulation.clusterCount = programs;
  if (kernel.getPersistent())
    simulation.clusterCount = std::min(
        programs, std::max<int64_t>(1, options.multiprocessors / size));
  simulation.draws.start(simulation.clusterCount, programs);
  LogicalResult result = success();
  if (sm::hasGridBarrier(kernel))
    result = runTogether(simulation);
  else
    for (int64_t i = 0; i < simulation.clusterCount && succeeded(result); ++i) {
      result = Cluster(simulation, i).run();
      if (options.progress)
        options.progress(i + 1, simulation.clusterCount);
    }
  if (Tracer *tracer = simulation.tracer.get()) {
    const Trace &trace = tracer->end();
    if (options.trace)
      *options.trace = trace;
    if (!options.tracePath.empty())
      if (llvm::Error error = trace.write(options.tracePath))
        return kernel.emitError(llvm::toString(std::move(error)));
  }
  if (failed(result))
    return failure();
  if (llvm::Error error = simulation.chooser.verify())
    return kernel.emitError(llvm::toString(std::move(error)));
  if (statistics) {
    statistics->ctas = simulation.clusterCount * size;
    statistics->steps = simulation.steps;
    statistics->choices = simulation.chooser.getChoices();
  }
  return success();
}
