//===- ModuleLoader.cpp - Reads the files of a program ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Depth-first search over the files. A file that is reached while its own uses
// are read closes a cycle. The texts are buffers of the SourceMgr, so messages
// show their lines; a buffer that is there already replaces the file.
//
//===----------------------------------------------------------------------===//

#include "ModuleLoader.h"

#include "Parser.h"

#include "tessera/Frontend/Modules.h"
#include "tessera/Frontend/Vocabulary.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace tessera;
using namespace tessera::frontend;
namespace path = llvm::sys::path;

std::string tessera::frontend::normalisePath(StringRef given) {
  llvm::SmallString<128> text(given);
  path::remove_dots(text, /*remove_dot_dot=*/true);
  // The standard library has the other paths that begin with `std/`.
  return (isStandardPath(text) ? "./" : "") + text.str().str();
}

std::string tessera::frontend::getModulePath(StringRef user, StringRef given) {
  if (isStandardPath(given))
    return given.str();
  llvm::SmallString<128> text(path::parent_path(user));
  path::append(text, given);
  return normalisePath(text);
}

SourceModule &ModuleLoader::loadMain() {
  const llvm::MemoryBuffer *buffer =
      sourceMgr.getMemoryBuffer(sourceMgr.getMainFileID());
  SourceModule &module = read(normalisePath(buffer->getBufferIdentifier()),
                              buffer->getBuffer(), /*number=*/0);
  diagnostics.finishReading();
  return module;
}

SourceModule &ModuleLoader::read(StringRef path, StringRef text,
                                 uint32_t number) {
  SourceModule &module =
      *modules.emplace_back(std::make_unique<SourceModule>());
  module.path = path.str();
  Lexer lexer(text, diagnostics, number);
  unsigned errorsBefore = diagnostics.getNumErrors();
  Parser(lexer, diagnostics, module.program).parseProgram();
  // A file with errors of syntax may lack any name.
  if (diagnostics.getNumErrors() == errorsBefore) {
    declareOwn(module);
    for (const UseDecl &use : module.program.uses)
      if (SourceModule *used = load(use, module))
        declareUsed(module, use, *used);
  }
  module.state = diagnostics.getNumErrors() == errorsBefore
                     ? SourceModule::State::Correct
                     : SourceModule::State::Wrong;
  return module;
}

SourceModule *ModuleLoader::find(StringRef path) {
  auto found =
      llvm::find_if(modules, [&](const std::unique_ptr<SourceModule> &module) {
        return module->path == path;
      });
  return found == modules.end() ? nullptr : found->get();
}

SourceModule *ModuleLoader::load(const UseDecl &use, const SourceModule &user) {
  std::string path = getModulePath(user.path, use.path);
  if (SourceModule *module = find(path)) {
    if (module->state == SourceModule::State::Correct)
      return module;
    if (module == &user)
      diagnostics.error(use.place) << "a file cannot use itself";
    else if (module->state == SourceModule::State::Reading)
      diagnostics.error(use.place)
          << "`" << use.path
          << "` leads to this `use`, and files cannot use each other in a "
             "cycle; move the fns that both need to another file";
    return nullptr;
  }
  if (modules.size() == kMaxFiles) {
    diagnostics.error(use.place)
        << "the program has more than " << kMaxFiles << " files";
    return nullptr;
  }
  const llvm::MemoryBuffer *buffer = open(use, path);
  if (!buffer)
    return nullptr;
  uint32_t number = diagnostics.addFile(path, use.place);
  SourceModule &module = read(path, buffer->getBuffer(), number);
  return module.state == SourceModule::State::Correct ? &module : nullptr;
}

const llvm::MemoryBuffer *ModuleLoader::open(const UseDecl &use,
                                             const std::string &path) {
  if (use.path.empty() || path::is_absolute(use.path)) {
    diagnostics.error(use.place)
        << "the path of a file is relative to this file, as in "
           "`use \"file.tile\" (name);`";
    return nullptr;
  }
  for (unsigned i = 1; i <= sourceMgr.getNumBuffers(); ++i)
    if (const llvm::MemoryBuffer *buffer = sourceMgr.getMemoryBuffer(i);
        i != sourceMgr.getMainFileID() && buffer->getBufferIdentifier() == path)
      return buffer;
  std::unique_ptr<llvm::MemoryBuffer> buffer;
  if (isStandardPath(use.path)) {
    const StandardModule *module = findStandardModule(path);
    if (!module) {
      reportMissing(use, path, "no such file");
      return nullptr;
    }
    buffer = llvm::MemoryBuffer::getMemBuffer(module->text, path);
  } else {
    // A pipe or a device would block.
    llvm::sys::fs::file_status status;
    std::error_code error = llvm::sys::fs::status(path, status);
    if (!error && !llvm::sys::fs::is_regular_file(status)) {
      reportMissing(use, path, "not a regular file");
      return nullptr;
    }
    auto read = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
    if (!read) {
      reportMissing(use, path, read.getError().message());
      return nullptr;
    }
    buffer = std::move(*read);
  }
  unsigned number = sourceMgr.AddNewSourceBuffer(std::move(buffer), SMLoc());
  return sourceMgr.getMemoryBuffer(number);
}

/// Returns the paths that a `use` could have in place of `use.path`.
static SmallVector<std::string> findOtherPaths(const UseDecl &use,
                                               StringRef path) {
  SmallVector<std::string> found;
  if (isStandardPath(use.path)) {
    for (const StandardModule &module : getStandardModules())
      found.push_back(module.path.str());
    return found;
  }
  StringRef folder = path::parent_path(path);
  std::error_code error;
  for (llvm::sys::fs::directory_iterator
           entry(folder.empty() ? StringRef(".") : folder, error),
       end;
       !error && entry != end && found.size() < 1000; entry.increment(error))
    if (path::extension(entry->path()) == ".tile" &&
        entry->type() == llvm::sys::fs::file_type::regular_file) {
      llvm::SmallString<128> written(path::parent_path(use.path));
      path::append(written, path::filename(entry->path()));
      found.push_back(written.str().str());
    }
  for (const StandardModule &module : getStandardModules())
    if (path::filename(module.path) == use.path)
      return {module.path.str()};
  return found;
}

void ModuleLoader::reportMissing(const UseDecl &use, StringRef path,
                                 StringRef problem) {
  SmallVector<std::string> others = findOtherPaths(use, path);
  llvm::sort(others);
  auto diagnostic = diagnostics.error(use.place);
  if (isStandardPath(use.path)) {
    SmallVector<StringRef> names(others.begin(), others.end());
    diagnostic << "the standard library has no file `" << path << "`; "
               << suggestName(path, names, "`") << "it has "
               << joinNames(names);
    return;
  }
  diagnostic << "cannot read `" << path << "`: " << problem;
  if (others.size() == 1 && isStandardPath(others.front())) {
    diagnostic << "; the standard library has `" << others.front() << "`";
    return;
  }
  SmallVector<StringRef> names(others.begin(), others.end());
  diagnostic << askForName(use.path, names);
}

bool ModuleLoader::declare(SourceModule &module, Name name) {
  if (isBuiltinFunction(name.text)) {
    diagnostics.error(name.place)
        << "`" << name.text << "` is a built-in function; choose another name";
    return false;
  }
  auto [entry, added] = module.places.try_emplace(name.text, name.place);
  if (added)
    return true;
  auto diagnostic = diagnostics.error(name.place);
  diagnostic << "`" << name.text << "` is declared already in this file";
  diagnostic.attachNote(diagnostics.getLoc(entry->second))
      << "the other declaration is here";
  return false;
}

void ModuleLoader::declareOwn(SourceModule &module) {
  // A name that is used is declared before a kernel or fn of the same name.
  for (const UseDecl &use : module.program.uses)
    for (const Name &name : use.names)
      declare(module, name);
  for (const KernelDecl *kernel : module.program.kernels)
    declare(module, kernel->name);
  for (FnDecl *fn : module.program.fns) {
    declare(module, fn->name);
    fn->visibleFns = &module.visibleFns;
    module.ownFns[fn->name.text] = fn;
    module.visibleFns[fn->name.text] = fn;
    llvm::StringSet<> names;
    for (const Parameter &parameter : fn->parameters)
      if (!names.insert(parameter.name.text).second)
        diagnostics.error(parameter.name.place)
            << "the parameter `" << parameter.name.text << "` of `"
            << fn->name.text << "` is declared twice";
  }
}

void ModuleLoader::declareUsed(SourceModule &module, const UseDecl &use,
                               SourceModule &used) {
  for (const Name &name : use.names) {
    if (FnDecl *fn = used.ownFns.lookup(name.text)) {
      module.visibleFns.try_emplace(name.text, fn);
      continue;
    }
    auto diagnostic = diagnostics.error(name.place);
    if (auto place = used.places.find(name.text); place != used.places.end()) {
      bool isKernel =
          llvm::any_of(used.program.kernels, [&](const KernelDecl *kernel) {
            return kernel->name.text == name.text;
          });
      diagnostic << "`" << name.text << "` of `" << use.path << "` is "
                 << (isKernel ? "a kernel, and only fns are used"
                              : "of another file; use it from there");
      diagnostic.attachNote(diagnostics.getLoc(place->second))
          << (isKernel ? "the kernel is declared here"
                       : "it is used here by that file");
      continue;
    }
    SmallVector<StringRef> names(used.ownFns.keys());
    llvm::sort(names);
    diagnostic << "`" << use.path << "` has no fn `" << name.text << "`; "
               << suggestName(name.text, names, "`") << "its fns are "
               << joinNames(names);
  }
}
