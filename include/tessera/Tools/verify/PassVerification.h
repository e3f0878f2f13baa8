//===- PassVerification.h - Passes keep results -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `--verify-passes` of tilec and tile-opt: each kernel is executed on small
// arguments before the first pass and after every pass that changed it: by the
// interpreter at the tile level; under several schedules by the machine
// simulator at the sm level, and as PTX by the emulator when it is lowered. The
// first pass after which a kernel gives another result, or has a defect, is
// named in an error; later ones are not looked at.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TOOLS_VERIFY_PASSVERIFICATION_H
#define TESSERA_TOOLS_VERIFY_PASSVERIFICATION_H

#include "tessera/Support/LLVM.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/CommandLine.h"

#include <memory>

namespace tessera::tools {

struct VerificationOptions {
  explicit VerificationOptions(llvm::cl::OptionCategory &category);

  llvm::cl::opt<bool> isOn;
  llvm::cl::list<std::string> arguments;
  llvm::cl::opt<uint64_t> seed;
  llvm::cl::opt<double> rms;
};

class PassVerification {
public:
  explicit PassVerification(const VerificationOptions &options);
  ~PassVerification();

  /// Executes the kernels of the module around the passes of `manager`, whose
  /// context runs them one after the other from now on.
  void watch(PassManager &manager);

  /// Fails after an error of the verification; also says how much was executed.
  LogicalResult finish(raw_ostream &os) const;

  class Impl;

private:
  std::shared_ptr<Impl> impl;
};

} // namespace tessera::tools

#endif // TESSERA_TOOLS_VERIFY_PASSVERIFICATION_H
