//===- Ptxas.cpp - Running ptxas --------------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs ptxas as a process. ptxas reads and writes files, so a run has three
// temporary files: the text, the machine code, and the output.
//
//===----------------------------------------------------------------------===//

#include "tessera/Target/PTX/Ptxas.h"
#include "MachineLoops.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <csignal>
#include <thread>

using namespace tessera::ptx;
using llvm::StringRef;
using llvm::Twine;
namespace fs = llvm::sys::fs;

namespace {
/// A temporary file that is removed at the end of its scope.
class TemporaryFile {
public:
  llvm::Error create(StringRef suffix) {
    if (std::error_code error =
            fs::createTemporaryFile("tessera", suffix, name))
      return llvm::createStringError("cannot create a temporary file: " +
                                     error.message());
    remover.setFile(name);
    return llvm::Error::success();
  }

  llvm::Error write(StringRef text) {
    std::error_code error;
    llvm::raw_fd_ostream os(name, error);
    if (!error) {
      os << text;
      os.close();
      error = os.error();
      os.clear_error();
    }
    if (error)
      return llvm::createStringError("cannot write '" + name +
                                     "': " + error.message());
    return llvm::Error::success();
  }

  llvm::Expected<std::string> read() const {
    auto buffer = llvm::MemoryBuffer::getFile(name);
    if (!buffer)
      return llvm::createStringError("cannot read '" + name +
                                     "': " + buffer.getError().message());
    return (*buffer)->getBuffer().str();
  }

  StringRef getName() const { return name; }

private:
  llvm::SmallString<128> name;
  llvm::FileRemover remover;
};
} // namespace

/// Returns the messages that explain why there is no machine code, or an empty
/// list.
static std::vector<PtxasMessage> takeErrors(PtxasReport &report) {
  std::vector<PtxasMessage> errors;
  for (PtxasMessage &message : report.messages)
    if (message.severity == PtxasMessage::Severity::Error)
      errors.push_back(message);
  // The last message only says that there were others.
  if (errors.size() > 1 &&
      StringRef(errors.back().text).starts_with("Ptx assembly aborted"))
    errors.pop_back();
  return errors;
}

/// Checks whether machine code is returned despite `message`.
static bool isAllowed(const PtxasMessage &message, HazardPolicy policy) {
  switch (message.effect) {
  case HazardEffect::None:
    return message.severity != PtxasMessage::Severity::Error ||
           policy == HazardPolicy::AllowAll;
  case HazardEffect::Serialised:
  case HazardEffect::Waits:
    return policy != HazardPolicy::RefuseAll;
  case HazardEffect::BudgetsIgnored:
    // Without enough registers, ptxas drops every setmaxnreg of the kernel, so
    // no role waits for registers that another role keeps.
    return policy == HazardPolicy::AllowAll ||
           (policy == HazardPolicy::AllowSlow && message.isOfRegisters);
  case HazardEffect::Unknown:
    return policy == HazardPolicy::AllowAll;
  }
  llvm_unreachable("all effects are covered");
}

/// Returns the exit status, or less than 0 after a crash or after `seconds`.
/// LLVM's own wait with a limit uses an alarm, and a process has only one.
static int waitFor(llvm::sys::ProcessInfo process, unsigned seconds,
                   std::string &message) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point end = Clock::now() + std::chrono::seconds(seconds);
  while (Clock::now() < end) {
    llvm::sys::ProcessInfo done =
        llvm::sys::Wait(process, /*SecondsToWait=*/0, &message);
    if (done.Pid)
      return done.ReturnCode;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ::kill(process.Pid, SIGKILL);
  llvm::sys::Wait(process, /*SecondsToWait=*/std::nullopt);
  message = "it was ended";
  return -2;
}

llvm::Expected<Cubin> tessera::ptx::assemble(StringRef text,
                                             const PtxasOptions &options) {
  const std::string &program = options.program;
  TemporaryFile input, output, log;
  if (llvm::Error error = llvm::joinErrors(
          input.create("ptx"),
          llvm::joinErrors(output.create("cubin"), log.create("log"))))
    return error;
  if (llvm::Error error = input.write(text))
    return error;

  std::string architecture = ("-arch=" + options.target->name).str();
  std::string level = "-O" + std::to_string(options.optimization);
  llvm::SmallVector<StringRef> arguments = {
      program, architecture,     level,          "-v",
      "-o",    output.getName(), input.getName()};
  if (options.lineTables)
    arguments.push_back("-lineinfo");
  std::optional<StringRef> redirects[] = {StringRef(), log.getName(),
                                          log.getName()};
  std::string message;
  bool notStarted = false;
  llvm::sys::ProcessInfo process = llvm::sys::ExecuteNoWait(
      program, arguments, /*Env=*/std::nullopt, redirects,
      /*MemoryLimit=*/0, &message, &notStarted);
  if (notStarted)
    return llvm::createStringError("cannot run '" + program + "': " + message);
  int status = waitFor(process, options.timeLimit, message);
  if (status < 0)
    return llvm::createStringError("'" + program + "' did not finish within " +
                                   Twine(options.timeLimit) +
                                   " s or crashed: " + message);
  llvm::Expected<std::string> said = log.read();
  if (!said)
    return said.takeError();
  Cubin cubin;
  cubin.report = parsePtxasOutput(*said, text);
  std::vector<PtxasMessage> errors = takeErrors(cubin.report);
  if (status != 0 && errors.empty())
    return llvm::createStringError("'" + program + "' failed with status " +
                                   Twine(status) + ": " +
                                   StringRef(*said).trim());
  bool isGood =
      status == 0 && llvm::all_of(errors, [&](const PtxasMessage &message) {
        return isAllowed(message, options.hazards);
      });
  if (!isGood)
    return llvm::make_error<PtxasError>(std::move(errors));
  llvm::Expected<std::string> bytes = output.read();
  if (!bytes)
    return bytes.takeError();
  if (bytes->empty())
    return llvm::createStringError("'" + program +
                                   "' succeeded and wrote no machine code");
  cubin.bytes = std::move(*bytes);
  for (KernelResources &kernel : cubin.report.kernels)
    if (kernel.hasSpills())
      kernel.spillsInLoops = countSpillsInLoops(cubin.bytes, kernel.name);
  return cubin;
}
