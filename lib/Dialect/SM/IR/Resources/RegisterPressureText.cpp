//===- RegisterPressureText.cpp - Registers of tiles, in words --*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/SM/IR/RegisterPressureText.h"
#include "tessera/Dialect/Tile/IR/SourceType.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace tessera;
using namespace tessera::sm;

/// Values that are named one by one; the rest are told by their sum.
static constexpr size_t kNamed = 4;

std::string sm::describeShape(RankedTensorType tile) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(tile.getShape(), os, "x");
  os << " " << tile::printType(tile.getElementType());
  return text;
}

std::string sm::describePlace(Location location) {
  auto loc = location->findInstanceOf<FileLineColLoc>();
  if (!loc)
    return "";
  return llvm::formatv("{0}:{1}:{2}",
                       llvm::sys::path::filename(loc.getFilename().getValue()),
                       loc.getLine(), loc.getColumn());
}

std::string sm::describeHeld(const RegisterPressure &pressure) {
  std::string text;
  int64_t others = pressure.getNeed();
  for (auto [index, value] : llvm::enumerate(pressure.getHeld())) {
    int64_t registers = getValueRegisters(value);
    if (index >= kNamed)
      break;
    others -= registers;
    Type type = value.getType();
    if (auto pending = dyn_cast<PendingType>(type))
      type = pending.getTensor();
    text += llvm::formatv("{0} for {1}", registers,
                          describeShape(cast<RankedTensorType>(type)));
    if (std::string place = describePlace(value.getLoc()); !place.empty())
      text += " of " + place;
    text += ", ";
  }
  return text + llvm::formatv("{0} for all else", others).str();
}

std::string sm::describeNeed(Operation *scope) {
  RegisterPressure pressure(scope);
  Operation *peak = pressure.getPeak();
  if (!peak)
    return "";
  std::string text = llvm::formatv("about {0} of {1}", pressure.getNeed(),
                                   getRegisterBudget(scope));
  if (auto role = dyn_cast<RoleOp>(scope))
    text = llvm::formatv("'{0}': {1}", role.getName(), text);
  if (std::string place = describePlace(peak->getLoc()); !place.empty())
    text += ", at " + place;
  return text + ": " + describeHeld(pressure);
}
