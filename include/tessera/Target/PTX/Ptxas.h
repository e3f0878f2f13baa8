//===- Ptxas.h - From PTX to machine code -----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs ptxas under a time limit, and reads what it says: the resources of each
// kernel, errors, and the hazards that it mentions in passing while it throws
// the performance away. A hazard is an error here (see PtxasHazards.h).
//
// LLVM's support library only; no MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TARGET_PTX_PTXAS_H
#define TESSERA_TARGET_PTX_PTXAS_H

#include "tessera/Target/GpuTarget.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace tessera::ptx {

/// What one kernel takes, as `ptxas -v` reports it. Registers are 32-bit words
/// per thread *at entry*: the arms of `setmaxnreg` have their own. Everything
/// else that is a size is in bytes; spills count the bytes moved, not the room.
struct KernelResources {
  std::string name;
  int64_t registers = 0;
  int64_t stackBytes = 0;
  int64_t spillStoreBytes = 0;
  int64_t spillLoadBytes = 0;
  /// Instructions of innermost loops that store or load spilled registers; in
  /// kernels with matrix products, of loops with products only.
  int64_t spillsInLoops = 0;
  /// Static shared memory; the dynamic part is known at launch.
  int64_t sharedBytes = 0;
  /// All banks together; bank 0 holds the parameters.
  int64_t constantBytes = 0;
  /// Named barriers, number 0 included. 16 if a number is computed.
  int64_t barriers = 0;

  bool hasSpills() const { return spillStoreBytes + spillLoadBytes > 0; }
};

/// What ptxas has done to code, as its messages say.
enum class HazardEffect {
  None,
  /// Something that is not in the table of hazards.
  Unknown,
  /// The register budgets of roles do not count.
  BudgetsIgnored,
  /// Each matrix product waits for the one before it.
  Serialised,
  /// Threads wait for products where the PTX does not.
  Waits,
};

/// Which hazards are errors.
enum class HazardPolicy {
  RefuseAll,
  /// All but those that only cost time.
  AllowSlow,
  AllowAll,
};

/// One line of ptxas that wants attention.
struct PtxasMessage {
  enum class Severity { Info, Warning, Error };
  Severity severity = Severity::Info;
  /// "C7513", or empty.
  std::string code;
  /// The kernel that the message is about, or empty if that is not known.
  std::string kernel;
  /// The line of the PTX text, or 0, and what it says.
  unsigned line = 0;
  std::string source;
  /// Where that came from, if the PTX has line tables; `place.line` is 0 else.
  struct Place {
    std::string file;
    unsigned line = 0;
    unsigned column = 0;
  } place;
  /// The message without severity, code and line.
  std::string text;
  HazardEffect effect = HazardEffect::None;
  /// For a hazard: what to do about it; else empty.
  std::string remedy;
  /// Whether there are too few registers.
  bool isOfRegisters = false;
};

/// Everything that could be read from the output of ptxas.
struct PtxasReport {
  std::vector<KernelResources> kernels;
  /// Errors, warnings and hazards, in order.
  std::vector<PtxasMessage> messages;

  /// Whether a message makes the machine code unfit: an error or a hazard.
  bool hasErrors() const;
};

/// Reads the output of `ptxas -v`. With the PTX text, messages that give a line
/// and no kernel are traced to their kernel.
PtxasReport parsePtxasOutput(llvm::StringRef output, llvm::StringRef ptx = {});

/// The messages for which no machine code is handed out.
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
  /// The path of the program, as findPtxas knows it (FindPtxas.h).
  std::string program;
  const GpuTarget *target = &getDefaultGpuTarget();
  /// Keep the `.loc` lines for profilers.
  bool lineTables = false;
  HazardPolicy hazards = HazardPolicy::RefuseAll;
  /// What ptxas optimises, 0 to 3.
  unsigned optimization = 3;
  /// Seconds that ptxas may take.
  unsigned timeLimit = 120;
};

/// Machine code with what is known about it.
struct Cubin {
  std::string bytes;
  PtxasReport report;
};

/// Assembles `text`; several may be assembled at the same time. Fails with
/// PtxasError for what ptxas says about the code, and with a plain error if it
/// cannot be run or takes too long.
llvm::Expected<Cubin> assemble(llvm::StringRef text,
                               const PtxasOptions &options);

} // namespace tessera::ptx

#endif // TESSERA_TARGET_PTX_PTXAS_H
