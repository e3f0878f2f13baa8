//===- Arguments.cpp - The arguments of a run -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files are read before sizes are bound, since they give shapes; everything
// else is generated after.
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"

#include "tessera/Array/NumpyFile.h"

#include "llvm/ADT/StringExtras.h"

using namespace tessera;
using namespace tessera::tools;
using namespace tessera::tile;
using array::ArraySpec;
using array::ElementType;
using array::makeError;
using array::NDArray;
using interp::GlobalTensor;
using interp::Launch;
using interp::SizeBinding;
using llvm::Twine;

/// More elements than this, of all tensors together, are beyond an interpreter:
/// with their shadows they take up to 32 bytes each.
static constexpr int64_t kMaxElements = int64_t(1) << 28;

llvm::Expected<NamedTexts> tools::splitNames(StringRef option,
                                             ArrayRef<std::string> values) {
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

llvm::Expected<unsigned> tools::findParameter(KernelOp kernel, StringRef option,
                                              StringRef name) {
  SmallVector<StringRef> names;
  for (unsigned i = 0, e = kernel.getNumParams(); i < e; ++i) {
    if (kernel.getParamName(i) == name)
      return i;
    names.push_back(kernel.getParamName(i));
  }
  return makeError("--" + option + " " + name + ": kernel '" +
                   kernel.getSymName() + "' has no parameter '" + name + "'; " +
                   (names.empty()
                        ? std::string("it has none")
                        : "its parameters are " + llvm::join(names, ", ")));
}

llvm::Expected<unsigned> tools::findTensor(KernelOp kernel, StringRef option,
                                           StringRef name) {
  llvm::Expected<unsigned> index = findParameter(kernel, option, name);
  if (index && !isa<GlobalType>(kernel.getParams()[*index].getType()))
    return makeError("--" + option + " " + name + ": '" + name +
                     "' is a scalar; expected a tensor");
  return index;
}

namespace {

/// One argument while the launch is made.
struct Argument {
  StringRef name;
  /// Null for a scalar.
  GlobalType tensorType;
  ElementType type = ElementType::F32;
  bool isIndex = false;
  std::optional<ArraySpec> spec;
  /// The contents of a file.
  std::optional<NDArray> file;

  std::string describe() const;
  llvm::Error parse(StringRef text);
  llvm::Error checkTensor() const;
  llvm::Error checkScalar() const;
  SizeBinding::Known getKnown() const;
};

} // namespace

std::string Argument::describe() const {
  StringRef typeName = isIndex ? "int" : array::getName(type);
  if (!tensorType)
    return ("'" + name + "' is a scalar of type " + typeName).str();
  return ("'" + name + "' is " +
          (tensorType.getAccess() == Access::Out ? "an output" : "a tensor") +
          " of rank " + Twine(tensorType.getRank()) + " of " + typeName)
      .str();
}

llvm::Error Argument::parse(StringRef text) {
  auto inContext = [&](llvm::Error error) {
    return makeError("--arg " + name + ": " + llvm::toString(std::move(error)));
  };
  llvm::Expected<ArraySpec> parsed = ArraySpec::parse(text);
  if (!parsed)
    return inContext(parsed.takeError());
  spec = *parsed;
  if (llvm::Error error = tensorType ? checkTensor() : checkScalar())
    return error;
  if (spec->kind == ArraySpec::Kind::File) {
    llvm::Expected<NDArray> contents = array::readNumpyFile(spec->path);
    if (!contents)
      return inContext(contents.takeError());
    llvm::Expected<NDArray> converted = contents->convertTo(type);
    if (!converted)
      return makeError("--arg " + name + ": " + describe() + ", but " +
                       llvm::toString(converted.takeError()));
    file = std::move(*converted);
  }
  return llvm::Error::success();
}

llvm::Error Argument::checkTensor() const {
  ArraySpec::Kind kind = spec->kind;
  if (tensorType.getAccess() == Access::Out) {
    if (kind == ArraySpec::Kind::Shape)
      return llvm::Error::success();
    return makeError("--arg " + name + ": " + describe() +
                     "; expected only its shape, as in (2, 64), but got '" +
                     spec->text + "'");
  }
  if (kind == ArraySpec::Kind::Scalar || kind == ArraySpec::Kind::Shape)
    return makeError("--arg " + name + ": " + describe() +
                     "; expected '@file.npy' or a generator, but got '" +
                     spec->text + "'");
  return llvm::Error::success();
}

llvm::Error Argument::checkScalar() const {
  if (spec->kind == ArraySpec::Kind::Scalar)
    return llvm::Error::success();
  return makeError("--arg " + name + ": " + describe() +
                   "; expected a number, but got '" + spec->text + "'");
}

SizeBinding::Known Argument::getKnown() const {
  SizeBinding::Known known;
  if (isIndex && spec)
    known.index = spec->value.integer;
  if (!tensorType || !spec)
    return known;
  known.shape = file ? array::Shape(file->getShape()) : spec->shape;
  return known;
}

/// Pairs the parameters with the texts of the command line.
static llvm::Expected<std::vector<Argument>>
matchArguments(KernelOp kernel, const NamedTexts &texts) {
  std::vector<Argument> arguments(kernel.getNumParams());
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    Type type = kernel.getParams()[i].getType();
    argument.name = kernel.getParamName(i);
    argument.tensorType = dyn_cast<GlobalType>(type);
    argument.isIndex = type.isIndex();
    argument.type = *interp::getElementType(
        argument.tensorType ? argument.tensorType.getElementType() : type);
  }
  for (auto &[name, text] : texts) {
    llvm::Expected<unsigned> index = findParameter(kernel, "arg", name);
    if (!index)
      return index.takeError();
    if (llvm::Error error = arguments[*index].parse(text))
      return std::move(error);
  }
  for (Argument &argument : arguments) {
    bool isOutput =
        argument.tensorType && argument.tensorType.getAccess() == Access::Out;
    if (!argument.spec && !isOutput)
      return makeError("missing --arg " + argument.name + "=" +
                       (argument.tensorType ? "SPEC" : "NUMBER") + ": " +
                       argument.describe());
    if (argument.isIndex && !argument.spec->value.isInteger)
      return makeError("--arg " + argument.name + ": " + argument.describe() +
                       "; expected an integer, but got '" +
                       argument.spec->text + "'");
  }
  return arguments;
}

/// Makes the tensor of one argument, whose shape is `shape`.
static llvm::Expected<GlobalTensor>
makeTensor(const Argument &argument, ArrayRef<int64_t> shape, uint64_t seed) {
  bool isWritable = argument.tensorType.isWritable();
  if (argument.tensorType.getAccess() == Access::Out)
    return GlobalTensor::getPoisoned(argument.name, argument.type, shape);
  if (argument.file)
    return GlobalTensor(argument.name, *argument.file, isWritable);
  llvm::Expected<NDArray> contents =
      argument.spec->materialize(argument.type, seed, argument.name);
  if (!contents)
    return makeError("--arg " + argument.name + ": " +
                     llvm::toString(contents.takeError()));
  return GlobalTensor(argument.name, *contents, isWritable);
}

llvm::Expected<Launch>
tools::makeLaunch(KernelOp kernel, const NamedTexts &texts, uint64_t seed) {
  llvm::Expected<std::vector<Argument>> arguments =
      matchArguments(kernel, texts);
  if (!arguments)
    return arguments.takeError();
  SmallVector<SizeBinding::Known> known;
  for (const Argument &argument : *arguments)
    known.push_back(argument.getKnown());
  llvm::Expected<SizeBinding> sizes = SizeBinding::bind(kernel, known);
  if (!sizes)
    return sizes.takeError();

  Launch launch(kernel, *sizes);
  int64_t total = 0;
  for (auto [i, argument] : llvm::enumerate(*arguments)) {
    if (!argument.tensorType) {
      llvm::Expected<NDArray> value =
          argument.spec->materialize(argument.type, seed, argument.name);
      if (!value)
        return makeError("--arg " + argument.name + ": " + argument.describe() +
                         ", but " + llvm::toString(value.takeError()));
      launch.addScalar(interp::Tile::fromArray(*value));
      continue;
    }
    llvm::Expected<array::Shape> shape = sizes->getShape(kernel, i);
    if (!shape)
      return makeError(llvm::toString(shape.takeError()) +
                       "; give the shape with --arg " + argument.name + "=(…)");
    llvm::Expected<int64_t> count = array::countElements(*shape);
    if (!count)
      return makeError("'" + argument.name +
                       "': " + llvm::toString(count.takeError()));
    total += *count;
    if (total > kMaxElements)
      return makeError(
          "with '" + argument.name + "' of shape " +
          array::formatShape(*shape) + ", the tensors have " + Twine(total) +
          " elements; the interpreter takes at most " + Twine(kMaxElements));
    llvm::Expected<GlobalTensor> tensor = makeTensor(argument, *shape, seed);
    if (!tensor)
      return tensor.takeError();
    launch.addTensor(std::move(*tensor));
  }
  return launch;
}
