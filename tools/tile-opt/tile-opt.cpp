//===- tile-opt.cpp - Runs passes on Tessera IR -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Array/FloatText.h"
#include "tessera/InitAll.h"
#include "tessera/Tools/Help.h"
#include "tessera/Tools/Invocation.h"
#include "tessera/Tools/verify/PassVerification.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace tessera::tools;

static constexpr llvm::StringLiteral kExamples[] = {
    "tilec kernel.tile --emit=tile -o kernel.mlir",
    "tile-opt kernel.mlir "
    "--pass-pipeline='builtin.module(tile.kernel(tile-fold-exp2))'",
    "tile-opt kernel.mlir --canonicalize --cse -o simple.mlir",
};

/// Runs mlir::MlirOptMain with the verification of passes and an atomic write
/// of the output file.
static LogicalResult run(int argc, char **argv) {
  DialectRegistry registry;
  tessera::registerAllDialects(registry);
  tessera::registerLoweredDialects(registry);
  tessera::registerAllPasses();
  // Options of MLIR's driver stay visible, since they are registered after this
  // call.
  hideOtherOptions({}, kExamples);
  llvm::cl::OptionCategory category("Verifying passes");
  VerificationOptions options(category);
  auto [inputName, outputName] = registerAndParseCLIOptions(
      argc, argv, "Tessera optimizer driver\n", registry);
  MlirOptMainConfig pipeline = MlirOptMainConfig::createFromCLOptions();
  if (pipeline.shouldShowDialects()) {
    llvm::interleaveComma(registry.getDialectNames(),
                          llvm::outs() << "Available Dialects: ");
    llvm::outs() << "\n";
    return success();
  }
  if (pipeline.shouldListPasses()) {
    printRegisteredPasses();
    return success();
  }
  PassVerification verification(options);
  MlirOptMainConfig config = pipeline;
  if (options.isOn)
    config.setPassPipelineSetupFn([&](PassManager &manager) {
      if (failed(pipeline.setupPassPipeline(manager)))
        return failure();
      verification.watch(manager);
      return success();
    });
  auto report = [](const Twine &message) {
    llvm::WithColor::error(llvm::errs(), "tile-opt") << message << "\n";
    return failure();
  };
  if (llvm::Error error = checkOptionRules(
          {{options.isOn, options.getDetails(), "is for --verify-passes"}}))
    return report(llvm::toString(std::move(error)));
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> input =
      openInputFile(inputName, &message);
  if (!input)
    return report(message);
  if (std::optional<size_t> offset =
          tessera::array::findLongFloat(input->getBuffer()))
    return report(
        inputName + ":" +
        Twine(input->getBuffer().take_front(*offset).count('\n') + 1) + ": " +
        tessera::array::kLongFloatError);
  if (llvm::Error error = tessera::array::checkWritable(outputName))
    return report(llvm::toString(std::move(error)));
  std::string text;
  llvm::raw_string_ostream os(text);
  bool isFile = outputName != "-";
  if (failed(MlirOptMain(isFile ? static_cast<raw_ostream &>(os) : llvm::outs(),
                         std::move(input), registry, config)))
    return failure();
  if (isFile)
    if (llvm::Error error = tessera::array::writeFile(outputName, text))
      return report(llvm::toString(std::move(error)));
  return options.isOn ? verification.finish(llvm::errs()) : success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM initLLVM(argc, argv);
  endAtClosedPipe();
  return finishOutput("tile-opt", failed(run(argc, argv)));
}
