//===- Output.cpp - Outputs of tilec after phases ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Output.h"

#include "tessera/Runtime/CHeader.h"
#include "tessera/Target/PTX/PtxasDiagnostics.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/Timing.h"
#include "llvm/Support/Path.h"

using namespace tessera;
using namespace tessera::tools;

static FailureOr<std::string> makeLLVM(ModuleOp module,
                                       const PackageOptions &options,
                                       TimingScope &timing,
                                       ptx::PtxasReport *) {
  TimingScope scope = timing.nest("LLVM IR");
  if (failed(verifyLowered(module)))
    return failure();
  ptx::EmitOptions emitOptions;
  emitOptions.target = options.target;
  emitOptions.lineTables = options.lineTables;
  return ptx::emitLLVM(module, emitOptions);
}

static FailureOr<std::string> makePTX(ModuleOp module,
                                      const PackageOptions &options,
                                      TimingScope &timing,
                                      ptx::PtxasReport *report) {
  TimingScope scope = timing.nest("PTX");
  FailureOr<std::string> text = emitPTX(module, options, scope);
  if (failed(text) || !report)
    return text;
  TimingScope assembling = timing.nest("ptxas");
  FailureOr<ptx::PtxasProgram> program = getPtxas(module, options);
  if (failed(program))
    return failure();
  FailureOr<ptx::Cubin> cubin =
      assemble(module, *text, program->path, options, {options.optimization});
  if (failed(cubin))
    return failure();
  *report = std::move(cubin->report);
  return text;
}

/// Creates one file, with one run of ptxas for all kernels.
static FailureOr<std::string> makeCubin(ModuleOp module,
                                        const PackageOptions &options,
                                        TimingScope &timing,
                                        ptx::PtxasReport *report) {
  if (failed(readKernels(module)))
    return failure();
  FailureOr<ptx::PtxasProgram> program = getPtxas(module, options);
  if (failed(program))
    return failure();
  TimingScope scope = timing.nest("PTX");
  FailureOr<std::string> text = emitPTX(module, options, scope);
  if (failed(text))
    return failure();
  scope = timing.nest("ptxas");
  FailureOr<ptx::Cubin> cubin =
      assemble(module, *text, program->path, options, {options.optimization});
  if (failed(cubin))
    return failure();
  if (report)
    *report = std::move(cubin->report);
  return std::move(cubin->bytes);
}

static FailureOr<std::string> makePackage(ModuleOp module,
                                          const PackageOptions &options,
                                          TimingScope &timing,
                                          ptx::PtxasReport *report) {
  TimingScope scope = timing.nest("code of kernels");
  FailureOr<BuiltPackage> built = buildPackage(module, options, scope);
  if (failed(built))
    return failure();
  if (report)
    *report = std::move(built->report);
  return built->package.write();
}

static FailureOr<std::string> makeHeader(ModuleOp module,
                                         const PackageOptions &options,
                                         TimingScope &, ptx::PtxasReport *) {
  if (failed(verifyLowered(module)))
    return failure();
  rt::KernelPackage package;
  package.target = options.target->name.str();
  FailureOr<std::vector<rt::KernelMetadata>> kernels = readKernels(module);
  if (failed(kernels))
    return failure();
  package.kernels = std::move(*kernels);
  return rt::emitHeader(package);
}

static const Output outputs[] = {
    {"llvm", ".ll", "LLVM IR, cleaned up", false, makeLLVM},
    {"ptx", ".ptx", "PTX", false, makePTX},
    {"cubin", ".cubin", "machine code, by ptxas", true, makeCubin},
    {"package", ".tpk", "machine code and what a launch must know of it", true,
     makePackage},
    {"header", ".h", "typed launchers of the kernels in C", false, makeHeader},
};

ArrayRef<Output> tools::getOutputs() { return outputs; }

const Output *tools::findOutput(StringRef name) {
  const Output *found = llvm::find_if(
      outputs, [&](const Output &output) { return output.name == name; });
  return found == std::end(outputs) ? nullptr : found;
}

const Output *tools::findOutputOfFile(StringRef filename) {
  const Output *found = llvm::find_if(outputs, [&](const Output &output) {
    return filename.ends_with(output.suffix);
  });
  return found == std::end(outputs) ? nullptr : found;
}

llvm::Error tools::checkSuffix(StringRef filename) {
  StringRef suffix = llvm::sys::path::extension(filename);
  if (suffix.empty() || suffix == ".mlir" || findOutputOfFile(filename))
    return llvm::Error::success();
  std::string known;
  for (const Output &output : outputs)
    known += output.suffix.str() + ", ";
  return llvm::createStringError("-o: no output has the suffix '" + suffix +
                                 "'; expected " + known +
                                 "or .mlir for IR; --emit=WHAT takes any name");
}
