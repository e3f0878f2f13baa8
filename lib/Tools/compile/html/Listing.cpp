//===- Listing.cpp - Text with source locations -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Associates lines with source locations. The printer of MLIR reports the line
// of each op, and `.loc` directives give those of PTX.
//
//===----------------------------------------------------------------------===//

#include "Listing.h"

#include "mlir/IR/AsmState.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

using namespace tessera;
using namespace tessera::tools;

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

unsigned PlaceTable::getNumber(Place place) {
  auto [known, isNew] = numbers.try_emplace(place, places.size());
  if (isNew)
    places.push_back(std::move(place));
  return known->second;
}

SmallVector<unsigned> PlaceTable::getNumbers(Location loc) {
  llvm::SmallSetVector<unsigned, 2> found;
  loc->walk([&](Location part) {
    if (auto place = dyn_cast<FileLineColLoc>(part))
      found.insert(getNumber(
          {place.getFilename().str(), place.getLine(), place.getColumn()}));
    return WalkResult::advance();
  });
  return found.takeVector();
}

void PlaceTable::write(llvm::json::OStream &json) const {
  llvm::MapVector<StringRef, unsigned> files;
  for (const Place &place : places)
    files.try_emplace(place.file, files.size());
  json.attributeArray("files", [&] {
    for (const auto &[file, number] : files)
      json.value(llvm::json::fixUTF8(file));
  });
  json.attributeArray("places", [&] {
    for (const Place &place : places)
      json.array([&] {
        json.value(files.lookup(place.file));
        json.value(place.line);
        json.value(place.column);
      });
  });
}

//===----------------------------------------------------------------------===//
// Listings
//===----------------------------------------------------------------------===//

Listing Listing::ofModule(ModuleOp module, PlaceTable &places) {
  Listing listing;
  AsmState::LocationMap printed;
  {
    AsmState state(module, OpPrintingFlags(), &printed);
    llvm::raw_string_ostream os(listing.text);
    module->print(os, state);
  }
  listing.origins.resize(StringRef(listing.text).count('\n') + 1);
  // An op ends below the last op that is printed within it.
  module->walk<WalkOrder::PostOrder>([&](Operation *op) {
    auto where = printed.find(op);
    if (where == printed.end() || where->second.first > listing.origins.size())
      return;
    unsigned first = where->second.first;
    unsigned last = first;
    for (Region &region : op->getRegions())
      for (Operation &nested : region.getOps())
        last = std::max(last, listing.getLines(&nested).second + 1);
    listing.lines[op] = {first, last};
    // The location of the module is the start of the file.
    if (op == module)
      return;
    auto &origins = listing.origins[first - 1];
    for (unsigned place : places.getNumbers(op))
      if (!llvm::is_contained(origins, place))
        origins.push_back(place);
  });
  return listing;
}

/// Removes the next word from `text`, and returns it.
static StringRef takeWord(StringRef &text) {
  text = text.ltrim(" \t,");
  StringRef word = text.take_until([](char c) { return c == ' ' || c == ','; });
  text = text.drop_front(word.size());
  return word;
}

/// Parses "FILE LINE COLUMN" of `.loc`, where files have numbers.
static std::optional<unsigned>
readPlace(StringRef &text, const llvm::StringMap<std::string> &files,
          PlaceTable &places) {
  auto file = files.find(takeWord(text));
  PlaceTable::Place place;
  bool isBad = takeWord(text).getAsInteger(10, place.line) ||
               takeWord(text).getAsInteger(10, place.column);
  if (isBad || file == files.end() || place.line == 0)
    return std::nullopt;
  place.file = file->second;
  return places.getNumber(std::move(place));
}

Listing Listing::ofPTX(StringRef text, PlaceTable &places) {
  // The table of files is at the end.
  llvm::StringMap<std::string> files;
  SmallVector<StringRef> lines;
  text.rtrim('\n').split(lines, '\n');
  for (StringRef line : lines) {
    StringRef rest = line.trim();
    if (!rest.consume_front(".file"))
      continue;
    StringRef number = takeWord(rest);
    files[number] = rest.trim().trim('"').str();
  }
  Listing listing;
  SmallVector<unsigned, 1> here;
  bool isDebugSection = false;
  for (StringRef line : lines) {
    StringRef rest = line.trim();
    if (rest.consume_front(".loc")) {
      here.clear();
      if (std::optional<unsigned> place = readPlace(rest, files, places))
        here.push_back(*place);
      // Inlined code also belongs to the call.
      if (size_t at = rest.find("inlined_at"); at != StringRef::npos) {
        rest = rest.drop_front(at + StringRef("inlined_at").size());
        if (std::optional<unsigned> place = readPlace(rest, files, places))
          here.push_back(*place);
      }
      continue;
    }
    if (rest.starts_with(".section"))
      isDebugSection = true;
    if (isDebugSection || rest.starts_with(".file")) {
      isDebugSection &= rest != "}";
      continue;
    }
    // Labels of line tables are omitted.
    if (rest.starts_with("$L__tmp") || rest.starts_with("$L__func"))
      continue;
    if (rest.starts_with(".entry") || rest.starts_with(".visible") ||
        rest.starts_with(".func"))
      here.clear();
    bool isCode = rest.ends_with(";") && !rest.starts_with(".");
    if (!listing.text.empty())
      listing.text += '\n';
    listing.text += line;
    listing.origins.push_back(isCode ? here : SmallVector<unsigned, 1>());
  }
  return listing;
}

void Listing::write(llvm::json::OStream &json) const {
  json.attribute("text", llvm::json::fixUTF8(text));
  json.attributeArray("lines", [&] {
    for (const auto &places : origins)
      if (places.empty())
        json.value(-1);
      else if (places.size() == 1)
        json.value(places.front());
      else
        json.array([&] {
          for (unsigned place : places)
            json.value(place);
        });
  });
}
