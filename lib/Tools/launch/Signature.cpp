//===- Signature.cpp - Parameters of a kernel -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Tools/launch/Signature.h"

#include "llvm/ADT/StringExtras.h"

using namespace tessera;
using namespace tessera::tools;
using array::makeError;
using llvm::StringRef;
using llvm::Twine;

std::string Parameter::describe() const {
  if (!isTensor)
    return "'" + name + "' is a scalar of type " + typeName;
  return ("'" + name + "' is " + (isOutput() ? "an output" : "a tensor") +
          " of rank " + Twine(rank) + " of " + typeName)
      .str();
}

llvm::Expected<unsigned> Signature::find(StringRef option,
                                         StringRef name) const {
  llvm::SmallVector<StringRef> names;
  for (auto [i, parameter] : llvm::enumerate(parameters)) {
    if (parameter.name == name)
      return i;
    names.push_back(parameter.name);
  }
  return makeError("--" + option + " " + name + ": kernel '" + kernel +
                   "' has no parameter '" + name + "'; " +
                   (names.empty()
                        ? std::string("it has none")
                        : "its parameters are " + llvm::join(names, ", ")));
}

llvm::Expected<unsigned> Signature::findTensor(StringRef option,
                                               StringRef name) const {
  llvm::Expected<unsigned> index = find(option, name);
  if (index && !parameters[*index].isTensor)
    return makeError("--" + option + " " + name + ": '" + name +
                     "' is a scalar; expected a tensor");
  return index;
}

llvm::Expected<NamedTexts>
tools::splitNames(StringRef option, llvm::ArrayRef<std::string> values) {
  NamedTexts texts;
  for (StringRef value : values) {
    auto [name, text] = value.split('=');
    name = name.trim();
    text = text.trim();
    if (name.empty() || text.empty())
      return makeError("expected --" + option + " NAME=VALUE, but got '--" +
                       option + " " + value + "'");
    if (!texts.insert({name, text}).second)
      return makeError("--" + option + " " + name + " is given twice");
  }
  return texts;
}
