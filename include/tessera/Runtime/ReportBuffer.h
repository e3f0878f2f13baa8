//===- ReportBuffer.h - Results of checks and prints ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The buffer in which a launch leaves the results of its checks and prints.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_RUNTIME_REPORTBUFFER_H
#define TESSERA_RUNTIME_REPORTBUFFER_H

#include "tessera/Runtime/Device.h"
#include "tessera/Runtime/KernelMetadata.h"

namespace tessera::rt {

/// A check of a kernel did not hold. The message has the place, the element and
/// the program.
class CheckError : public llvm::ErrorInfo<CheckError> {
public:
  static char ID;
  explicit CheckError(std::string text) : text(std::move(text)) {}

  void log(llvm::raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  std::string text;
};

class ReportBuffer {
public:
  /// Allocates the buffer of one launch on `stream`, with `sizes` in the order
  /// of the metadata.
  static llvm::Expected<ReportBuffer> create(const DeviceRef &device,
                                             const KernelMetadata &kernel,
                                             llvm::ArrayRef<int64_t> sizes,
                                             CUstream stream);

  CUdeviceptr get() const { return buffer.get(); }

  /// Waits for the launch, writes its lines to `os`, and fails if a check did
  /// not hold.
  llvm::Error read(CUstream stream, llvm::raw_ostream &os) const;

private:
  ReportBuffer(const KernelMetadata &kernel) : kernel(&kernel) {}
  /// Returns "program (m = 1, n = 2)".
  std::string describeProgram(int64_t program) const;
  void printLines(llvm::ArrayRef<uint64_t> words, int64_t program,
                  llvm::raw_ostream &os) const;
  llvm::Error findFailures(llvm::ArrayRef<uint64_t> words) const;

  const KernelMetadata *kernel;
  DeviceBuffer buffer;
  /// The number of programs along each axis, and of all.
  std::vector<int64_t> extents;
  int64_t programs = 1;
  int64_t wordsPerProgram = 0;
};

} // namespace tessera::rt

#endif // TESSERA_RUNTIME_REPORTBUFFER_H
