//===- Edits.cpp - Changes for an editor ------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Formatting, quick fixes, and inlay hints of types.
//
//===----------------------------------------------------------------------===//

#include "Document.h"

#include "tessera/Frontend/Format.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace tessera;
using namespace tessera::tools;
using frontend::OutlineName;
using frontend::OutlineToken;
namespace protocol = llvm::lsp;

llvm::json::Value Document::getInlayHints(protocol::Range range) const {
  llvm::json::Array hints;
  for (auto [number, name] : llvm::enumerate(outline->getNames())) {
    if (name.kind != OutlineName::Kind::Let &&
        name.kind != OutlineName::Kind::Var)
      continue;
    protocol::Position end = getNameRange(name).end;
    llvm::ArrayRef<FoundType> found = getTypes(number);
    if (found.empty() || end < range.start || range.end < end)
      continue;
    // A fn has different types in each call.
    protocol::InlayHint hint(protocol::InlayHintKind::Type, end);
    hint.label = ": " + found.front().type + (found.size() > 1 ? ", …" : "");
    hints.push_back(toJSON(hint));
  }
  return hints;
}

llvm::json::Value Document::getFormatting() const {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  // The errors of a text that cannot be parsed are already displayed.
  mlir::ScopedDiagnosticHandler silence(
      &context, [](mlir::Diagnostic &) { return success(); });
  llvm::SourceMgr sourceMgr;
  sourceMgr.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text, uri),
                               llvm::SMLoc());
  std::optional<std::string> formatted =
      frontend::formatTile(sourceMgr, &context);
  llvm::json::Array edits;
  if (!formatted || *formatted == text)
    return edits;
  // Only lines that differ are replaced, so that markers in other lines stay.
  size_t begin = 0, end = 0;
  size_t shared = std::min(text.size(), formatted->size());
  while (begin < shared && text[begin] == (*formatted)[begin])
    ++begin;
  begin = StringRef(text).take_front(begin).rfind('\n') + 1;
  while (end < shared - begin && text[text.size() - end - 1] ==
                                     (*formatted)[formatted->size() - end - 1])
    ++end;
  while (end != 0 && text[text.size() - end - 1] != '\n')
    --end;
  protocol::TextEdit edit{
      positions->getRange(begin, text.size() - end),
      formatted->substr(begin, formatted->size() - end - begin)};
  edits.push_back(toJSON(edit));
  return edits;
}

/// Returns the name that a message proposes; empty if there is none.
static StringRef findProposal(StringRef message) {
  auto [before, after] = message.split("did you mean `");
  return after.split('`').first;
}

std::vector<protocol::Range>
Document::findUses(const FoundDiagnostic &found) const {
  std::vector<protocol::Range> uses{
      positions->getRange(found.begin, found.end)};
  const OutlineToken *first = outline->findTokenAt(found.begin);
  auto owner = llvm::find_if(outline->getNames(), [&](const OutlineName &name) {
    return name.owner == OutlineName::none && name.begin <= found.begin &&
           found.begin < name.end;
  });
  StringRef message = found.message;
  bool isUnknown = message.starts_with("unknown name") ||
                   message.starts_with("unknown type");
  if (!isUnknown || !first || first->name != OutlineName::none ||
      owner == outline->getNames().end())
    return uses;
  for (const OutlineToken &token : outline->getTokens())
    if (token.offset > found.begin && token.offset < owner->end &&
        token.kind == first->kind && token.name == OutlineName::none &&
        outline->getText(token) == outline->getText(*first))
      uses.push_back(getRange(token));
  return uses;
}

llvm::json::Value Document::getActions(protocol::Range range) const {
  llvm::json::Array actions;
  for (const FoundDiagnostic &found : diagnostics) {
    StringRef proposal = findProposal(found.message);
    protocol::Range place = positions->getRange(found.begin, found.end);
    if (proposal.empty() || place.end < range.start || range.end < place.start)
      continue;
    // Only the first use of an unknown name is reported; all uses change.
    llvm::json::Array edits;
    for (protocol::Range use : findUses(found))
      edits.push_back(toJSON(protocol::TextEdit{use, proposal.str()}));
    actions.push_back(llvm::json::Object{
        {"title", ("Change to `" + proposal + "`").str()},
        {"kind", "quickfix"},
        {"isPreferred", true},
        {"diagnostics", llvm::json::Array{getDiagnosticJSON(found)}},
        {"edit",
         llvm::json::Object{
             {"changes", llvm::json::Object{{uri, std::move(edits)}}}}},
    });
  }
  return actions;
}
