//===- SmallArguments.cpp - Arguments that are quick to run -----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SmallArguments.h"

#include "llvm/ADT/StringMap.h"

using namespace tessera;
using namespace tessera::tools;

/// Of sizes that no axis of the grid walks, and of plain axes.
static constexpr int64_t kInnerSize = 72, kPlainSize = 2;

/// A value for each name of a size.
static llvm::StringMap<int64_t> chooseSizes(const interp::KernelView &kernel) {
  llvm::StringMap<int64_t> sizes;
  for (tile::AxisAttr axis : kernel.getAxes())
    if (StringAttr symbol = axis.getSize().getSingleSymbol())
      sizes[symbol] = axis.isTiled() ? axis.getTileExtent() + 8 : kPlainSize;
  return sizes;
}

/// The text of a shape, "136,72".
static llvm::Expected<std::string>
formatShape(tile::GlobalType type, const llvm::StringMap<int64_t> &sizes) {
  std::string text;
  for (tile::SizeAttr size : type.getShape()) {
    std::optional<int64_t> extent =
        size.evaluate([&](StringRef name) -> std::optional<int64_t> {
          auto known = sizes.find(name);
          return known == sizes.end() ? kInnerSize : known->second;
        });
    if (!extent || *extent < 0)
      return array::makeError("no small value is known for the size " +
                              size.str());
    text += (text.empty() ? "" : ",") + std::to_string(*extent);
  }
  return text;
}

llvm::Expected<std::vector<std::string>>
tools::makeSmallArguments(const interp::KernelView &kernel,
                          const Signature &signature,
                          ArrayRef<std::string> given) {
  llvm::Expected<NamedTexts> known = splitNames("verify-arg", given);
  if (!known)
    return known.takeError();
  std::vector<std::string> values(given.begin(), given.end());
  llvm::StringMap<int64_t> sizes = chooseSizes(kernel);
  for (auto [index, parameter] : llvm::enumerate(signature.parameters)) {
    if (known->contains(parameter.name))
      continue;
    bool isFloat = array::isFloat(parameter.type);
    if (!parameter.isTensor) {
      auto size = sizes.find(parameter.name);
      int64_t number = size == sizes.end() ? kPlainSize : size->second;
      values.push_back(parameter.name + "=" +
                       (isFloat ? "0.5" : std::to_string(number)));
      continue;
    }
    llvm::Expected<std::string> shape = formatShape(
        cast<tile::GlobalType>(kernel.getParams()[index].getType()), sizes);
    if (!shape)
      return shape.takeError();
    if (parameter.isOutput())
      values.push_back(parameter.name + "=(" + *shape + ")");
    else
      values.push_back(parameter.name + "=" + (isFloat ? "randn(" : "zeros(") +
                       *shape + ")");
  }
  return values;
}
