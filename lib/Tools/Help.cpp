//===- Help.cpp - Output of --help and --version ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Tools/Help.h"

#include "tessera/Tools/Invocation.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/raw_ostream.h"

using namespace tessera;
namespace cl = llvm::cl;

void tools::printVersion(llvm::raw_ostream &os) {
  os << "Tessera " TESSERA_VERSION "\nLLVM " LLVM_VERSION_STRING "\n";
}

void tools::hideOtherOptions(llvm::ArrayRef<const cl::OptionCategory *> own,
                             llvm::ArrayRef<llvm::StringLiteral> examples) {
  // The parser keeps a reference to the text.
  static std::string text = "\nEXAMPLES:\n\n";
  for (llvm::StringRef example : examples)
    text += ("  " + example + "\n").str();
  static const cl::extrahelp help(text);
  cl::SetVersionPrinter(printVersion);
  // These names sort after the groups of the tools.
  static cl::OptionCategory about("Version and help");
  static cl::OptionCategory others("With LLVM and MLIR");
  for (auto [name, registered] : cl::getRegisteredOptions()) {
    cl::Option &option = *registered;
    if (llvm::any_of(option.Categories, [&](const cl::OptionCategory *of) {
          return llvm::is_contained(own, of);
        }))
      continue;
    if (name == "version" || name == "help" || name == "help-list" ||
        name == "help-hidden") {
      option.Categories = {&about};
      option.setHiddenFlag(cl::NotHidden);
      continue;
    }
    option.Categories = {&others};
    if (option.getOptionHiddenFlag() != cl::ReallyHidden)
      option.setHiddenFlag(cl::Hidden);
  }
  // LLVM would add an option -h that takes every unknown option with this first
  // letter, as a group of options.
  cl::getRegisteredOptions()["h"] = cl::getRegisteredOptions().lookup("help");
}

/// Words an error of LLVM's parser as the tools word theirs.
static std::string reword(llvm::StringRef message, llvm::StringRef seeHelp) {
  if (message.consume_front("Unknown command line argument "))
    return ("unknown option " + message.split(".  Try").first + seeHelp).str();
  // LLVM does not name the operand.
  auto &operands = cl::SubCommand::getTopLevel().PositionalOpts;
  if (!operands.empty() && message.starts_with("Not enough positional"))
    return ("expected " + operands.front()->HelpStr + seeHelp).str();
  return message.str();
}

bool tools::parseCommandLine(int argc, const char *const *argv,
                             llvm::StringRef overview) {
  endAtClosedPipe();
  std::string text;
  llvm::raw_string_ostream os(text);
  if (cl::ParseCommandLineOptions(argc, argv, overview, &os))
    return true;
  // The first error may cause others.
  auto [first, others] = llvm::StringRef(text).split('\n');
  auto [tool, message] = first.split(": ");
  std::string seeHelp = ("; see '" + tool + " --help'").str();
  llvm::errs() << tool << ": error: " << reword(message, seeHelp) << "\n";
  if (others.consume_front((tool + ": Did you mean ").str()))
    llvm::errs() << tool << ": note: did you mean " << others.split('\n').first
                 << "\n";
  return false;
}
