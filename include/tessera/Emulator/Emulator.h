//===- Emulator.h - Executes kernels of PTX ---------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Executes one launch of a kernel of a PTX module (sm_90a) as documented by the
// PTX ISA. Finds defects that a machine does not report; see
// docs/design/emulator.md.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_EMULATOR_EMULATOR_H
#define TESSERA_EMULATOR_EMULATOR_H

#include "tessera/Emulator/GlobalMemory.h"
#include "tessera/Emulator/Module.h"
#include "tessera/Simulator/Order.h"
#include "tessera/Simulator/ScheduleSearch.h"
#include "tessera/Support/Progress.h"

#include "llvm/Support/Error.h"

namespace tessera::emu {

/// A defect of a kernel and its location; `notes` are the other accesses.
struct Finding {
  struct Note {
    Location where;
    std::string text;
  };
  Location where;
  std::string text;
  std::vector<Note> notes;
  /// The byte of the dynamic shared memory that a conflict is about.
  std::optional<uint64_t> sharedByte = std::nullopt;
};

struct Options {
  sim::Order order = sim::Order::Program;
  /// For Order::Random.
  uint64_t seed = 0;
  /// For Order::Chosen.
  sim::Deviations deviations;
  /// Maximum number of instructions of all warps together.
  StepLimit stepLimit = kDefaultInstructionLimit;
  /// Whether asynchronous copies may complete only at mbarriers that their
  /// maker has fenced, and parities are 0 or 1. NVIDIA's documents require this
  /// and our code obeys. Machines work without it, and other compilers rely on
  /// that.
  bool hasStrictMbarriers = false;
  /// Called for each cluster; may be empty.
  ProgressHandler progress;
};

struct Statistics {
  uint64_t ctas = 0, steps = 0;
  /// For Order::Chosen: the number of ready agents at each choice.
  std::vector<uint16_t> choices;
};

struct LaunchConfig {
  unsigned grid[3] = {1, 1, 1}, block[3] = {1, 1, 1}, cluster[3] = {1, 1, 1};
  uint64_t dynamicSharedBytes = 0;
  /// The launch may begin before the previous launch ends (programmatic stream
  /// serialization). It must wait for that by `griddepcontrol.wait`.
  bool overlapsPrevious = false;
  /// All CTAs run at the same time, so they may wait for each other.
  bool cooperative = false;
};

/// A decoded kernel: every instruction is known.
class Program {
public:
  /// Decodes a kernel. Fails at the first unknown instruction, as "12:3:
  /// unknown instruction 'foo.b32'". `module` must outlive the program.
  static llvm::Expected<std::unique_ptr<Program>> load(const Module &module,
                                                       const Kernel &kernel);
  virtual ~Program() = default;

  virtual const Kernel &getKernel() const = 0;
  /// Returns the bytes of the kernel's and the module's variables, without the
  /// dynamic part.
  virtual uint64_t getStaticSharedBytes() const = 0;

  /// Runs all CTAs. `parameters` are the bytes of each parameter. Adds defects
  /// to `findings`: either the races and similar defects of the first cluster
  /// that has some, up to a limit, or the deadlock. Fails if the launch itself
  /// is impossible.
  virtual llvm::Error launch(const LaunchConfig &config,
                             ArrayRef<SmallVector<uint8_t, 8>> parameters,
                             GlobalMemory &memory, const Options &options,
                             std::vector<Finding> &findings,
                             Statistics *statistics = nullptr) const = 0;
};

} // namespace tessera::emu

#endif // TESSERA_EMULATOR_EMULATOR_H
