//===- HtmlPage.h - The page of a compilation -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `tilec --html`: the inputs, results and messages of a compilation, as JSON in
// a page whose script displays them. The page is self-contained.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_COMPILE_HTML_HTMLPAGE_H
#define TESSERA_LIB_TOOLS_COMPILE_HTML_HTMLPAGE_H

#include "LayoutTable.h"
#include "Listing.h"
#include "MessageLog.h"
#include "SharedMemoryMap.h"

#include "tessera/Pipelines/Phases.h"
#include "tessera/Tools/verify/SmallRun.h"

#include "llvm/Support/SourceMgr.h"

#include <list>

namespace tessera::tools {

class HtmlPage {
public:
  struct Options {
    /// The last phase that the page shows.
    const Phase *last;
    /// Whether remarks appear only in the page.
    bool hidesRemarks;
    /// Options of the simulation: values of `--verify-arg`, and
    /// `--verify-seed`.
    ArrayRef<std::string> arguments;
    uint64_t seed;
  };

  /// Records the messages in `context` from now on.
  HtmlPage(const llvm::SourceMgr &sourceMgr, MLIRContext *context,
           const Options &options);

  void addPhase(ModuleOp module, const Phase &phase);
  void addPTX(StringRef text);
  /// Adds the predicted timeline of a kernel for `sizes`, texts NAME=SIZE.
  void addTimeline(sm::KernelOp kernel, ArrayRef<std::string> sizes,
                   sim::Trace trace);
  void setReport(llvm::json::Value value) { report = std::move(value); }

  void write(raw_ostream &os) const;

private:
  struct Section {
    StringRef name, summary, level;
    Listing listing;
  };

  /// A predicted timeline.
  struct Timed {
    std::string kernel;
    std::vector<std::string> sizes;
    sim::Trace trace;
  };

  void write(llvm::json::OStream &json) const;

  const Phase *last;
  std::string file, source;
  PlaceTable places;
  MessageLog messages;
  std::list<Section> sections;
  LayoutTable layouts;
  SmallRuns runs;
  std::vector<Timed> clock;
  /// Memory maps of the last phase with addresses.
  std::vector<SharedMemoryMap> memory;
  StringRef memoryPhase;
  std::optional<llvm::json::Value> report;
};

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_COMPILE_HTML_HTMLPAGE_H
