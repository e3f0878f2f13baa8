//===- HtmlPage.cpp - The page of a compilation -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collects listings, messages, layouts, traces and memory maps of a
// compilation, and writes them as JSON into a template.
//
//===----------------------------------------------------------------------===//

#include "HtmlPage.h"

#include "llvm/Support/MemoryBuffer.h"

using namespace tessera;
using namespace tessera::tools;

// kPageHtml, kPageCss and kPageJs, which the build generates from the files in
// this folder.
#include "HtmlTemplate.inc"

static const llvm::MemoryBuffer *getInput(const llvm::SourceMgr &sourceMgr) {
  return sourceMgr.getMemoryBuffer(sourceMgr.getMainFileID());
}

HtmlPage::HtmlPage(const llvm::SourceMgr &sourceMgr, MLIRContext *context,
                   const Options &options)
    : last(options.last), file(getInput(sourceMgr)->getBufferIdentifier()),
      source(getInput(sourceMgr)->getBuffer()),
      messages(context, places, options.hidesRemarks),
      runs(options.arguments, options.seed) {}

void HtmlPage::addTimeline(sm::KernelOp kernel, ArrayRef<std::string> sizes,
                           sim::Trace trace) {
  clock.push_back({kernel.getSymName().str(), sizes.vec(), std::move(trace)});
}

static StringRef getName(Level level) {
  switch (level) {
  case Level::Tile:
    return "tile";
  case Level::SM:
    return "sm";
  case Level::LLVM:
    return "llvm";
  }
  llvm_unreachable("unknown level");
}

void HtmlPage::addPhase(ModuleOp module, const Phase &phase) {
  messages.endPhase();
  Section &section = sections.emplace_back(
      Section{phase.name, phase.summary, getName(phase.level),
              Listing::ofModule(module, places)});
  if (phase.level == Level::LLVM)
    return;
  layouts.read(module);
  runs.readSignatures(module);
  // The module after the last pass of the level is simulated.
  if (phase.level == Level::SM &&
      (&phase == last || (&phase + 1)->level != Level::SM))
    runs.simulate(module);
  std::vector<SharedMemoryMap> maps;
  for (auto kernel : module.getOps<sm::KernelOp>())
    if (kernel.getSharedMemory())
      maps.emplace_back(kernel, section.listing, places);
  if (maps.empty())
    return;
  memory = std::move(maps);
  memoryPhase = phase.name;
}

void HtmlPage::addPTX(StringRef text) {
  sections.emplace_back(
      Section{"ptx", "PTX", "ptx", Listing::ofPTX(text, places)});
}

void HtmlPage::write(llvm::json::OStream &json) const {
  json.object([&] {
    json.attribute("file", llvm::json::fixUTF8(file));
    json.attribute("source", llvm::json::fixUTF8(source));
    places.write(json);
    json.attributeArray("phases", [&] {
      for (const Section &section : sections)
        json.object([&] {
          json.attribute("name", section.name);
          json.attribute("summary", section.summary);
          json.attribute("level", section.level);
          section.listing.write(json);
        });
    });
    json.attributeBegin("messages");
    messages.write(json);
    json.attributeEnd();
    json.attributeBegin("layouts");
    layouts.write(json);
    json.attributeEnd();
    json.attribute("memoryPhase", memoryPhase);
    json.attributeArray("memory", [&] {
      for (const SharedMemoryMap &map : memory)
        map.write(json);
    });
    json.attributeBegin("runs");
    runs.write(json);
    json.attributeEnd();
    json.attributeArray("clock", [&] {
      for (const Timed &timed : clock)
        json.object([&] {
          json.attribute("kernel", llvm::json::fixUTF8(timed.kernel));
          json.attributeArray("arguments", [&] {
            for (const std::string &size : timed.sizes)
              json.value(llvm::json::fixUTF8(size));
          });
          json.attributeBegin("trace");
          json.rawValue([&](raw_ostream &os) { timed.trace.print(os); });
          json.attributeEnd();
        });
    });
    if (report)
      json.attribute("report", *report);
  });
}

/// Escapes `<` in JSON, where it occurs only in strings, so that no text ends
/// the element of the page.
static std::string escape(StringRef json) {
  std::string text;
  text.reserve(json.size());
  for (char c : json)
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  return text;
}

static std::string escapeText(StringRef text) {
  std::string escaped;
  for (char c : llvm::json::fixUTF8(text))
    if (c == '<')
      escaped += "&lt;";
    else if (c == '&')
      escaped += "&amp;";
    else
      escaped += c;
  return escaped;
}

void HtmlPage::write(raw_ostream &os) const {
  std::string data;
  {
    llvm::raw_string_ostream stream(data);
    llvm::json::OStream json(stream);
    write(json);
  }
  // Each mark of the template occurs once and is replaced by its part.
  StringRef rest = kPageHtml;
  auto put = [&](StringRef mark, StringRef part) {
    auto [before, after] = rest.split(mark);
    os << before << part;
    rest = after;
  };
  put("@TITLE@", escapeText(file));
  put("@STYLE@", kPageCss);
  put("@DATA@", escape(data));
  put("@SCRIPT@", kPageJs);
  os << rest;
}
