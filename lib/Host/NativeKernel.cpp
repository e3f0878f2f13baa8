//===- NativeKernel.cpp - A kernel compiled for this machine ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads take the next program from a counter. Each has an arena of its own.
// Programs that meet at barriers of the grid have a thread each (Meeting.h).
// A kernel that adds to elements in memory runs on one thread, so that sums
// have the same order in each run.
//
//===----------------------------------------------------------------------===//

#include "tessera/Host/NativeKernel.h"

#include "HostCode.h"
#include "Meeting.h"

#include "tessera/Array/Limits.h"
#include "tessera/Conversion/TileToHost/Passes.h"
#include "tessera/Dialect/Tile/IR/GpuLimits.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/MathExtras.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <thread>

using namespace tessera;
using namespace tessera::host;
using namespace tessera::tile;

HostArgument HostArgument::getTensor(void *data, ArrayRef<int64_t> shape,
                                     uint8_t *written) {
  HostArgument argument;
  argument.data = data;
  argument.shape.assign(shape.begin(), shape.end());
  argument.strides.resize(shape.size());
  int64_t stride = 1;
  for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
    argument.strides[dim] = stride;
    stride *= shape[dim];
  }
  argument.written = written;
  return argument;
}

HostArgument HostArgument::getFloat(float value) {
  HostArgument argument;
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  argument.scalar = bits;
  return argument;
}

HostArgument HostArgument::getDouble(double value) {
  HostArgument argument;
  std::memcpy(&argument.scalar, &value, sizeof(value));
  return argument;
}

HostArgument HostArgument::getInteger(int64_t value) {
  HostArgument argument;
  argument.scalar = uint64_t(value);
  return argument;
}

bool NativeKernel::acceptsStrides(ArrayRef<int64_t> shape,
                                  ArrayRef<int64_t> strides) {
  return shape.empty() || strides.back() == 1 || shape.back() <= 1;
}

struct NativeKernel::Code {
  HostCode code;
  SmallVector<bool> isTensor;
  SmallVector<AxisAttr> axes;
  SmallVector<SizeAttr> sizes;
  size_t arenaBytes = 0;
  bool isOrdered = false, meetsGrid = false;
};

NativeKernel::NativeKernel(std::unique_ptr<Code> code)
    : code(std::move(code)) {}
NativeKernel::~NativeKernel() = default;

FailureOr<std::unique_ptr<NativeKernel>>
NativeKernel::compile(KernelOp source) {
  MLIRContext *context = source.getContext();
  context->loadDialect<cf::ControlFlowDialect, func::FuncDialect,
                       LLVM::LLVMDialect, memref::MemRefDialect,
                       vector::VectorDialect>();
  OwningOpRef<ModuleOp> module = ModuleOp::create(source.getLoc());
  OpBuilder builder = OpBuilder::atBlockBegin(module->getBody());
  // Unused operations remain, since the interpreter checks them as well.
  auto kernel = cast<KernelOp>(builder.clone(*source));

  auto fail = [&](llvm::Error error) {
    return source.emitRemark("kernel '")
           << source.getSymName() << "' is not compiled for the processor ("
           << llvm::toString(std::move(error))
           << "); it runs in the interpreter"
           << " [runs-in-interpreter]";
  };
  llvm::Expected<HostMachine> machine = detectMachine();
  if (!machine)
    return fail(machine.takeError());
  FailureOr<HostFunction> lowered =
      lowerToHost(kernel, builder, machine->lanes);
  if (failed(lowered))
    return failure();

  auto code = std::make_unique<Code>();
  for (BlockArgument param : kernel.getParams())
    code->isTensor.push_back(isa<GlobalType>(param.getType()));
  code->axes = kernel.getAxes();
  code->sizes = lowered->sizes;
  code->arenaBytes = lowered->arenaBytes;
  code->isOrdered = lowered->isOrdered;
  code->meetsGrid = lowered->meetsGrid;
  kernel.erase();
  llvm::Expected<HostCode> compiled = host::compile(
      *module, lowered->function.getSymName(), std::move(*machine));
  if (!compiled)
    return fail(compiled.takeError());
  code->code = std::move(*compiled);
  return std::unique_ptr<NativeKernel>(new NativeKernel(std::move(code)));
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

namespace {
struct Free {
  void operator()(void *memory) const { std::free(memory); }
};
using Arena = std::unique_ptr<void, Free>;

/// The programs of one launch.
class Launch {
public:
  Launch(const HostCode &code, size_t arenaBytes, const HostRunOptions &options)
      : code(code),
        arenaBytes(llvm::alignTo(arenaBytes, kAlignment) + kAlignment),
        options(options) {}

  std::vector<uint64_t> words;
  array::Shape extents;
  uint64_t programs = 1;

  /// Runs programs one after the other, on several threads if `isParallel`.
  void run(bool isParallel);
  /// Runs programs that meet at barriers of the grid.
  void runTogether();

  bool isInterrupted() const { return interrupted; }
  /// Returns the first program with a defect.
  std::optional<uint64_t> getFailed() const {
    uint64_t program = failed;
    return program == kNone ? std::nullopt : std::optional<uint64_t>(program);
  }

private:
  using Clock = std::chrono::steady_clock;
  static constexpr size_t kAlignment = 64;
  static constexpr uint64_t kNone = ~uint64_t(0);

  Arena makeArena() const {
    return Arena(std::aligned_alloc(kAlignment, arenaBytes));
  }
  bool interrupt();
  void fail(uint64_t program);
  void runProgram(uint64_t program, void *arena, Meeting::Member *member);
  void work(Clock::time_point until);

  const HostCode &code;
  size_t arenaBytes;
  const HostRunOptions &options;
  std::thread::id caller = std::this_thread::get_id();
  std::atomic<uint64_t> next{0}, done{0}, steps{0}, failed{kNone};
  bool interrupted = false;
  std::mutex progress;
};
} // namespace

/// Checks whether the launch is to end, on the thread of the caller.
bool Launch::interrupt() {
  interrupted |= options.stepLimit.isReached(0);
  return interrupted;
}

/// Records a defect, and starts no further programs.
void Launch::fail(uint64_t program) {
  uint64_t other = failed;
  while (program < other && !failed.compare_exchange_weak(other, program))
    ;
  next = programs;
}

void Launch::runProgram(uint64_t program, void *arena,
                        Meeting::Member *member) {
  SmallVector<uint64_t> state(kCoordinatesWord + extents.size());
  state[kFailedWord] = !arena;
  state[kStepsWord] = options.stepLimit;
  state[kMemberWord] = reinterpret_cast<uintptr_t>(member);
  uint64_t rest = program;
  for (auto [i, extent] : llvm::enumerate(extents)) {
    state[kCoordinatesWord + i] = rest % extent;
    rest /= extent;
  }
  if (arena)
    code.program(words.data(), state.data(), arena, arena, 0, arenaBytes, 1);
  steps += options.stepLimit - state[kStepsWord];
  if (state[kFailedWord] || steps > options.stepLimit)
    fail(program);
  uint64_t count = ++done;
  if (options.progress) {
    std::lock_guard<std::mutex> lock(progress);
    options.progress(count, programs);
  }
}

/// Takes programs until there are no more, or until a time.
void Launch::work(Clock::time_point until) {
  Arena arena = makeArena();
  bool isFirst = true;
  while (isFirst || Clock::now() < until) {
    isFirst = false;
    // Before the first step.
    if (std::this_thread::get_id() == caller && interrupt()) {
      next = programs;
      return;
    }
    uint64_t program = next++;
    if (program >= programs)
      return;
    runProgram(program, arena.get(), /*member=*/nullptr);
  }
}

void Launch::run(bool isParallel) {
  constexpr Clock::time_point end = Clock::time_point::max();
  // Threads are not worth their start for a short launch.
  work(isParallel ? Clock::now() + std::chrono::microseconds(100) : end);
  if (!isParallel || next >= programs)
    return;
  uint64_t count =
      options.threads ? options.threads : std::thread::hardware_concurrency();
  count = std::clamp<uint64_t>(count, 1, programs - next);
  std::vector<std::thread> threads;
  for (uint64_t i = 1; i < count; ++i)
    threads.emplace_back([this] { work(Clock::time_point::max()); });
  work(end);
  for (std::thread &thread : threads)
    thread.join();
}

void Launch::runTogether() {
  auto body = [this](Meeting::Member &member) {
    runProgram(member.number, makeArena().get(), &member);
  };
  // The interpreter reports too many programs.
  if (programs > kMaxResidentPrograms ||
      !Meeting().run(programs, body, [this] { return !interrupt(); }))
    fail(0);
}

HostOutcome NativeKernel::run(ArrayRef<HostArgument> arguments,
                              const interp::SizeBinding &sizes,
                              const HostRunOptions &options) const {
  Launch launch(code->code, code->arenaBytes, options);
  HostOutcome outcome;
  for (auto [argument, isTensor] : llvm::zip(arguments, code->isTensor)) {
    if (!isTensor) {
      launch.words.push_back(argument.scalar);
      continue;
    }
    launch.words.push_back(reinterpret_cast<uintptr_t>(argument.data));
    launch.words.push_back(reinterpret_cast<uintptr_t>(argument.written));
    launch.words.insert(launch.words.end(), argument.shape.begin(),
                        argument.shape.end());
    launch.words.insert(launch.words.end(), argument.strides.begin(),
                        argument.strides.end());
  }
  outcome.kind = HostOutcome::InvalidSizes;
  for (SizeAttr attribute : code->sizes) {
    std::optional<int64_t> size = sizes.evaluate(attribute);
    if (!size || *size > array::kMaxSize || !llvm::isInt<32>(*size))
      return outcome;
    launch.words.push_back(uint64_t(*size));
  }
  for (AxisAttr axis : code->axes) {
    int64_t size = *sizes.evaluate(axis.getSize());
    if (size < 0)
      return outcome;
    launch.extents.push_back(
        axis.isTiled() ? llvm::divideCeil(size, axis.getTileExtent()) : size);
    // Both factors are below 2^32.
    launch.programs *= launch.extents.back();
    if (launch.programs >= std::numeric_limits<uint32_t>::max())
      return outcome;
  }
  outcome.kind = HostOutcome::Done;
  outcome.programs = launch.programs;

  if (code->meetsGrid)
    launch.runTogether();
  else
    launch.run(/*isParallel=*/!code->isOrdered && launch.programs > 1);
  if (launch.isInterrupted()) {
    outcome.kind = HostOutcome::Interrupted;
  } else if (std::optional<uint64_t> failed = launch.getFailed()) {
    outcome.kind = HostOutcome::Defect;
    outcome.program = *failed;
  }
  return outcome;
}
