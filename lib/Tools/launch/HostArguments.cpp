//===- HostArguments.cpp - The arguments of a run ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Tools/launch/HostArguments.h"

#include "tessera/Array/NumpyFile.h"

using namespace tessera;
using namespace tessera::tools;
using array::ArraySpec;
using array::makeError;
using array::NDArray;
using llvm::StringRef;
using llvm::Twine;

std::optional<array::Shape> HostArgument::getShape() const {
  if (!parameter->isTensor || !spec)
    return std::nullopt;
  return file ? array::Shape(file->getShape()) : spec->shape;
}

std::optional<int64_t> HostArgument::getInteger() const {
  if (parameter->isTensor || !spec || !spec->value.isInteger)
    return std::nullopt;
  return spec->value.integer;
}

llvm::Error HostArgument::parse(StringRef text) {
  auto fail = [&](const Twine &message) {
    return makeError("--arg " + parameter->name + ": " + message);
  };
  llvm::Expected<ArraySpec> parsed = ArraySpec::parse(text);
  if (!parsed)
    return fail(llvm::toString(parsed.takeError()));
  spec = *parsed;
  if (llvm::Error error = parameter->isTensor ? checkTensor() : checkScalar())
    return error;
  if (spec->kind != ArraySpec::Kind::File)
    return llvm::Error::success();
  llvm::Expected<NDArray> contents = array::readNumpyFile(spec->path);
  if (!contents)
    return fail(llvm::toString(contents.takeError()));
  llvm::Expected<NDArray> converted = contents->convertTo(parameter->type);
  if (!converted)
    return fail(parameter->describe() + ", but " +
                llvm::toString(converted.takeError()));
  file = std::move(*converted);
  return llvm::Error::success();
}

llvm::Error HostArgument::checkTensor() const {
  ArraySpec::Kind kind = spec->kind;
  if (parameter->isOutput()) {
    if (kind == ArraySpec::Kind::Shape)
      return llvm::Error::success();
    return makeError("--arg " + parameter->name + ": " + parameter->describe() +
                     "; expected only its shape, as in (2, 64), but got '" +
                     spec->text + "'");
  }
  if (kind == ArraySpec::Kind::Scalar || kind == ArraySpec::Kind::Shape)
    return makeError("--arg " + parameter->name + ": " + parameter->describe() +
                     "; expected '@file.npy' or a generator, but got '" +
                     spec->text + "'");
  return llvm::Error::success();
}

llvm::Error HostArgument::checkScalar() const {
  if (spec->kind == ArraySpec::Kind::Scalar)
    return llvm::Error::success();
  return makeError("--arg " + parameter->name + ": " + parameter->describe() +
                   "; expected a number, but got '" + spec->text + "'");
}

llvm::Error HostArgument::checkComplete() const {
  if (!spec && !parameter->isOutput())
    return makeError("missing --arg " + parameter->name + "=" +
                     (parameter->isTensor ? "SPEC" : "NUMBER") + ": " +
                     parameter->describe());
  if (parameter->isIndex && !spec->value.isInteger)
    return makeError("--arg " + parameter->name + ": " + parameter->describe() +
                     "; expected an integer, but got '" + spec->text + "'");
  if (parameter->isIndex && !llvm::isInt<32>(spec->value.integer))
    return makeError("--arg " + parameter->name + ": " + parameter->describe() +
                     ", which a launch gives in 32 bits, but got '" +
                     spec->text + "'; take an `i64` for larger numbers");
  return llvm::Error::success();
}

llvm::Expected<NDArray> HostArgument::materialize(uint64_t seed) const {
  if (file)
    return *file;
  llvm::Expected<NDArray> contents =
      spec->materialize(parameter->type, seed, parameter->name);
  if (contents)
    return contents;
  std::string reason = llvm::toString(contents.takeError());
  return makeError("--arg " + parameter->name + ": " +
                   (parameter->isTensor
                        ? reason
                        : parameter->describe() + ", but " + reason));
}

llvm::Expected<std::vector<HostArgument>>
tools::readArguments(const Signature &signature,
                     llvm::ArrayRef<std::string> values) {
  llvm::Expected<NamedTexts> texts = splitNames("arg", values);
  if (!texts)
    return texts.takeError();
  std::vector<HostArgument> arguments(signature.parameters.begin(),
                                      signature.parameters.end());
  for (auto &[name, text] : *texts) {
    llvm::Expected<unsigned> index = signature.find("arg", name);
    if (!index)
      return index.takeError();
    if (llvm::Error error = arguments[*index].parse(text))
      return std::move(error);
  }
  for (const HostArgument &argument : arguments)
    if (llvm::Error error = argument.checkComplete())
      return std::move(error);
  return arguments;
}
