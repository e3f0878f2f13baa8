//===- OutputFile.cpp - Files that tools write ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Atomic replacement of files: write a temporary file in the same folder, then
// rename it. A reader thus sees the old or the new contents, never a part.
// Targets that cannot be replaced (devices, pipes, folders without permission)
// are written in place.
//
// The temporary name consists of the name of the file and the number of the
// process. The class `TempFile` of LLVM uses a random generator that the C
// library of machines with a GPU may not have.
//
//===----------------------------------------------------------------------===//

#include "tessera/Array/OutputFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include <csignal>

using llvm::Error;
using llvm::StringRef;
using llvm::Twine;
namespace fs = llvm::sys::fs;

static Error makeWriteError(StringRef path, std::error_code error) {
  return llvm::createStringError("cannot write '" + path +
                                 "': " + error.message());
}

/// Returns the folder of a file; "." for a file without one.
static StringRef getFolder(StringRef path) {
  StringRef folder = llvm::sys::path::parent_path(path);
  return folder.empty() ? "." : folder;
}

Error tessera::array::checkWritable(StringRef path) {
  if (path == "-")
    return Error::success();
  fs::file_status status;
  if (!fs::status(path, status)) {
    if (fs::is_directory(status))
      return makeWriteError(path,
                            std::make_error_code(std::errc::is_a_directory));
    if (std::error_code error = fs::access(path, fs::AccessMode::Write))
      return makeWriteError(path, error);
    return Error::success();
  }
  StringRef folder = getFolder(path);
  if (std::error_code error = fs::status(folder, status))
    return makeWriteError(path, error);
  if (!fs::is_directory(status))
    return makeWriteError(path,
                          std::make_error_code(std::errc::not_a_directory));
  if (std::error_code error = fs::access(folder, fs::AccessMode::Write))
    return makeWriteError(path, error);
  return Error::success();
}

bool tessera::array::isSameFile(StringRef a, StringRef b) {
  if (a == "-" || b == "-")
    return a == b;
  fs::file_status ofA, ofB;
  bool existsA = !fs::status(a, ofA), existsB = !fs::status(b, ofB);
  if (existsA && existsB)
    return fs::is_regular_file(ofA) && fs::equivalent(ofA, ofB);
  if (existsA || existsB)
    return false;
  return llvm::sys::path::filename(a) == llvm::sys::path::filename(b) &&
         !fs::status(getFolder(a), ofA) && !fs::status(getFolder(b), ofB) &&
         fs::equivalent(ofA, ofB);
}

namespace {
/// Ignores the signal of a file size limit (`ulimit -f`). The system sends it
/// before the error, and it would end the program as a crash.
class SizeSignalIgnored {
public:
  SizeSignalIgnored() {
    struct sigaction ignore = {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGXFSZ, &ignore, &old);
  }
  ~SizeSignalIgnored() { sigaction(SIGXFSZ, &old, nullptr); }
  SizeSignalIgnored(const SizeSignalIgnored &) = delete;
  SizeSignalIgnored &operator=(const SizeSignalIgnored &) = delete;

private:
  struct sigaction old;
};
} // namespace

/// Writes into an open stream, and closes it.
static std::error_code
print(llvm::raw_fd_ostream &os,
      llvm::function_ref<void(llvm::raw_ostream &)> contents) {
  SizeSignalIgnored ignored;
  contents(os);
  os.close();
  std::error_code error = os.error();
  os.clear_error();
  return error;
}

/// Creates a temporary file in the folder of `path`. Returns -1 with an error
/// if that fails.
static int openBeside(StringRef path, llvm::SmallVectorImpl<char> &name,
                      std::error_code &error) {
  for (unsigned attempt = 0; attempt < 100; ++attempt) {
    name.clear();
    (path + "." + Twine(llvm::sys::Process::getProcessId()) + "-" +
     Twine(attempt) + ".tmp")
        .toVector(name);
    int file = -1;
    error = fs::openFileForWrite(name, file, fs::CD_CreateNew);
    if (error != std::errc::file_exists)
      return error ? -1 : file;
  }
  return -1;
}

/// Checks whether a file can be replaced by another one: it is not a device, a
/// pipe, or the name of an open stream.
static bool canBeReplaced(StringRef path, const fs::file_status &status) {
  if (!fs::exists(status))
    return true;
  return fs::is_regular_file(status) && !path.starts_with("/dev/") &&
         !path.starts_with("/proc/");
}

/// Writes a temporary file and renames it to `path`. Returns whether that
/// succeeded; if not, and without an error, nothing has changed.
static bool replace(StringRef path, const fs::file_status &status,
                    llvm::function_ref<void(llvm::raw_ostream &)> contents,
                    std::error_code &error) {
  llvm::SmallString<128> name;
  int file = openBeside(path, name, error);
  if (file < 0) {
    // The folder accepts no new file, or the name is too long.
    error.clear();
    return false;
  }
  llvm::raw_fd_ostream os(file, /*shouldClose=*/true);
  error = print(os, contents);
  if (!error && fs::exists(status))
    error = fs::setPermissions(name, status.permissions());
  if (error) {
    (void)fs::remove(name);
    return false;
  }
  if (!fs::rename(name, path))
    return true;
  // The file of another user in a shared folder, or the root of a mount.
  (void)fs::remove(name);
  return false;
}

Error tessera::array::writeFile(
    StringRef path, llvm::function_ref<void(llvm::raw_ostream &)> contents) {
  if (path == "-") {
    contents(llvm::outs());
    return flushStandardOutput();
  }
  fs::file_status status;
  (void)fs::status(path, status);
  std::error_code error;
  if (canBeReplaced(path, status)) {
    // Symbolic links are kept: replace the target of the link.
    llvm::SmallString<128> target;
    if (!fs::exists(status) || fs::real_path(path, target))
      target = path;
    if (replace(target, status, contents, error))
      return Error::success();
    if (error)
      return makeWriteError(path, error);
  }
  llvm::raw_fd_ostream os(path, error);
  if (!error)
    error = print(os, contents);
  if (error)
    return makeWriteError(path, error);
  return Error::success();
}

Error tessera::array::writeFile(StringRef path, StringRef contents) {
  return writeFile(path, [&](llvm::raw_ostream &os) { os << contents; });
}

Error tessera::array::flushStandardOutput() {
  llvm::raw_fd_ostream &os = llvm::outs();
  os.flush();
  std::error_code error = os.error();
  os.clear_error();
  if (error)
    return llvm::createStringError("cannot write to standard output: " +
                                   error.message());
  return Error::success();
}
