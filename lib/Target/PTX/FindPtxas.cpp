//===- FindPtxas.cpp - Search for ptxas -------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of defects, the list of places, and `ptxas --version`.
//
//===----------------------------------------------------------------------===//

#include "tessera/Target/PTX/FindPtxas.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/VersionTuple.h"

using namespace tessera::ptx;
using llvm::StringRef;
using llvm::Twine;
using llvm::VersionTuple;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

//===----------------------------------------------------------------------===//
// Defects
//===----------------------------------------------------------------------===//

namespace {
struct Defect {
  /// The first release without the defect.
  unsigned major, minor;
  llvm::StringLiteral text;
};
} // namespace

/// Wrong code for sm_90a: flash-linear-attention 1262 (one PTX, by 12.8, 13.0
/// and 13.1), triton 9433 and 11781 (by 12.9, 13.2 and 13.3).
static constexpr Defect kDefects[] = {
    {13, 1, "before 13.1 code may write outside of its shared memory"},
    {13, 3,
     "before 13.3 registers may be overwritten that a wgmma still reads as "
     "operand a"},
};

std::string tessera::ptx::describeDefects(StringRef text) {
  VersionTuple version;
  if (text.empty() || version.tryParse(text))
    return "its version is unknown";
  llvm::SmallVector<StringRef> found;
  for (const Defect &defect : kDefects)
    if (version < VersionTuple(defect.major, defect.minor))
      found.push_back(defect.text);
  return llvm::join(found, "; ");
}

StringRef tessera::ptx::getPtxasAdvice() {
  return "'pip install --no-deps nvidia-cuda-nvcc==13.5.37' brings a good one";
}

//===----------------------------------------------------------------------===//
// Versions
//===----------------------------------------------------------------------===//

/// Returns "13.0.88" for "Cuda compilation tools, release 13.0, V13.0.88", or
/// an empty text.
static std::string readVersion(StringRef program) {
  constexpr unsigned kSeconds = 10;
  llvm::SmallString<128> name;
  if (fs::createTemporaryFile("tessera", "version", name))
    return {};
  llvm::FileRemover remover(name);
  std::optional<StringRef> redirects[] = {StringRef(), name.str(), StringRef()};
  if (llvm::sys::ExecuteAndWait(program, {program, "--version"}, std::nullopt,
                                redirects, kSeconds) != 0)
    return {};
  auto text = llvm::MemoryBuffer::getFile(name);
  if (!text)
    return {};
  StringRef version = (*text)->getBuffer().split(", V").second;
  return version.take_while([](char c) { return llvm::isDigit(c) || c == '.'; })
      .str();
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// Returns the folders in `parent` whose names start with `prefix`, last name
/// first.
static std::vector<std::string> listFolders(const Twine &parent,
                                            StringRef prefix) {
  std::vector<std::string> folders;
  std::error_code error;
  for (fs::directory_iterator it(parent, error), end; it != end && !error;
       it.increment(error))
    if (path::filename(it->path()).starts_with(prefix))
      folders.push_back(it->path());
  llvm::sort(folders, std::greater<>());
  return folders;
}

namespace {
/// The programs that exist, in the order of preference.
class Places {
public:
  std::vector<std::string> collect();

private:
  /// Adds a program once; PATH and the folders of CUDA may contain links to it.
  void add(const Twine &program) {
    bool isKnown = llvm::any_of(programs, [&](const std::string &other) {
      return fs::equivalent(program, other);
    });
    if (fs::can_execute(program) && !isKnown)
      programs.push_back(program.str());
  }
  /// Adds the ptxas of Python packages: nvidia-cuda-nvcc has its programs in
  /// nvidia/FOLDER/bin.
  void addPackages(const Twine &packages) {
    for (const std::string &folder : listFolders(packages + "/nvidia", ""))
      add(folder + "/bin/ptxas");
  }
  /// Adds the ptxas of a Python environment with the folder `lib`.
  void addPython(const Twine &lib) {
    for (const std::string &version : listFolders(lib, "python3"))
      for (const char *packages : {"site-packages", "dist-packages"})
        addPackages(version + "/" + packages);
  }

  std::vector<std::string> programs;
};
} // namespace

std::vector<std::string> Places::collect() {
  // BUILD/bin/tilec and BUILD/python; in a wheel, PACKAGES/tessera/bin.
  std::string self = fs::getMainExecutable(nullptr, nullptr);
  StringRef folder = path::parent_path(path::parent_path(self));
  addPython(folder + "/python/lib");
  addPackages(path::parent_path(folder));
  if (auto program = llvm::sys::findProgramByName("ptxas"))
    add(*program);
  if (auto environment = llvm::sys::Process::GetEnv("VIRTUAL_ENV"))
    addPython(*environment + "/lib");
  for (const std::string &toolkit : listFolders("/usr/local", "cuda"))
    add(toolkit + "/bin/ptxas");
  llvm::SmallString<64> home;
  if (path::home_directory(home))
    addPython(home + "/.local/lib");
  addPython("/usr/local/lib");
  addPython("/usr/lib");
  return std::move(programs);
}

llvm::Expected<PtxasProgram> tessera::ptx::findPtxas(StringRef given) {
  auto named = [](StringRef program) {
    return PtxasProgram{program.str(), readVersion(program)};
  };
  if (!given.empty()) {
    if (fs::can_execute(given))
      return named(given);
    return llvm::createStringError("'" + given + "' is no program to run");
  }
  if (auto variable = llvm::sys::Process::GetEnv("TESSERA_PTXAS");
      variable && !variable->empty()) {
    if (fs::can_execute(*variable))
      return named(*variable);
    return llvm::createStringError("TESSERA_PTXAS names '" + *variable +
                                   "', which is no program to run");
  }
  std::string passed;
  for (const std::string &program : Places().collect()) {
    PtxasProgram found = named(program);
    std::string defects = describeDefects(found.version);
    if (defects.empty())
      return found;
    passed +=
        "; passed over '" + program + "' " + found.version + ": " + defects;
  }
  return llvm::createStringError(
      "cannot find a good ptxas: looked at TESSERA_PTXAS, PATH, "
      "/usr/local/cuda*/bin and the Python package nvidia-cuda-nvcc" +
      passed + "; " + getPtxasAdvice() +
      (passed.empty() ? "" : ", and '--ptxas=PATH' takes any"));
}
