//===- LspMain.cpp - The tile-lsp-server tool -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The options are those of MLIR's server, and are removed after parsing: that
// server may start later and registers options of the same names. It also uses
// the standard streams, so this server reads and writes copies of them.
//
//===----------------------------------------------------------------------===//

#include "tessera/Tools/lsp/LspMain.h"

#include "LanguageServer.h"
#include "MessageInput.h"

#include "tessera/Tools/Help.h"
#include "tessera/Tools/Invocation.h"
#include "tessera/Tools/KernelInput.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/LSP/Logging.h"

#include <unistd.h>

using namespace tessera::tools;
namespace cl = llvm::cl;
namespace protocol = llvm::lsp;

namespace {
struct Options {
  cl::OptionCategory category{"Options"};
  cl::list<std::string> defines{
      "D", cl::desc("Set a compile-time parameter of all files"),
      cl::value_desc("NAME=VALUE"), cl::Prefix, cl::cat(category)};
  cl::opt<protocol::JSONStreamStyle> inputStyle{
      "input-style", cl::desc("Separation of messages"),
      cl::values(clEnumValN(protocol::JSONStreamStyle::Standard, "standard",
                            "by the protocol"),
                 clEnumValN(protocol::JSONStreamStyle::Delimited, "delimited",
                            "by lines // -----")),
      cl::init(protocol::JSONStreamStyle::Standard), cl::cat(category)};
  cl::opt<bool> pretty{"pretty", cl::desc("Write messages on several lines"),
                       cl::cat(category)};
  cl::opt<bool> litTest{
      "lit-test", cl::desc("The same as --input-style=delimited --pretty"),
      cl::cat(category)};
  cl::opt<protocol::Logger::Level> log{
      "log", cl::desc("Log to standard error"),
      cl::values(clEnumValN(protocol::Logger::Level::Error, "error", "errors"),
                 clEnumValN(protocol::Logger::Level::Info, "info",
                            "errors and messages"),
                 clEnumValN(protocol::Logger::Level::Debug, "verbose", "all")),
      cl::init(protocol::Logger::Level::Error), cl::cat(category)};

  ~Options() {
    // These options overload the operator &.
    defines.removeArgument();
    inputStyle.removeArgument();
    pretty.removeArgument();
    litTest.removeArgument();
    log.removeArgument();
  }
};

/// The values of the options.
struct Setup {
  protocol::JSONStreamStyle style;
  bool isPretty;
  Defines defines;
};
} // namespace

static constexpr llvm::StringLiteral kExamples[] = {
    "tile-lsp-server                        # started by an editor",
    "tile-lsp-server -D BM=64 --log=info    # started by an editor",
};

static llvm::Expected<Setup> parseOptions(int argc, char **argv) {
  Options options;
  hideOtherOptions({&options.category}, kExamples);
  if (!parseCommandLine(argc, argv,
                        "Language server for Tessera sources and IR\n"))
    return llvm::createStringError("");
  auto compileOptions = parseCompileOptions("", options.defines);
  if (!compileOptions)
    return compileOptions.takeError();
  protocol::Logger::setLogLevel(options.log);
  bool isTest = options.litTest;
  return Setup{isTest ? protocol::JSONStreamStyle::Delimited
                      : options.inputStyle,
               isTest || options.pretty, compileOptions->defines};
}

int tessera::tools::lspMain(int argc, char **argv,
                            mlir::DialectRegistry &registry) {
  llvm::InitLLVM initLLVM(argc, argv);
  llvm::Expected<Setup> setup = parseOptions(argc, argv);
  if (!setup) {
    std::string message = llvm::toString(setup.takeError());
    return message.empty() ? kUsageError
                           : reportUsageError("tile-lsp-server", message);
  }
  std::FILE *input = fdopen(dup(STDIN_FILENO), "r");
  llvm::raw_fd_ostream output(dup(STDOUT_FILENO), /*shouldClose=*/true);
  if (!input)
    return reportUsageError("tile-lsp-server", "standard input is closed");
  protocol::JSONTransport transport(
      std::make_unique<MessageInput>(input, setup->style), output,
      setup->isPretty);
  bool ended = LanguageServer(transport, registry, setup->defines).run();
  fclose(input);
  // There is no reader any more.
  output.clear_error();
  return ended ? 0 : 1;
}
