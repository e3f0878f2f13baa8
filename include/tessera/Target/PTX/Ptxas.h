//===- Ptxas.h - From PTX to machine code -----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs ptxas under a time limit, and parses its output: the resources of each
// kernel, errors, and hazards. A hazard is an informational message about code
// that is correct but slow. A hazard is an error here (see PtxasHazards.h).
//
// Depends on LLVM's support library only, not on MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TARGET_PTX_PTXAS_H
#define TESSERA_TARGET_PTX_PTXAS_H

#include "tessera/Target/GpuTarget.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace tessera::ptx {

/// Resources of one kernel, as `ptxas -v` reports them. Registers are 32-bit
/// words per thread *at entry*: the arms of `setmaxnreg` have their own
/// numbers. Sizes are in bytes. Spills count the bytes that are moved, not
/// their memory.
struct KernelResources {
  std::string name;
  int64_t registers = 0;
  int64_t stackBytes = 0;
  int64_t spillStoreBytes = 0;
  int64_t spillLoadBytes = 0;
  /// Instructions of innermost loops that store or load spilled registers. In
  /// kernels with matrix products, only loops with products count.
  int64_t spillsInLoops = 0;
  /// Static shared memory; the dynamic part is known at launch.
  int64_t sharedBytes = 0;
  /// All banks together; bank 0 holds the parameters.
  int64_t constantBytes = 0;
  /// Named barriers, number 0 included. 16 if a number is computed.
  int64_t barriers = 0;

  bool hasSpills() const { return spillStoreBytes + spillLoadBytes > 0; }
};

/// The change that ptxas made to code, according to its messages.
enum class HazardEffect {
  None,
  /// A change that is not in the table of hazards.
  Unknown,
  /// The register budgets of roles have no effect.
  BudgetsIgnored,
  /// Each matrix product waits for the one before it.
  Serialised,
  /// Threads wait for products where the PTX does not.
  Waits,
};

/// The hazards that are errors.
enum class HazardPolicy {
  RefuseAll,
  /// All except those that only cost time.
  AllowSlow,
  AllowAll,
};

/// A message of ptxas that needs attention.
struct PtxasMessage {
  enum class Severity { Info, Warning, Error };
  Severity severity = Severity::Info;
  /// "C7513", or empty.
  std::string code;
  /// The kernel that the message is about, or empty if that is not known.
  std::string kernel;
  /// The line of the PTX text, or 0, and its contents.
  unsigned line = 0;
  std::string source;
  /// The source of that line, if the PTX has line tables; otherwise
  /// `place.line` is 0.
  struct Place {
    std::string file;
    unsigned line = 0;
    unsigned column = 0;
  } place;
  /// The message without severity, code and line.
  std::string text;
  HazardEffect effect = HazardEffect::None;
  /// The remedy of a hazard; empty for other messages.
  std::string remedy;
  /// Whether the reason is a lack of registers.
  bool isOfRegisters = false;
};

/// All data that was parsed from the output of ptxas.
struct PtxasReport {
  std::vector<KernelResources> kernels;
  /// Errors, warnings and hazards, in order.
  std::vector<PtxasMessage> messages;

  /// Checks whether a message makes the machine code unusable: an error or a
  /// hazard.
  bool hasErrors() const;
};

/// Parses the output of `ptxas -v`. With the PTX text, messages with a line but
/// no kernel are attributed to their kernel.
PtxasReport parsePtxasOutput(llvm::StringRef output, llvm::StringRef ptx = {});

/// The messages of a run without machine code.
class PtxasError : public llvm::ErrorInfo<PtxasError> {
public:
  static char ID;
  explicit PtxasError(std::vector<PtxasMessage> messages)
      : messages(std::move(messages)) {}

  llvm::ArrayRef<PtxasMessage> getMessages() const { return messages; }
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

private:
  std::vector<PtxasMessage> messages;
};

struct PtxasOptions {
  /// The path of the program, from findPtxas (FindPtxas.h).
  std::string program;
  const GpuTarget *target = &getDefaultGpuTarget();
  /// Keep the `.loc` lines for profilers.
  bool lineTables = false;
  HazardPolicy hazards = HazardPolicy::RefuseAll;
  /// Optimisation level of ptxas, 0 to 3.
  unsigned optimization = 3;
  /// Time limit of ptxas in seconds.
  unsigned timeLimit = 120;
};

/// Machine code with its report.
struct Cubin {
  std::string bytes;
  PtxasReport report;
};

/// Assembles `text`. Several texts may be assembled at the same time. Fails
/// with PtxasError for messages of ptxas about the code, and with a plain error
/// if ptxas cannot be run or takes too long.
llvm::Expected<Cubin> assemble(llvm::StringRef text,
                               const PtxasOptions &options);

} // namespace tessera::ptx

#endif // TESSERA_TARGET_PTX_PTXAS_H
