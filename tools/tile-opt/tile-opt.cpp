//===- tile-opt.cpp - Runs passes on Tessera IR -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/InitAll.h"
#include "tessera/Tools/verify/PassVerification.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

/// As mlir::MlirOptMain, but for the verification of passes.
static LogicalResult run(int argc, char **argv) {
  DialectRegistry registry;
  tessera::registerAllDialects(registry);
  tessera::registerLoweredDialects(registry);
  tessera::registerAllPasses();
  llvm::cl::OptionCategory category("Verification of passes");
  tessera::tools::VerificationOptions options(category);
  auto [inputName, outputName] = registerAndParseCLIOptions(
      argc, argv, "Tessera optimizer driver\n", registry);
  if (!options.isOn)
    return MlirOptMain(argc, argv, inputName, outputName, registry);

  tessera::tools::PassVerification verification(options);
  MlirOptMainConfig pipeline = MlirOptMainConfig::createFromCLOptions();
  MlirOptMainConfig config = pipeline;
  config.setPassPipelineSetupFn([&](PassManager &manager) {
    if (failed(pipeline.setupPassPipeline(manager)))
      return failure();
    verification.watch(manager);
    return success();
  });
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> input =
      openInputFile(inputName, &message);
  std::unique_ptr<llvm::ToolOutputFile> output;
  if (input)
    output = openOutputFile(outputName, &message);
  if (!output) {
    llvm::errs() << message << "\n";
    return failure();
  }
  if (failed(MlirOptMain(output->os(), std::move(input), registry, config)))
    return failure();
  output->keep();
  return verification.finish(llvm::errs());
}

int main(int argc, char **argv) {
  llvm::InitLLVM initLLVM(argc, argv);
  return asMainReturnCode(run(argc, argv));
}
