//===- HostKernel.h - Kernels on memory of the host -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles a kernel once and runs it many times without a GPU:
//
//   auto kernel = HostKernel::compile("sim", source, options);
//   llvm::Error error = (*kernel)->run({a, b, c});
//
// An argument is an rt::Argument whose address is in host memory. The checks of
// arguments are those of a launch on a GPU. A run that fails writes nothing.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TOOLS_HOST_HOSTKERNEL_H
#define TESSERA_TOOLS_HOST_HOSTKERNEL_H

#include "tessera/Runtime/LaunchPlan.h"
#include "tessera/Support/Progress.h"
#include "tessera/Tools/host/HostOptions.h"

#include <chrono>
#include <memory>
#include <mutex>

namespace tessera::tools {

/// The text of a .tile file with the kernel to compile.
struct HostSource {
  std::string text;
  /// The name of the file in messages.
  std::string file;
  std::string kernel;
  /// Values of compile-time parameters, as after -D.
  std::vector<std::pair<std::string, std::string>> defines;
  /// The paths and texts of files that the source uses. Others are read.
  std::vector<std::pair<std::string, std::string>> files;
};

/// The diagnostics of a kernel that the compiler rejected.
class HostCompileError : public llvm::ErrorInfo<HostCompileError> {
public:
  static char ID;
  explicit HostCompileError(std::string text) : text(std::move(text)) {}

  void log(llvm::raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  std::string text;
};

/// The diagnostics of a defect of a kernel that a run found.
class HostDefectError : public llvm::ErrorInfo<HostDefectError> {
public:
  enum class Kind {
    /// A race, a deadlock, an access out of bounds, or the like.
    Execution,
    /// Elements of an output that no program wrote.
    Unwritten,
  };
  static char ID;
  HostDefectError(Kind kind, std::string text)
      : kind(kind), text(std::move(text)) {}

  Kind getKind() const { return kind; }
  void log(llvm::raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  Kind kind;
  std::string text;
};

/// The caller interrupted a run.
class HostInterruptError : public llvm::ErrorInfo<HostInterruptError> {
public:
  static char ID;

  void log(llvm::raw_ostream &os) const override { os << "interrupted"; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }
};

/// Describes the kernels of `source` as JSON, as `tilec --emit=signatures`.
/// Does not read its kernel and its defines.
llvm::Expected<std::string> describeSource(const HostSource &source);

class HostKernel {
public:
  /// Compiles `source` for `device`: cpu, interpreter, sim or ptx. Fails with a
  /// HostCompileError, or with the text of an error of the options.
  static llvm::Expected<std::unique_ptr<HostKernel>>
  compile(llvm::StringRef device, const HostSource &source,
          const HostOptions &options);
  virtual ~HostKernel() = default;

  /// Returns the name, the parameters and the sizes; other fields are those of
  /// a kernel without blocks.
  const rt::KernelMetadata &getMetadata() const { return metadata; }
  /// Returns the warnings of the compiler, or an empty text.
  llvm::StringRef getWarnings() const { return warnings; }

  /// Runs the kernel with one argument per parameter. `sizes` contains the
  /// sizes that no argument binds. Fails with a HostDefectError if the kernel
  /// has a defect, otherwise with the text of an error of the arguments. One
  /// thread at a time runs a kernel; other threads wait. `interrupt`, which may
  /// be empty, is called about ten times a second; if it returns true, the run
  /// ends with a HostInterruptError.
  llvm::Error run(llvm::ArrayRef<rt::Argument> arguments,
                  const llvm::StringMap<int64_t> &sizes = {},
                  StepLimit::Interrupt interrupt = {});

protected:
  /// Runs the kernel with checked arguments, whose strides are not empty.
  virtual llvm::Error execute(llvm::ArrayRef<rt::Argument> arguments,
                              const llvm::StringMap<int64_t> &sizes) = 0;

  /// Returns the limit of a run, which also ends if it is interrupted.
  StepLimit makeLimit(uint64_t steps) {
    return StepLimit(steps, [this] { return pollInterrupt(); });
  }

  rt::KernelMetadata metadata;
  std::string warnings;

private:
  bool pollInterrupt();

  std::mutex mutex;
  /// Of the current run.
  StepLimit::Interrupt interrupt;
  bool isInterrupted = false;
  std::chrono::steady_clock::time_point nextPoll;
};

} // namespace tessera::tools

#endif // TESSERA_TOOLS_HOST_HOSTKERNEL_H
