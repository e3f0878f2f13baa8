//===- Sizes.cpp - Sizes of a call on the command line ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tuning/Sizes.h"

#include "tessera/Support/NearestName.h"
#include "llvm/ADT/StringExtras.h"

using namespace tessera;
using namespace tessera::tools;
namespace json = llvm::json;

llvm::Expected<const json::Object *>
tools::findKernel(const json::Array &kernels, StringRef name) {
  if (name.empty() && kernels.size() > 1)
    return llvm::createStringError("a choice is for one kernel, and the file "
                                   "has several; name it by --kernel");
  std::vector<StringRef> known;
  for (const json::Value &kernel : kernels) {
    const json::Object *row = kernel.getAsObject();
    known.push_back(*row->getString("name"));
    if (name.empty() || known.back() == name)
      return row;
  }
  return llvm::createStringError("there is no kernel '" + name + "'; " +
                                 suggestName(name, known) + "the file has " +
                                 llvm::join(known, ", "));
}

std::vector<StringRef> tools::getSizeNames(const json::Object &kernel) {
  std::vector<StringRef> names;
  for (const json::Value &size : *kernel.getArray("sizes"))
    names.push_back(*size.getAsString());
  for (const json::Value &parameter : *kernel.getArray("parameters"))
    if (const json::Object *row = parameter.getAsObject();
        row->getString("type") == StringRef("int") && !row->get("dims"))
      names.push_back(*row->getString("name"));
  return names;
}

std::string tools::describeMissingSizes(StringRef kernel,
                                        llvm::ArrayRef<StringRef> names,
                                        const llvm::StringMap<int64_t> &sizes) {
  std::vector<StringRef> missing;
  for (StringRef name : names)
    if (!sizes.contains(name))
      missing.push_back(name);
  if (missing.empty())
    return "";
  std::string text = ("the time of kernel '" + kernel + "' " +
                      (sizes.empty() ? "depends on " : "also depends on ") +
                      llvm::join(missing, ", "))
                         .str();
  if (sizes.empty())
    text += "; give sizes, as " + llvm::join(missing, "=1024,") + "=1024";
  return text;
}

/// Checks whether `kernel` has a compile-time parameter `name`.
static bool isCompileTime(const json::Object &kernel, StringRef name) {
  const json::Array *rows = kernel.getArray("compileTime");
  return rows && llvm::any_of(*rows, [&](const json::Value &row) {
           const json::Object *parameter = row.getAsObject();
           return parameter && parameter->getString("name") == name;
         });
}

llvm::Expected<std::vector<Shape>>
tools::readShapes(StringRef option, ArrayRef<std::string> texts,
                  const json::Object *kernel) {
  std::vector<Shape> shapes(1);
  // The option without a value.
  if (texts.size() == 1 && texts.front().empty())
    return shapes;
  for (StringRef text : texts) {
    auto [name, value] = text.split('=');
    int64_t size;
    if (name.empty() || value.getAsInteger(10, size) || size < 0)
      return llvm::createStringError(option + ": expected NAME=SIZE, got '" +
                                     text + "'");
    if (shapes.back().contains(name))
      shapes.emplace_back();
    shapes.back()[name] = size;
    if (!kernel)
      continue;
    std::vector<StringRef> known = getSizeNames(*kernel);
    if (isCompileTime(*kernel, name))
      return llvm::createStringError(
          option + ": '" + name + "' is a compile-time parameter of kernel '" +
          *kernel->getString("name") + "'; it is set by -D " + text);
    if (!llvm::is_contained(known, name))
      return llvm::createStringError(
          option + ": kernel '" + *kernel->getString("name") +
          "' has no size '" + name + "'; " +
          (known.empty() ? "it has none"
                         : "it has " + llvm::join(known, ", ")));
  }
  return shapes;
}

llvm::Expected<Shape> tools::readSizes(StringRef option,
                                       ArrayRef<std::string> texts,
                                       const json::Object *kernel) {
  llvm::Expected<std::vector<Shape>> shapes = readShapes(option, texts, kernel);
  if (!shapes)
    return shapes.takeError();
  if (shapes->size() > 1)
    return llvm::createStringError(option + ": expected one shape, got " +
                                   Twine(shapes->size()) +
                                   ": a name is repeated");
  return std::move(shapes->front());
}
