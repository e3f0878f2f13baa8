//===- LaunchMain.cpp - The tile-launch driver ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No InitLLVM here and in tile-bench: its stack traces need temporary files,
// whose names need a newer C library than machines with a GPU may have.
//
//===----------------------------------------------------------------------===//

#include "tessera/Tools/launch/LaunchMain.h"

#include "tessera/Runtime/CHeader.h"
#include "tessera/Tools/Help.h"
#include "tessera/Tools/Invocation.h"
#include "tessera/Tools/launch/PackageRun.h"
#include "tessera/Tools/launch/Table.h"

using namespace tessera;
using namespace tessera::tools;
namespace cl = llvm::cl;

namespace {
struct Options {
  cl::OptionCategory launching{"Arguments and device"};
  cl::OptionCategory reading{"Package"};
  cl::OptionCategory checking{"Results"};
  cl::opt<std::string> input{cl::Positional, cl::desc("FILE.tpk"), cl::Required,
                             cl::cat(reading)};
  ArgumentOptions arguments{launching};
  ResultOptions results{checking};
  cl::opt<bool> list{"list", cl::desc("List the kernels and their parameters"),
                     cl::cat(reading)};
  cl::opt<bool> emitHeader{
      "emit-header",
      cl::desc("Print a C header with a typed launcher of each kernel"),
      cl::cat(reading)};
};
} // namespace

/// "bf16[M, K]", or "f32" for a scalar.
static std::string describeType(const rt::ParameterInfo &parameter) {
  std::string text = array::getName(parameter.dtype).str();
  if (parameter.kind == rt::ParameterInfo::Kind::Scalar)
    return text;
  text += "[";
  for (const rt::SizeExpression &dim : parameter.dims)
    text += (text.back() == '[' ? "" : ", ") + dim.getText().str();
  return text + "]";
}

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
                    describeType(parameter)});
      name.clear();
    }
  }
  llvm::outs() << "target: " << package.target;
  if (!package.ptxas.empty())
    llvm::outs() << ", by ptxas " << package.ptxas;
  llvm::outs() << "\n";
  table.print(llvm::outs());
}

int tools::launchMain(int argc, char **argv) {
  Options options;
  hideOtherOptions({&options.launching, &options.reading, &options.checking});
  if (!cl::ParseCommandLineOptions(
          argc, argv, "Runs a kernel of a Tessera package on a GPU\n",
          &llvm::errs()))
    return kUsageError;
  llvm::Expected<rt::KernelPackage> package =
      rt::KernelPackage::readFile(options.input);
  if (!package)
    return reportUsageError("tile-launch", llvm::toString(package.takeError()));
  if (options.list || options.emitHeader) {
    if (options.emitHeader)
      llvm::outs() << rt::emitHeader(*package);
    else
      listKernels(*package);
    return 0;
  }
  return runPackage("tile-launch", *package, options.arguments,
                    options.results);
}
