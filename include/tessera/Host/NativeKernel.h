//===- NativeKernel.h - A kernel compiled for this machine ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel of the tile dialect, compiled by LLVM's JIT for the processor of
// this machine:
//
//   FailureOr<std::unique_ptr<NativeKernel>> kernel =
//   NativeKernel::compile(op); HostOutcome outcome = (*kernel)->run(arguments,
//   sizes, options);
//
// One kernel serves launches of all sizes, from several threads. The compiled
// code checks what the interpreter checks within one program, but only notes
// that a check failed: the interpreter then repeats the launch and reports the
// defect (HostLaunch.h). Accesses of different programs to one element are not
// compared; the interpreter and the simulator find such defects.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_HOST_NATIVEKERNEL_H
#define TESSERA_HOST_NATIVEKERNEL_H

#include "tessera/Interpreter/SizeBinding.h"
#include "tessera/Support/Progress.h"

#include <memory>

namespace tessera::host {

/// The argument of one parameter. Elements have their type in memory: narrow
/// floats 1 or 2 bytes, i1 one byte.
struct HostArgument {
  /// The memory of a tensor.
  void *data = nullptr;
  array::Shape shape;
  /// Distances in elements. The last one must be 1, unless that dimension has
  /// at most one element (see `NativeKernel::acceptsStrides`).
  array::Shape strides;
  /// One byte for each element, at the offset of the element; a store sets it
  /// to 1. May be null.
  uint8_t *written = nullptr;

  /// The value of a scalar: the bits of an f64 or an f32 (of the value of a
  /// narrow float), or a sign-extended integer.
  uint64_t scalar = 0;

  /// Returns an argument for row-major memory.
  static HostArgument getTensor(void *data, ArrayRef<int64_t> shape,
                                uint8_t *written = nullptr);
  static HostArgument getFloat(float value);
  static HostArgument getDouble(double value);
  static HostArgument getInteger(int64_t value);
};

struct HostRunOptions {
  /// Maximum number of operations; a bound against hangs. The calling thread
  /// asks between two programs whether the run is interrupted.
  StepLimit stepLimit = kDefaultOperationLimit;
  /// Number of threads; 0 is the number of processors.
  unsigned threads = 0;
  /// Called for some of the programs; may be empty.
  ProgressHandler progress;
};

struct HostOutcome {
  enum Kind {
    Done,
    /// A check failed in `program`; written tensors are incomplete.
    Defect,
    /// A size has no value, or there are too many programs. Nothing ran.
    InvalidSizes,
    /// The user interrupted the run; written tensors are incomplete.
    Interrupted,
  };
  Kind kind = Done;
  uint64_t programs = 0;
  uint32_t program = 0;
};

class NativeKernel {
public:
  /// Compiles `kernel`, which must pass `interp::verifyExecutable`. If an
  /// operation is not supported, emits a remark at it and fails. The context of
  /// `kernel` must outlive the result, but `kernel` need not.
  static FailureOr<std::unique_ptr<NativeKernel>>
  compile(tile::KernelOp kernel);
  ~NativeKernel();

  /// Checks whether the last dimension is contiguous.
  static bool acceptsStrides(ArrayRef<int64_t> shape,
                             ArrayRef<int64_t> strides);

  /// Runs all programs. The arguments must have the types, ranks and sizes of
  /// the parameters. Thread-safe.
  HostOutcome run(ArrayRef<HostArgument> arguments,
                  const interp::SizeBinding &sizes,
                  const HostRunOptions &options = {}) const;

private:
  struct Code;
  explicit NativeKernel(std::unique_ptr<Code> code);

  std::unique_ptr<Code> code;
};

} // namespace tessera::host

#endif // TESSERA_HOST_NATIVEKERNEL_H
