//===- FindingPrinter.cpp - Defects with their locations --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FindingPrinter.h"

#include "tessera/Tools/DiagnosticExcerpt.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace tessera;
using namespace tessera::tools;
using llvm::SMDiagnostic;
using llvm::SMLoc;
using llvm::SourceMgr;
using llvm::StringRef;
using llvm::Twine;

FindingPrinter::FindingPrinter(llvm::raw_ostream &os) : os(os) {
  printExcerpts(sources, os);
}

void FindingPrinter::addSource(StringRef file, StringRef text) {
  bySource[file] = sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(text, file), SMLoc());
}

unsigned FindingPrinter::findSource(StringRef file) {
  auto [it, isNew] = bySource.try_emplace(file, 0);
  if (!isNew)
    return it->second;
  if (auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/true))
    it->second = sources.AddNewSourceBuffer(std::move(*buffer), SMLoc());
  return it->second;
}

unsigned FindingPrinter::addText(const emu::LaunchReport &report) {
  auto [it, isNew] = byText.try_emplace(report.text, 0);
  if (isNew)
    it->second = sources.AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBufferCopy(report.text, report.name),
        SMLoc());
  return it->second;
}

void FindingPrinter::printAt(unsigned buffer, StringRef file, unsigned line,
                             unsigned column, Kind kind, StringRef text) {
  column = std::max(column, 1u);
  SMLoc place =
      buffer ? sources.FindLocForLineAndColumn(buffer, line, column) : SMLoc();
  if (place.isValid()) {
    sources.PrintMessage(place, kind, text);
    return;
  }
  // The line does not exist, or the file cannot be read.
  std::string where = (file + ":" + Twine(line) + ":" + Twine(column)).str();
  sources.PrintMessage(os,
                       SMDiagnostic(sources, SMLoc(), where, -1, -1, kind, text,
                                    /*LineStr=*/"", /*Ranges=*/{}));
}

void FindingPrinter::print(const emu::LaunchReport &report,
                           const emu::Location &where, Kind kind,
                           StringRef text) {
  StringRef source = emu::getSourceFile(where, report.module);
  bool isKnown = !source.empty();
  if (isKnown) {
    printAt(findSource(source), source, where.sourceLine, where.sourceColumn,
            kind, text);
    // A source line becomes many instructions, so notes are printed only at
    // their source.
    if (kind != SourceMgr::DK_Error)
      return;
  }
  printAt(addText(report), report.name, where.line, where.column,
          isKnown ? SourceMgr::DK_Note : kind,
          isKnown ? "at this instruction" : text);
}

/// Returns the contents of the buffers with a byte of shared memory. Comments
/// at the end of PTX describe them, see EmitPTX.cpp.
static std::vector<StringRef> findBuffers(StringRef ptx, StringRef kernel,
                                          uint64_t byte) {
  std::vector<StringRef> found;
  for (StringRef line : llvm::split(ptx, '\n')) {
    uint64_t first, last;
    if (line.consume_front("// shared memory of ") &&
        line.consume_front(kernel) && line.consume_front(": bytes ") &&
        !line.consumeInteger(10, first) && line.consume_front(" to ") &&
        !line.consumeInteger(10, last) && line.consume_front(": ") &&
        first <= byte && byte <= last)
      found.push_back(line);
  }
  return found;
}

void FindingPrinter::print(const emu::LaunchReport &report) {
  for (const emu::Finding &finding : report.findings) {
    print(report, finding.where, SourceMgr::DK_Error, finding.text);
    if (finding.sharedByte)
      for (StringRef contents :
           findBuffers(report.text, report.kernel.name, *finding.sharedByte))
        print(report, finding.where, SourceMgr::DK_Note,
              ("byte " + Twine(*finding.sharedByte) + " is in " + contents)
                  .str());
    for (const emu::Finding::Note &note : finding.notes)
      print(report, note.where, SourceMgr::DK_Note, note.text);
  }
}
