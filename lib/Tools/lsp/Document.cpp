//===- Document.cpp - A source in an editor ---------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles the text and stores its diagnostics and types. A new context for
// each text keeps the memory of a long session bounded.
//
//===----------------------------------------------------------------------===//

#include "Document.h"
#include "UsedFile.h"

#include "tessera/Frontend/Frontend.h"
#include "tessera/Frontend/NameObserver.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace tessera;
using namespace tessera::tools;
using frontend::OutlineName;
using frontend::OutlineToken;
namespace protocol = llvm::lsp;

namespace {
/// Records the types of names, reported by the front end, under their keys.
class TypeCollector : public frontend::NameObserver {
public:
  TypeCollector(const frontend::Outline &outline,
                const TextPositions &positions,
                llvm::StringMap<std::vector<FoundType>> &types)
      : outline(outline), positions(positions), types(types) {}

  void declare(const frontend::ObservedName &name) final {
    const OutlineToken *token =
        outline.findTokenAt(positions.getOffset(name.line, name.column));
    if (!token || token->name == OutlineName::none || name.type.empty())
      return;
    std::vector<FoundType> &found = types[outline.getKey(token->name)];
    FoundType type{name.type, name.dimensions};
    if (!llvm::is_contained(found, type))
      found.push_back(std::move(type));
  }

private:
  const frontend::Outline &outline;
  const TextPositions &positions;
  llvm::StringMap<std::vector<FoundType>> &types;
};
} // namespace

/// Returns the innermost location in the file.
static FileLineColLoc findPlace(Location location) {
  FileLineColLoc place;
  location->walk([&](Location inner) {
    if (auto found = dyn_cast<FileLineColLoc>(inner)) {
      place = found;
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return place;
}

Document::Document(std::string uri, const Defines &defines)
    : uri(std::move(uri)), path(getFilePath(this->uri)), defines(defines) {}

bool Document::refresh() {
  if (llvm::none_of(outline->getNames(), [](const OutlineName &name) {
        return name.kind == OutlineName::Kind::UsedFn;
      }))
    return false;
  update(std::string(text), version);
  return true;
}

void Document::update(std::string newText, int64_t newVersion) {
  text = std::move(newText);
  version = newVersion;
  positions = std::make_unique<TextPositions>(text);
  outline = std::make_unique<frontend::Outline>(text);
  diagnostics.clear();
  compile();
  addIncompleteKernels();
}

void Document::compile() {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  auto isHere = [&](FileLineColLoc place) {
    return !place || place.getFilename().getValue() == path;
  };
  auto find = [&](const mlir::Diagnostic &diagnostic) {
    FoundDiagnostic found{
        protocol::DiagnosticSeverity::Error, 0, 0, diagnostic.str(), {}};
    FileLineColLoc place = findPlace(diagnostic.getLocation());
    // A message in a file that this one uses is at the `use` or the call.
    if (place && !isHere(place)) {
      found.message =
          (place.getFilename().getValue() + ":" + llvm::Twine(place.getLine()) +
           ":" + llvm::Twine(place.getColumn()) + ": " + found.message)
              .str();
      for (const mlir::Diagnostic &note : diagnostic.getNotes())
        if (FileLineColLoc user = findPlace(note.getLocation());
            user && isHere(user))
          place = user;
    }
    if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Warning)
      found.severity = protocol::DiagnosticSeverity::Warning;
    else if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Remark)
      found.severity = protocol::DiagnosticSeverity::Information;
    if (place && isHere(place))
      found.begin = positions->getOffset(place.getLine(), place.getColumn());
    const OutlineToken *token = outline->findTokenAt(found.begin);
    found.end = token ? token->getEnd() : found.begin + 1;
    return found;
  };
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        FoundDiagnostic found = find(diagnostic);
        for (const mlir::Diagnostic &note : diagnostic.getNotes())
          if (isHere(findPlace(note.getLocation())))
            found.notes.push_back(find(note));
        // An error in a fn is reported in each of its calls, and kept once.
        if (llvm::none_of(diagnostics, [&](const FoundDiagnostic &other) {
              return other.begin == found.begin &&
                     other.message == found.message;
            }))
          diagnostics.push_back(std::move(found));
        return success();
      });
  llvm::StringMap<std::vector<FoundType>> found;
  TypeCollector collector(*outline, *positions, found);
  frontend::CompileOptions options;
  options.skipIncomplete = true;
  options.needsKernel = false;
  options.observer = &collector;
  for (const auto &define : defines)
    if (llvm::any_of(outline->getNames(), [&](const OutlineName &name) {
          return name.kind == OutlineName::Kind::CompileTimeParameter &&
                 name.name == define.first;
        }))
      options.defines.push_back(define);
  llvm::SourceMgr sourceMgr;
  sourceMgr.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text, path),
                               llvm::SMLoc());
  frontend::compileTile(sourceMgr, &context, options);
  // If no type was found, the text is incomplete, and the previous types stay.
  if (found.empty())
    return;
  for (size_t i = 0; i < outline->getNames().size(); ++i) {
    std::string key = outline->getKey(i);
    auto before = types.find(key);
    if (before != types.end())
      found.try_emplace(key, std::move(before->second));
  }
  types = std::move(found);
}

void Document::addIncompleteKernels() {
  for (const OutlineName &name : outline->getNames()) {
    bool hasValue =
        name.hasValue ||
        llvm::is_contained(llvm::make_first_range(defines), name.name);
    if (name.kind != OutlineName::Kind::CompileTimeParameter || hasValue)
      continue;
    diagnostics.push_back(
        {protocol::DiagnosticSeverity::Information,
         name.offset,
         name.offset + name.name.size(),
         ("`" + name.name +
          "` has no default, so the body of this kernel is not checked here; "
          "the setting `tile.defines` gives values")
             .str(),
         {}});
  }
}

llvm::json::Value
Document::getDiagnosticJSON(const FoundDiagnostic &found) const {
  llvm::json::Array notes;
  for (const FoundDiagnostic &note : found.notes)
    notes.push_back(llvm::json::Object{
        {"location", getLocation(positions->getRange(note.begin, note.end))},
        {"message", note.message}});
  llvm::json::Object json{
      {"range", toJSON(positions->getRange(found.begin, found.end))},
      {"severity", static_cast<int>(found.severity)},
      {"source", "tile"},
      {"message", found.message}};
  if (!notes.empty())
    json["relatedInformation"] = std::move(notes);
  return json;
}

llvm::json::Value Document::getDiagnostics() const {
  llvm::json::Array list;
  for (const FoundDiagnostic &found : diagnostics)
    list.push_back(getDiagnosticJSON(found));
  return llvm::json::Object{
      {"uri", uri}, {"version", version}, {"diagnostics", std::move(list)}};
}

llvm::ArrayRef<FoundType> Document::getTypes(size_t name) const {
  auto found = types.find(outline->getKey(name));
  if (found == types.end())
    return {};
  return found->second;
}

const OutlineToken *Document::findName(protocol::Position position) const {
  const OutlineToken *token =
      outline->findToken(positions->getOffset(position));
  return token && token->name != OutlineName::none ? token : nullptr;
}
