//===- LaunchMain.cpp - The tile-launch driver ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver of tile-launch. InitLLVM is not used here and in tile-bench. Its
// stack traces need temporary files, whose names need a newer C library than
// that of some machines with a GPU.
//
//===----------------------------------------------------------------------===//

#include "tessera/Tools/launch/LaunchMain.h"

#include "tessera/Emulator/Emulator.h"
#include "tessera/Runtime/CHeader.h"
#include "tessera/Tools/Help.h"
#include "tessera/Tools/Invocation.h"
#include "tessera/Tools/OptionRules.h"
#include "tessera/Tools/launch/EmulatedRun.h"
#include "tessera/Tools/launch/PackageRun.h"
#include "tessera/Tools/launch/Table.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace tessera;
using namespace tessera::tools;
namespace cl = llvm::cl;

namespace {
struct Options {
  cl::OptionCategory launching{"Arguments and device"};
  cl::OptionCategory emulating{"Emulator (--device ptx)"};
  cl::OptionCategory reading{"Package"};
  cl::OptionCategory checking{"Results"};
  cl::opt<std::string> input{cl::Positional, cl::desc("FILE.tpk"), cl::Required,
                             cl::cat(reading)};
  ArgumentOptions arguments{launching};
  ResultOptions results{checking};
  cl::opt<std::string> device{
      "device",
      cl::desc("Device: cuda, a GPU (the default), or ptx, an emulator "
               "of the PTX"),
      cl::value_desc("NAME"), cl::init("cuda"), cl::cat(launching)};
  OrderOptions orders{emulating};
  const std::string stepHelp =
      llvm::formatv("Fail after this number of executed instructions (default: "
                    "{0})",
                    kDefaultInstructionLimit);
  cl::opt<uint64_t> stepLimit{"step-limit", cl::desc(stepHelp),
                              cl::init(kDefaultInstructionLimit),
                              cl::cat(emulating)};
  cl::opt<std::string> ptx{
      "ptx",
      cl::desc("The PTX to run instead of the code of the package: all of its "
               "kernels in one file, as tilec --emit=ptx writes it"),
      cl::value_desc("FILE"), cl::cat(reading)};
  cl::opt<bool> list{"list", cl::desc("List the kernels and their parameters"),
                     cl::cat(reading)};
  cl::opt<bool> emitHeader{
      "emit-header",
      cl::desc("Print a C header with a typed launcher of each kernel"),
      cl::cat(reading)};
};
} // namespace

static void listKernels(const rt::KernelPackage &package) {
  Table table;
  table.addRow({"kernel", "parameter", "access", "type"});
  for (const rt::KernelMetadata *kernel : package.getFirstVariants()) {
    std::string name = kernel->name;
    if (kernel->parameters.empty())
      table.addRow({name});
    for (const rt::ParameterInfo &parameter : kernel->parameters) {
      static const char *const accesses[] = {"in", "out", "inout"};
      bool isTensor = parameter.kind == rt::ParameterInfo::Kind::Tensor;
      table.addRow({name, parameter.name,
                    accesses[isTensor ? unsigned(parameter.access) : 0],
                    parameter.describeType()});
      name.clear();
    }
  }
  llvm::outs() << "target: " << package.target;
  if (!package.ptxas.empty())
    llvm::outs() << ", by ptxas " << package.ptxas;
  llvm::outs() << "\n";
  table.print(llvm::outs());
}

/// Checks that the device exists and supports every given option.
static llvm::Error checkDevice(const Options &options) {
  bool isEmulated = options.device == "ptx";
  if (!isEmulated && options.device != "cuda")
    return array::makeError("unknown device '" + options.device +
                            "'; expected cuda or ptx");
  bool isList = options.list || options.emitHeader;
  OptionList ofRuns = {options.device, options.stepLimit, options.ptx};
  ofRuns.append(options.arguments.getOptions());
  ofRuns.append(options.results.getOptions());
  ofRuns.append(options.orders.getOptions());
  return checkOptionRules(
      {{!options.emitHeader,
        {options.list},
        "prints the kernels, and --emit-header a header; give one of the two"},
       {!isList, ofRuns,
        "is for a run; leave out " +
            std::string(options.list ? "--list" : "--emit-header")},
       {!isEmulated, {options.arguments.gpu}, "is for --device cuda"},
       {isEmulated, options.orders.getOptions(), "is for --device ptx"},
       {isEmulated, {options.stepLimit}, "is for --device ptx"}});
}

/// Replaces the code of all kernels by the text of a file.
static llvm::Error replaceCode(rt::KernelPackage &package,
                               llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return array::makeError("--ptx: cannot read '" + path +
                            "': " + buffer.getError().message());
  package.ptx = {(*buffer)->getBuffer().str()};
  package.cubins.clear();
  return llvm::Error::success();
}

static constexpr llvm::StringLiteral kExamples[] = {
    "tile-launch kernel.tpk --list",
    "tile-launch kernel.tpk --arg x=x.npy --print y               # on a GPU",
    "tile-launch kernel.tpk --arg x=x.npy --expect y=y.npy --device ptx",
    "tile-launch kernel.tpk --emit-header > kernel.h              # for "
    "callers in C",
};

int tools::launchMain(int argc, char **argv) {
  Options options;
  hideOtherOptions({&options.launching, &options.emulating, &options.reading,
                    &options.checking},
                   kExamples);
  if (!parseCommandLine(argc, argv,
                        "Runs a kernel of a Tessera package on a GPU\n"))
    return kUsageError;
  if (llvm::Error error = checkDevice(options))
    return reportUsageError("tile-launch", llvm::toString(std::move(error)));
  llvm::Expected<rt::KernelPackage> package =
      rt::KernelPackage::readFile(options.input);
  if (!package)
    return reportUsageError("tile-launch", llvm::toString(package.takeError()));
  if (options.ptx.getNumOccurrences() != 0)
    if (llvm::Error error = replaceCode(*package, options.ptx))
      return reportUsageError("tile-launch", llvm::toString(std::move(error)));
  if (options.list || options.emitHeader) {
    if (options.emitHeader)
      llvm::outs() << rt::emitHeader(*package);
    else
      listKernels(*package);
    return 0;
  }
  if (options.device == "ptx")
    return runPackageEmulated("tile-launch", std::move(*package),
                              options.arguments, options.results,
                              options.orders, options.stepLimit);
  return runPackage("tile-launch", *package, options.arguments,
                    options.results);
}
