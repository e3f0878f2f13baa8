//===- tessera.cpp - All tools in one library -----------------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `tessera compile ...` is `tilec ...`, and so on. Called by the name of a
// tool, for example through a link, the program is that tool. LLVM and MLIR are
// linked once for all tools and for callers in C, so wheels contain this
// library. The program itself only calls it (main.c).
//
//===----------------------------------------------------------------------===//

#include "tessera/InitAll.h"
#include "tessera/Support/NearestName.h"
#include "tessera/Tools/Help.h"
#include "tessera/Tools/Invocation.h"
#include "tessera/Tools/compile/CompileMain.h"
#include "tessera/Tools/format/FormatMain.h"
#include "tessera/Tools/launch/LaunchMain.h"
#include "tessera/Tools/layout/LayoutMain.h"
#include "tessera/Tools/lsp/LspMain.h"
#include "tessera/Tools/ptx/PtxMain.h"
#include "tessera/Tools/run/RunMain.h"

#include "mlir/IR/DialectRegistry.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace tessera::tools;
using llvm::StringRef;

static int serveLanguage(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tessera::registerAllDialects(registry);
  tessera::registerLoweredDialects(registry);
  return lspMain(argc, argv, registry);
}

namespace {
struct Tool {
  StringRef command, name;
  int (*main)(int argc, char **argv);
  StringRef does;
};
} // namespace

static constexpr Tool kTools[] = {
    {"compile", "tilec", compileMain,
     "compiles kernels to packages, PTX or any phase"},
    {"run", "tile-run", runMain, "executes a kernel on arrays, without a GPU"},
    {"launch", "tile-launch", launchMain, "launches a kernel of a package"},
    {"bench", "tile-bench", benchMain, "measures a kernel of a package"},
    {"format", "tile-format", formatMain, "formats sources"},
    {"layout", "tile-layout", layoutMain,
     "shows the threads and registers of a layout"},
    {"ptx", "tile-ptx", ptxMain,
     "compiles llvm and nvvm modules to machine code"},
    {"lsp", "tile-lsp-server", serveLanguage, "language server for editors"},
};

static void printUsage(llvm::raw_ostream &os) {
  os << "usage: tessera COMMAND ARGUMENT...\n\n";
  for (const Tool &tool : kTools)
    os << llvm::formatv("  {0,-8} {1,-16} {2}\n", tool.command, tool.name,
                        tool.does);
  os << "\n'tessera help COMMAND' prints the options of a command with "
        "examples,\n'tessera --version' the versions of Tessera and LLVM.\n";
  os << "'tessera examples' of the Python package prints the folder of the "
        "examples.\n\n";
  os << "  tessera compile kernel.tile --ptx-only -o kernel.tpk\n"
        "  tessera run kernel.tile --arg 'x=randn(8, 64)' --plot -\n";
}

static const Tool *findTool(StringRef word) {
  for (const Tool &tool : kTools)
    if (word == tool.command || word == tool.name)
      return &tool;
  return nullptr;
}

/// Returns the program that does what `word` says, or the command that is
/// spelled similarly, as a question.
static std::string suggestCommand(StringRef word) {
  if (word == "tune" || word == "tile-tune")
    return "'tile-tune' is a program of its own; ";
  if (word == "check" || word == "explain")
    return ("write 'tessera compile --" + word + "'; ").str();
  llvm::SmallVector<StringRef> commands = {"help"};
  for (const Tool &tool : kTools)
    commands.push_back(tool.command);
  return tessera::suggestName(word, commands);
}

static int run(int argc, char **argv) {
  if (const Tool *tool = findTool(llvm::sys::path::filename(argv[0])))
    return finishOutput(tool->name, tool->main(argc, argv));
  if (argc < 2) {
    printUsage(llvm::errs());
    return kUsageError;
  }
  StringRef command = argv[1];
  if (command == "help" && argc > 2) {
    // `tessera help run` is `tessera run --help`.
    static char help[] = "--help";
    std::swap(argv[1], argv[2]);
    argv[2] = help;
    return run(3, argv);
  }
  if (command == "--help" || command == "-h" || command == "help") {
    printUsage(llvm::outs());
    return finishOutput("tessera", 0);
  }
  if (command == "--version") {
    printVersion(llvm::outs());
    return finishOutput("tessera", 0);
  }
  if (const Tool *tool = findTool(command)) {
    // The parser of options reads its name from this argument.
    argv[1] = const_cast<char *>(tool->name.data());
    return finishOutput(tool->name, tool->main(argc - 1, argv + 1));
  }
  return reportUsageError("tessera", "no command '" + command + "'; " +
                                         suggestCommand(command) +
                                         "'tessera --help' lists the commands");
}

extern "C" __attribute__((visibility("default"))) int
tessera_main(int argc, char **argv) {
  endAtClosedPipe();
  return run(argc, argv);
}
