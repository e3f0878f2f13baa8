//===- Emulator.h - Runs kernels of PTX -------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Executes one launch of a kernel of a PTX module (sm_90a) as documented by the
// PTX ISA, and finds what a machine would do silently; see
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

/// What is wrong with a kernel, and where; `notes` are the other sides.
struct Finding {
  struct Note {
    Location where;
    std::string text;
  };
  Location where;
  std::string text;
  std::vector<Note> notes;
};

struct Options {
  sim::Order order = sim::Order::Program;
  /// For Order::Random.
  uint64_t seed = 0;
  /// For Order::Chosen.
  sim::Deviations deviations;
  /// Instructions of all warps together, after which a run is given up.
  uint64_t stepLimit = uint64_t(1) << 32;
  /// Whether asynchronous copies may only complete at barriers whose maker has
  /// fenced them, and parities are 0 or 1. NVIDIA's documents say so, and our
  /// code does; machines go without, and so do other compilers.
  bool hasStrictMbarriers = false;
  /// Hears of the clusters; may be empty.
  ProgressHandler progress;
};

struct Statistics {
  uint64_t ctas = 0, steps = 0;
  /// For Order::Chosen: by choice, how many agents could go on.
  std::vector<uint16_t> choices;
};

struct LaunchConfig {
  unsigned grid[3] = {1, 1, 1}, block[3] = {1, 1, 1}, cluster[3] = {1, 1, 1};
  uint64_t dynamicSharedBytes = 0;
  /// It may begin before what was launched before it ends (programmatic stream
  /// serialization): it has to wait for that by `griddepcontrol.wait`.
  bool overlapsPrevious = false;
};

/// A kernel that was decoded: each instruction is known.
class Program {
public:
  /// Fails at the first instruction that the emulator does not know, as
  /// "12:3: unknown instruction 'foo.b32'". `module` must outlive the program.
  static llvm::Expected<std::unique_ptr<Program>> load(const Module &module,
                                                       const Kernel &kernel);
  virtual ~Program() = default;

  virtual const Kernel &getKernel() const = 0;
  /// Of the kernel's own variables and the module's, without the dynamic part.
  virtual uint64_t getStaticSharedBytes() const = 0;

  /// Runs all CTAs. `parameters` are the bytes of each one. What is wrong goes
  /// to `findings`: every race and the like of the first cluster that has one,
  /// up to a few, or the deadlock. Fails if the launch itself is impossible.
  virtual llvm::Error launch(const LaunchConfig &config,
                             ArrayRef<SmallVector<uint8_t, 8>> parameters,
                             GlobalMemory &memory, const Options &options,
                             std::vector<Finding> &findings,
                             Statistics *statistics = nullptr) const = 0;
};

} // namespace tessera::emu

#endif // TESSERA_EMULATOR_EMULATOR_H
