//===- FormatMain.cpp - The tile-format tool --------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Formats each file separately: errors in one file do not prevent the
// formatting of the others.
//
//===----------------------------------------------------------------------===//

#include "tessera/Tools/format/FormatMain.h"

#include "tessera/Array/OutputFile.h"
#include "tessera/Frontend/Format.h"
#include "tessera/Tools/Help.h"
#include "tessera/Tools/Invocation.h"
#include "tessera/Tools/KernelInput.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

using namespace tessera;
using namespace tessera::tools;
namespace cl = llvm::cl;

static constexpr StringRef kTool = "tile-format";

namespace {
struct Options {
  cl::OptionCategory category{"Options"};
  cl::list<std::string> inputs{cl::Positional, cl::cat(category),
                               cl::desc("[FILE.tile...], or standard input")};
  cl::opt<bool> inPlace{"i", cl::cat(category),
                        cl::desc("Write the files instead of printing them")};
  cl::opt<bool> check{
      "check", cl::cat(category),
      cl::desc("Print the names of the files that would change; the exit "
               "status is 1 if there are any")};
};
} // namespace

static llvm::Error checkOptions(const Options &options) {
  if (options.inPlace && options.check)
    return llvm::createStringError("-i writes files, and --check leaves them "
                                   "as they are; give one of the two");
  if (options.inPlace && llvm::is_contained(options.inputs, "-"))
    return llvm::createStringError(
        "-i: standard input cannot be written; name a file");
  if (!options.inPlace && !options.check && options.inputs.size() > 1)
    return llvm::createStringError(
        "several files are formatted with -i or --check");
  return llvm::Error::success();
}

/// Formats one file. Returns false after a diagnostic, or if the file fails the
/// check.
static llvm::Expected<bool> formatFile(StringRef name, const Options &options,
                                       MLIRContext &context) {
  llvm::SourceMgr sourceMgr;
  if (llvm::Error error = openInput(name, sourceMgr))
    return error;
  mlir::SourceMgrDiagnosticHandler handler(sourceMgr, &context);
  std::optional<std::string> text = frontend::formatTile(sourceMgr, &context);
  if (!text)
    return false;
  StringRef source =
      sourceMgr.getMemoryBuffer(sourceMgr.getMainFileID())->getBuffer();
  if (options.check) {
    if (source != *text)
      llvm::outs() << (name == "-" ? "<stdin>" : name) << "\n";
    return source == *text;
  }
  if (!options.inPlace)
    llvm::outs() << *text;
  else if (source != *text)
    if (llvm::Error error = array::writeFile(name, *text))
      return error;
  return true;
}

static constexpr llvm::StringLiteral kExamples[] = {
    "tile-format kernel.tile                # the formatted text",
    "tile-format -i *.tile                  # writes the files",
    "tile-format --check *.tile             # names the files that would "
    "change",
};

int tools::formatMain(int argc, char **argv) {
  llvm::InitLLVM initLLVM(argc, argv);
  Options options;
  hideOtherOptions({&options.category}, kExamples);
  if (!parseCommandLine(argc, argv,
                        "Lays out the white space of Tessera sources\n"))
    return kUsageError;
  if (llvm::Error error = checkOptions(options))
    return reportUsageError(kTool, llvm::toString(std::move(error)));
  if (options.inputs.empty()) {
    if (options.inPlace)
      return reportUsageError(kTool, "-i needs the names of files");
    options.inputs.push_back("-");
  }
  MLIRContext context(MLIRContext::Threading::DISABLED);
  int status = 0;
  for (const std::string &name : options.inputs) {
    llvm::Expected<bool> formatted = formatFile(name, options, context);
    if (!formatted) {
      reportUsageError(kTool, llvm::toString(formatted.takeError()));
      status = 1;
    } else if (!*formatted) {
      status = 1;
    }
  }
  return status;
}
