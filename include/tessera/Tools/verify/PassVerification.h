//===- PassVerification.h - Verification of passes --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `--verify-passes` of tilec and tile-opt (translation validation by
// execution). Each kernel is executed on small arguments before the first pass
// and after every pass that changed it. The interpreter executes it at the tile
// level, and the machine simulator at the sm level under several interleavings.
// The emulator executes the PTX of lowered kernels. An error names the first
// pass after which a kernel has another result or a defect. Later passes are
// not examined.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TOOLS_VERIFY_PASSVERIFICATION_H
#define TESSERA_TOOLS_VERIFY_PASSVERIFICATION_H

#include "tessera/Support/LLVM.h"
#include "tessera/Tools/OptionRules.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/CommandLine.h"

#include <memory>

namespace tessera::tools {

struct VerificationOptions {
  explicit VerificationOptions(llvm::cl::OptionCategory &category);

  /// Returns the options that need --verify-passes.
  OptionList getDetails() const { return {arguments, seed, rms}; }

  llvm::cl::opt<bool> isOn;
  llvm::cl::list<std::string> arguments;
  llvm::cl::opt<uint64_t> seed;
  llvm::cl::opt<double> rms;
};

class PassVerification {
public:
  explicit PassVerification(const VerificationOptions &options);
  ~PassVerification();

  /// Executes the kernels of the module around the passes of `manager`. Passes
  /// of its context then run one after the other.
  void watch(PassManager &manager);

  /// Fails after an error of the verification. Also prints how many executions
  /// there were.
  LogicalResult finish(raw_ostream &os) const;

  class Impl;

private:
  std::shared_ptr<Impl> impl;
};

} // namespace tessera::tools

#endif // TESSERA_TOOLS_VERIFY_PASSVERIFICATION_H
