//===- UsedFile.cpp - A fn of another file ----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the file again for each request, since it may change at any time.
//
//===----------------------------------------------------------------------===//

#include "UsedFile.h"

#include "tessera/Frontend/Modules.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/LSP/Protocol.h"

using namespace tessera::tools;
using namespace tessera::frontend;
using llvm::StringRef;

std::string tessera::tools::getFilePath(StringRef uri) {
  llvm::Expected<llvm::lsp::URIForFile> file =
      llvm::lsp::URIForFile::fromURI(uri);
  if (file && uri.starts_with("file:"))
    return file->file().str();
  llvm::consumeError(file.takeError());
  return uri.str();
}

UsedFile::UsedFile(StringRef user, const OutlineName &name)
    : path(getModulePath(user, name.text)),
      isStandard(isStandardPath(name.text)) {
  if (isStandard) {
    const StandardModule *module = findStandardModule(path);
    if (!module)
      return;
    buffer = llvm::MemoryBuffer::getMemBuffer(module->text, path);
  } else {
    if (!llvm::sys::fs::is_regular_file(path))
      return;
    auto read = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
    if (!read)
      return;
    buffer = std::move(*read);
  }
  outline = std::make_unique<Outline>(buffer->getBuffer());
  for (const OutlineName &other : outline->getNames())
    if (other.kind == OutlineName::Kind::Fn && other.name == name.name)
      fn = &other;
}

std::string UsedFile::getUri() const {
  if (isStandard)
    return "";
  llvm::Expected<llvm::lsp::URIForFile> file =
      llvm::lsp::URIForFile::fromFile(path);
  if (file)
    return file->uri().str();
  llvm::consumeError(file.takeError());
  return "";
}
