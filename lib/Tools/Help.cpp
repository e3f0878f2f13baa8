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

#include <sys/mman.h>
#include <unistd.h>

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

namespace {
/// Collects what is printed to standard error. LLVM prints invalid values of
/// options there, and other errors to the stream that its parser takes.
class CapturedErrors {
public:
  CapturedErrors() : file(memfd_create("errors", MFD_CLOEXEC)) {
    if (file < 0)
      return;
    saved = dup(STDERR_FILENO);
    dup2(file, STDERR_FILENO);
  }
  ~CapturedErrors() { (void)take(); }
  CapturedErrors(const CapturedErrors &) = delete;
  CapturedErrors &operator=(const CapturedErrors &) = delete;

  /// Ends the collection, and returns the text.
  std::string take() {
    std::string text;
    if (file < 0)
      return text;
    dup2(saved, STDERR_FILENO);
    close(saved);
    text.resize(std::max<off_t>(lseek(file, 0, SEEK_END), 0));
    ssize_t length = pread(file, text.data(), text.size(), 0);
    text.resize(std::max<ssize_t>(length, 0));
    close(file);
    file = -1;
    return text;
  }

private:
  int file, saved = -1;
};
} // namespace

/// Returns the option that the argument `--name` is; null for a value, an
/// operand and `--name=value`.
static const cl::Option *findOption(llvm::StringRef argument) {
  return argument.consume_front("-")
             ? cl::getRegisteredOptions().lookup(
                   argument.starts_with("-") ? argument.drop_front() : argument)
             : nullptr;
}

/// Returns the first operand that is more than the tool takes; empty if there
/// is none.
static llvm::StringRef
findSurplusOperand(llvm::ArrayRef<const char *> arguments) {
  size_t left = cl::SubCommand::getTopLevel().PositionalOpts.size();
  for (size_t i = 1; i < arguments.size(); ++i) {
    llvm::StringRef argument = arguments[i];
    if (const cl::Option *option = findOption(argument))
      i += option->getValueExpectedFlag() == cl::ValueRequired;
    else if ((!argument.starts_with("-") || argument == "-") && left-- == 0)
      return argument;
  }
  return "";
}

/// Words LLVM's error about the value of an option: `option` is its name and
/// `problem` the rest of the message.
static std::string rewordValue(llvm::StringRef option,
                               llvm::StringRef problem) {
  std::string name = ((option.size() > 1 ? "--" : "-") + option).str();
  if (problem == "requires a value!") {
    const cl::Option *known = cl::getRegisteredOptions().lookup(option);
    llvm::StringRef value = known ? known->ValueStr : "";
    return name + " requires a value" +
           (value.empty() ? "" : (", as " + name + "=<" + value + ">").str());
  }
  llvm::StringRef value = problem;
  if (value.consume_back(" argument!") && value.consume_front("'")) {
    auto [text, type] = value.rsplit("' value invalid for ");
    bool isNumber = type == "floating point";
    bool isUnsigned = type.starts_with("u");
    return name + ": expected " +
           (isNumber     ? "a number"
            : isUnsigned ? "a whole number from 0 on"
                         : "a whole number") +
           ", got '" + text.str() + "'";
  }
  auto [given, isBoolean] = problem.split(" is invalid value for boolean");
  if (!isBoolean.empty())
    return name + ": expected true or false, got " + given.str();
  return name + ": " + problem.rtrim('!').str();
}

/// Returns what an unknown option of another tool is called here, or how to do
/// without; empty if it is none that we know.
static std::string findForeignOption(llvm::StringRef option) {
  auto [name, value] = option.ltrim('-').split('=');
  auto has = [](llvm::StringRef known) {
    return cl::getRegisteredOptions().contains(known);
  };
  if (has("rtol") && (name == "tolerance" || name == "tol" || name == "eps"))
    return "the tolerances are --rtol and --atol";
  if (name.size() < 3 && name.starts_with("O"))
    return "there are no levels of optimization";
  if (has("i") && has("check") &&
      (name == "diff" || name == "dry-run" || name == "verify"))
    return "--check prints the names of the files that would change";
  if (has("emit")) {
    if (name == "num-warps" || name == "num_warps")
      return "the source chooses the warps, as in 'schedule (warps = 4)'";
    if (name == "num-stages" || name == "num_stages")
      return "the source chooses the stages, as in 'schedule (stages = 3)'";
    if (name == "Werror")
      return "warnings stay warnings";
    if (name == "ptx" || name == "cubin")
      return ("the output is chosen by --emit=" + name).str();
  }
  if (has("save") && (name == "output" || name == "out" || name == "o"))
    return "an output is written to a file by '--save NAME=FILE.npy'";
  // The argument of a kernel.
  if (has("arg") && !value.empty() && option.starts_with("--"))
    return ("arguments of the kernel are written '--arg " + name + "=" + value +
            "'")
        .str();
  return "";
}

/// Words an error of LLVM's parser as the tools word theirs.
static std::string reword(llvm::StringRef message,
                          llvm::ArrayRef<const char *> arguments,
                          llvm::StringRef seeHelp) {
  if (message.consume_front("Unknown command line argument ")) {
    llvm::StringRef option = message.split(".  Try").first;
    std::string hint = findForeignOption(option.trim('\''));
    return ("unknown option " + option).str() +
           (hint.empty() ? seeHelp.str() : "; " + hint);
  }
  llvm::StringRef rest = message;
  if (rest.consume_front("for the -")) {
    rest.consume_front("-");
    auto [option, problem] = rest.split(" option: ");
    return rewordValue(option, problem) + seeHelp.str();
  }
  // LLVM does not name the operand.
  auto &operands = cl::SubCommand::getTopLevel().PositionalOpts;
  if (!operands.empty() && message.starts_with("Not enough positional"))
    return ("expected " + operands.front()->HelpStr + seeHelp).str();
  llvm::StringRef surplus = message.starts_with("Too many positional")
                                ? findSurplusOperand(arguments)
                                : "";
  if (surplus.empty())
    return message.str();
  std::string hint = seeHelp.str();
  if (surplus.contains('=') && cl::getRegisteredOptions().contains("arg"))
    hint = ("; did you mean '--arg " + surplus + "'?").str();
  return ("unexpected operand '" + surplus + "'" + hint).str();
}

bool tools::parseCommandLine(int argc, const char *const *argv,
                             llvm::StringRef overview) {
  endAtClosedPipe();
  std::string text;
  llvm::raw_string_ostream os(text);
  CapturedErrors printed;
  bool isValid = cl::ParseCommandLineOptions(argc, argv, overview, &os);
  text = printed.take() + text;
  if (isValid) {
    llvm::errs() << text;
    return true;
  }
  // The first error may cause others.
  auto [first, others] = llvm::StringRef(text).split('\n');
  auto [tool, message] = first.split(": ");
  std::string seeHelp = ("; see '" + tool + " --help'").str();
  std::string error = reword(message, llvm::ArrayRef(argv, argc), seeHelp);
  llvm::errs() << tool << ": error: " << error << "\n";
  // A near name is no help where the error names the way out.
  if (llvm::StringRef(error).ends_with(seeHelp) &&
      others.consume_front((tool + ": Did you mean ").str()))
    llvm::errs() << tool << ": note: did you mean " << others.split('\n').first
                 << "\n";
  return false;
}
