//===- LayoutMain.cpp - The tile-layout tool --------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Tools/layout/LayoutMain.h"

#include "Facts.h"
#include "LayoutPicture.h"
#include "LayoutSpec.h"
#include "tessera/Array/OutputFile.h"
#include "tessera/Layout/Table.h"
#include "tessera/Tools/Help.h"
#include "tessera/Tools/Invocation.h"
#include "tessera/Tools/OptionRules.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

using namespace tessera;
using namespace tessera::tools;
namespace cl = llvm::cl;

namespace {
struct Options {
  cl::OptionCategory category{"Options"};
  cl::list<std::string> spec{
      cl::Positional, cl::OneOrMore, cl::cat(category),
      cl::desc("LAYOUT, or: wgmma-acc 64x176 [WARPGROUPS]; wgmma-a "
               "64x64xbf16 [WARPGROUPS]; blocked 64x96xbf16 [WARPS]; swizzle "
               "128x64xbf16 128B|64B|32B|none")};
  cl::opt<std::string> to{
      "to", cl::value_desc("LAYOUT"), cl::cat(category),
      cl::desc("Print the cost of a conversion of the tile to this layout")};
  cl::opt<std::string> element{"element", cl::value_desc("TYPE"),
                               cl::desc("Element type of the tile"),
                               cl::cat(category)};
  cl::opt<bool> table{
      "table", cl::desc("Print the thread and the register of each element"),
      cl::cat(category)};
  cl::opt<std::string> svg{"svg", cl::value_desc("FILE"),
                           cl::desc("Draw the same as a picture; the name - is "
                                    "standard output, without other text"),
                           cl::cat(category)};
};
} // namespace

/// Runs the tool. Returns all errors that the user should see.
static llvm::Error run(const Options &options) {
  llvm::Expected<LayoutSpec> spec =
      LayoutSpec::parse(llvm::join(options.spec, " "));
  if (!spec)
    return spec.takeError();
  if (llvm::Error error = checkOptionRules(
          {{options.svg != "-",
            {options.to, options.element, options.table},
            "prints text, and '--svg -' only a picture; draw it to a file"}}))
    return error;
  int64_t elementBytes = spec->elementBytes;
  if (!options.element.empty() &&
      !(elementBytes = getElementBytes(options.element)))
    return llvm::createStringError("unknown element type '" + options.element +
                                   "'; expected bf16, f16, f32, …");
  if (!options.svg.empty()) {
    // A browser cannot show more.
    constexpr int64_t mostElements = 1 << 16;
    if (spec->layout.getNumElements() > mostElements)
      return llvm::createStringError(
          "--svg: the tile has " + llvm::Twine(spec->layout.getNumElements()) +
          " elements, expected at most " + llvm::Twine(mostElements));
    if (llvm::Error error =
            array::writeFile(options.svg, [&](llvm::raw_ostream &os) {
              printLayoutPicture(spec->layout, os);
            }))
      return error;
    if (options.svg == "-")
      return llvm::Error::success();
  }
  printFacts(spec->layout, elementBytes, llvm::outs());
  if (!options.to.empty()) {
    llvm::Expected<LayoutSpec> to = LayoutSpec::parse(options.to);
    if (!to)
      return to.takeError();
    if (elementBytes == 0)
      elementBytes = to->elementBytes;
    if (llvm::Error error =
            printChange(spec->layout, to->layout, elementBytes, llvm::outs()))
      return error;
  }
  if (options.table)
    layout::printTable(spec->layout, llvm::outs());
  return llvm::Error::success();
}

static constexpr llvm::StringLiteral kExamples[] = {
    "tile-layout wgmma-acc 64x176",
    "tile-layout wgmma-acc 64x96 --to='wgmma-a 64x96xbf16'",
    "tile-layout swizzle 8x64xbf16 128B --table",
    "tile-layout wgmma-acc 64x64 --svg layout.svg",
};

int tools::layoutMain(int argc, char **argv) {
  llvm::InitLLVM initLLVM(argc, argv);
  Options options;
  hideOtherOptions({&options.category}, kExamples);
  if (!parseCommandLine(argc, argv, "Shows layouts of Tessera tiles\n"))
    return kUsageError;
  if (llvm::Error error = run(options))
    return reportUsageError("tile-layout", llvm::toString(std::move(error)));
  return 0;
}
