//===- PackageBuilder.cpp - From lowered kernels to a package ---*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the metadata of kernels, compiles their code (KernelCode.h) and
// assembles the package. Invariant: the entry in the metadata is the symbol of
// the function in the machine code.
//
//===----------------------------------------------------------------------===//

#include "tessera/Target/Package/PackageBuilder.h"

#include "KernelCode.h"

#include "tessera/Array/BoundedJson.h"
#include "tessera/Target/PTX/PtxasDiagnostics.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

#include <functional>

using namespace tessera;
using rt::KernelMetadata;

//===----------------------------------------------------------------------===//
// Metadata
//===----------------------------------------------------------------------===//

static FailureOr<KernelMetadata> readMetadata(LLVM::LLVMFuncOp function) {
  auto text = function->getAttrOfType<StringAttr>(rt::kMetadataAttrName);
  if (!text)
    return function.emitError()
           << "kernel '" << function.getSymName() << "' has no '"
           << rt::kMetadataAttrName
           << "': nothing could launch it; let convert-sm-to-nvvm make it";
  auto fail = [&](llvm::Error error) {
    return function.emitError()
           << "the metadata of kernel '" << function.getSymName()
           << "' is wrong: " << llvm::toString(std::move(error));
  };
  llvm::Expected<llvm::json::Value> value = array::parseJson(text.getValue());
  if (!value)
    return fail(value.takeError());
  llvm::Expected<KernelMetadata> metadata = rt::readKernelMetadata(*value);
  if (!metadata)
    return fail(metadata.takeError());
  // The function may have been renamed.
  metadata->entry = function.getSymName().str();
  if (metadata->arguments.size() != function.getNumArguments())
    return function.emitError()
           << "the metadata of kernel '" << function.getSymName() << "' has "
           << metadata->arguments.size()
           << " arguments, but the function takes "
           << function.getNumArguments();
  return *metadata;
}

FailureOr<ptx::PtxasProgram> tessera::getPtxas(ModuleOp module,
                                               const PackageOptions &options) {
  if (options.foundPtxas)
    return *options.foundPtxas;
  return ptx::findPtxas(module, options.ptxas);
}

LogicalResult tessera::verifyLowered(ModuleOp module) {
  for (Operation &op : module.getOps())
    if (!isa_and_present<LLVM::LLVMDialect>(op.getDialect()))
      return op.emitError()
             << "expected all kernels to be lowered to functions of the llvm "
                "dialect, got '"
             << op.getName() << "'";
  return success();
}

FailureOr<std::vector<KernelMetadata>> tessera::readKernels(ModuleOp module) {
  if (failed(verifyLowered(module)))
    return failure();
  std::vector<KernelMetadata> kernels;
  bool good = true;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    if (!function->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()))
      continue;
    FailureOr<KernelMetadata> metadata = readMetadata(function);
    good &= succeeded(metadata);
    if (good)
      kernels.push_back(std::move(*metadata));
  }
  if (!good)
    return failure();
  if (kernels.empty())
    return emitError(module.getLoc())
           << "there is no kernel to make a package of";
  return kernels;
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

FailureOr<std::string> tessera::emitPTX(ModuleOp module,
                                        const PackageOptions &options,
                                        TimingScope &timing) {
  if (failed(verifyLowered(module)))
    return failure();
  ptx::EmitOptions emitOptions;
  emitOptions.target = options.target;
  emitOptions.lineTables = options.lineTables;
  return ptx::emitPTX(module, emitOptions, timing);
}

FailureOr<ptx::Cubin> tessera::assemble(ModuleOp module, StringRef text,
                                        StringRef program,
                                        const PackageOptions &options,
                                        ArrayRef<unsigned> levels,
                                        bool isQuiet) {
  ptx::PtxasOptions ptxasOptions;
  ptxasOptions.program = program.str();
  ptxasOptions.target = options.target;
  ptxasOptions.lineTables = options.lineTables;
  ptxasOptions.hazards = options.hazards;
  for (unsigned level : levels) {
    ptxasOptions.optimization = level;
    auto existing = level == options.optimization ? options.assembled.find(text)
                                                  : options.assembled.end();
    llvm::Expected<ptx::Cubin> cubin =
        existing != options.assembled.end()
            ? llvm::Expected<ptx::Cubin>(existing->second)
            : ptx::assemble(text, ptxasOptions);
    if (!cubin) {
      ptx::reportPtxasError(module, cubin.takeError());
      return failure();
    }
    if (level != levels.back() &&
        llvm::any_of(cubin->report.kernels,
                     std::mem_fn(&ptx::KernelResources::hasSpills)))
      continue;
    if (!isQuiet)
      ptx::warnOfPtxas(module, cubin->report);
    return std::move(*cubin);
  }
  llvm_unreachable("there is no level");
}

FailureOr<BuiltPackage> tessera::buildPackage(ModuleOp module,
                                              const PackageOptions &options,
                                              TimingScope &timing) {
  FailureOr<std::vector<KernelMetadata>> kernels = readKernels(module);
  if (failed(kernels))
    return failure();
  FailureOr<ptx::PtxasProgram> program = ptx::PtxasProgram();
  if (!options.ptxOnly)
    program = getPtxas(module, options);
  if (failed(program))
    return failure();
  FailureOr<std::vector<KernelCode>> code =
      compileKernels(module, *kernels, program->path, options, timing);
  if (failed(code))
    return failure();
  BuiltPackage built;
  built.package.target = options.target->name.str();
  built.package.ptxas = program->version;
  built.package.kernels = std::move(*kernels);
  for (auto [kernel, own] : llvm::zip_equal(built.package.kernels, *code)) {
    ptx::PtxasReport &report = own.cubin.report;
    for (const ptx::KernelResources &resources : report.kernels)
      if (resources.name == kernel.entry)
        kernel.registers = resources.registers;
    llvm::append_range(built.report.kernels, report.kernels);
    llvm::append_range(built.report.messages, report.messages);
    built.package.ptx.push_back(std::move(own.ptx));
    if (!options.ptxOnly)
      built.package.cubins.push_back(std::move(own.cubin.bytes));
  }
  if (llvm::Error error = built.package.verify())
    return emitError(module.getLoc()) << llvm::toString(std::move(error));
  return built;
}
