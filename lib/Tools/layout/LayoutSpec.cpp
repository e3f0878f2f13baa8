//===- LayoutSpec.cpp - Layouts on a command line ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayoutSpec.h"

#include "tessera/Layout/RegisterTile.h"
#include "tessera/Layout/SharedTile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tessera;
using namespace tessera::tools;
using layout::Layout;
using llvm::createStringError;
using llvm::StringRef;

int64_t tools::getElementBytes(StringRef type) {
  return llvm::StringSwitch<int64_t>(type)
      .Cases({"f8e4m3", "f8e5m2", "i8"}, 1)
      .Cases({"bf16", "f16"}, 2)
      .Cases({"f32", "tf32", "i32"}, 4)
      .Case("f64", 8)
      .Default(0);
}

namespace {
/// Parses the words after the name of a constructor.
struct Words {
  llvm::SmallVector<StringRef> words;
  layout::Point shape;
  int64_t elementBytes = 0;

  /// Reads `64x176` or, with an element type, `64x176xbf16`.
  llvm::Error parseTile(bool typed) {
    StringRef text = words.size() > 1 ? words[1] : "";
    StringRef rest = text;
    int64_t extent;
    while (!rest.empty() && llvm::isDigit(rest.front()) &&
           !rest.consumeInteger(10, extent)) {
      shape.push_back(extent);
      if (!rest.consume_front("x"))
        break;
    }
    elementBytes = getElementBytes(rest);
    bool isTyped = elementBytes != 0;
    if (shape.empty() || isTyped != typed || (!typed && !rest.empty()) ||
        (!typed && text.ends_with("x")))
      return createStringError(words[0] + ": expected a tile such as " +
                               (typed ? "64x176xbf16" : "64x176") + ", got '" +
                               text + "'");
    return llvm::Error::success();
  }

  llvm::Error checkMatrix() {
    if (shape.size() == 2)
      return llvm::Error::success();
    return createStringError(words[0] + ": expected a matrix, got a tile of " +
                             layout::formatPoint(shape));
  }

  /// Parses the optional number after the tile.
  llvm::Expected<int64_t> parseCount(StringRef what, int64_t fallback) {
    int64_t count = fallback;
    if (words.size() > 3 ||
        (words.size() == 3 && (words[2].getAsInteger(10, count) || count < 1)))
      return createStringError(words[0] + ": expected a number of " + what +
                               " after the tile, got '" + words.back() + "'");
    return count;
  }
};
} // namespace

static llvm::Expected<Layout> build(Words &words) {
  StringRef name = words.words[0];
  bool typed = name != "wgmma-acc";
  if (llvm::Error error = words.parseTile(typed))
    return std::move(error);
  if (name == "swizzle") {
    auto swizzle = words.words.size() == 3
                       ? layout::parseSwizzle(words.words[2])
                       : std::nullopt;
    if (!swizzle)
      return createStringError(
          "swizzle: expected 128B, 64B, 32B or none after the tile");
    return layout::getSharedTile(words.shape, words.elementBytes, *swizzle);
  }
  bool isBlocked = name == "blocked";
  llvm::Expected<int64_t> count =
      words.parseCount(isBlocked ? "warps" : "warpgroups", isBlocked ? 4 : 1);
  if (!count)
    return count.takeError();
  if (isBlocked)
    return layout::getBlocked(words.shape, 16 / words.elementBytes, *count);
  if (llvm::Error error = words.checkMatrix())
    return std::move(error);
  if (name == "wgmma-acc")
    return layout::getAccumulator(words.shape[0], words.shape[1], *count);
  return layout::getOperandA(words.shape[0], words.shape[1], words.elementBytes,
                             *count);
}

llvm::Expected<LayoutSpec> LayoutSpec::parse(StringRef text) {
  Words words;
  text.split(words.words, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  bool isNamed =
      !words.words.empty() &&
      llvm::StringSwitch<bool>(words.words[0])
          .Cases({"wgmma-acc", "wgmma-a", "blocked", "swizzle"}, true)
          .Default(false);
  if (!isNamed && !words.words.empty() && llvm::isAlpha(words.words[0].front()))
    return createStringError("unknown layout '" + words.words[0] +
                             "'; expected wgmma-acc, wgmma-a, blocked, swizzle "
                             "or the text of a layout");
  llvm::Expected<Layout> layout = isNamed ? build(words) : Layout::parse(text);
  if (!layout)
    return layout.takeError();
  return LayoutSpec{std::move(*layout), words.elementBytes};
}
