//===- KernelInput.cpp - Kernels read from a file ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Tools/KernelInput.h"

#include "tessera/Array/FloatText.h"
#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Support/NearestName.h"
#include "tessera/Tools/DiagnosticExcerpt.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace tessera;
using namespace tessera::tools;

/// Returns the kind of a file that is no text, or an empty text. A file with
/// the name of a source is one: the parser reports its control characters.
static StringRef nameBinary(StringRef filename, StringRef contents) {
  constexpr size_t kBegin = 1024, kFew = 8, kShare = 16;
  if (contents.starts_with("\x93NUMPY"))
    return "an array";
  if (contents.starts_with("TESSERAK"))
    return "a kernel package";
  if (filename.ends_with(".tile") || filename.ends_with(".mlir"))
    return "";
  StringRef begin = contents.take_front(kBegin);
  size_t controls = llvm::count_if(begin, [](char c) {
    return static_cast<unsigned char>(c) < ' ' && !llvm::isSpace(c);
  });
  bool isBinary = begin.contains('\0') && controls >= kFew &&
                  controls * kShare > begin.size();
  return isBinary ? "a binary file" : "";
}

llvm::Error tools::openInput(StringRef filename, llvm::SourceMgr &sourceMgr) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(filename, /*IsText=*/true);
  if (!buffer)
    return llvm::createStringError(buffer.getError(), "cannot open '%s': %s",
                                   filename.str().c_str(),
                                   buffer.getError().message().c_str());
  if (StringRef kind = nameBinary(filename, (*buffer)->getBuffer());
      !kind.empty())
    return llvm::createStringError("'" + filename + "' is " + kind +
                                   ", not a source; expected FILE.tile");
  sourceMgr.AddNewSourceBuffer(std::move(*buffer), SMLoc());
  printExcerpts(sourceMgr);
  return llvm::Error::success();
}

/// Erases all kernels of `module` except the variants of `name`.
static LogicalResult keepKernel(ModuleOp module, StringRef name, Location loc) {
  SmallVector<StringRef> known;
  SmallVector<Operation *> others;
  auto add = [&](Operation *kernel, StringRef itsName) {
    known.push_back(itsName);
    if (itsName != name)
      others.push_back(kernel);
  };
  for (auto kernel : module.getOps<tile::KernelOp>())
    add(kernel, kernel.getSymName());
  for (auto kernel : module.getOps<sm::KernelOp>())
    add(kernel, sm::getSourceName(kernel));
  if (others.size() == known.size())
    return emitError(loc) << "there is no kernel '" << name << "'; "
                          << suggestName(name, known) << "the file has "
                          << (known.empty() ? "no kernels"
                                            : llvm::join(known, ", "));
  for (Operation *kernel : others)
    kernel->erase();
  return success();
}

OwningOpRef<ModuleOp>
tools::readKernels(llvm::SourceMgr &sourceMgr, MLIRContext *context,
                   const frontend::CompileOptions &options) {
  const llvm::MemoryBuffer *buffer =
      sourceMgr.getMemoryBuffer(sourceMgr.getMainFileID());
  StringRef filename = buffer->getBufferIdentifier();
  if (!filename.ends_with(".mlir"))
    return frontend::compileTile(sourceMgr, context, options);

  Location fileLoc = FileLineColLoc::get(context, filename, 1, 1);
  if (!options.defines.empty()) {
    emitError(fileLoc)
        << "'" << options.defines.front().first
        << "' cannot be set: compile-time parameters are gone from .mlir "
           "files; set them when compiling the .tile file";
    return nullptr;
  }
  if (std::optional<size_t> offset =
          array::findLongFloat(buffer->getBuffer())) {
    auto [line, column] = sourceMgr.getLineAndColumn(
        SMLoc::getFromPointer(buffer->getBufferStart() + *offset));
    emitError(FileLineColLoc::get(context, filename, line, column))
        << array::kLongFloatError;
    return nullptr;
  }
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sourceMgr, context);
  if (module && !options.kernel.empty() &&
      failed(keepKernel(*module, options.kernel, fileLoc)))
    return nullptr;
  return module;
}

llvm::Expected<frontend::CompileOptions>
tools::parseCompileOptions(StringRef kernel, ArrayRef<std::string> defines) {
  frontend::CompileOptions options;
  options.kernel = kernel.str();
  for (StringRef define : defines) {
    auto [name, value] = define.split('=');
    if (name.empty() || name.size() == define.size())
      return llvm::createStringError("expected -D NAME=VALUE, got '-D %s'",
                                     define.str().c_str());
    name = name.trim();
    value = value.trim();
    for (const auto &[other, given] : options.defines)
      if (other == name && given != value)
        return llvm::createStringError("-D " + name + " is given twice, as '" +
                                       given + "' and as '" + value + "'");
    options.defines.emplace_back(name.str(), value.str());
  }
  return options;
}
