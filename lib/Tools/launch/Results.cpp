//===- Results.cpp - Uses of results ----------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Tools/launch/Results.h"

#include "tessera/Array/ArraySpec.h"
#include "tessera/Array/NumpyFile.h"
#include "tessera/Array/OutputFile.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ScopedPrinter.h"

using namespace tessera;
using namespace tessera::tools;
using array::ArraySpec;
using array::makeError;
using array::NDArray;
using array::Shape;
using llvm::StringRef;
using llvm::Twine;

static array::Tolerance getTolerance(const ResultOptions &options,
                                     array::ElementType type) {
  array::Tolerance tolerance = array::Tolerance::getDefault(type);
  if (options.relative.getNumOccurrences() != 0)
    tolerance.relative = options.relative;
  if (options.absolute.getNumOccurrences() != 0)
    tolerance.absolute = options.absolute;
  if (options.rms.getNumOccurrences() != 0)
    tolerance.rms = options.rms;
  return tolerance;
}

/// Reads the expected array of the tensor `parameter`.
static llvm::Expected<NDArray> readReference(const Parameter &parameter,
                                             const Shape &shape, StringRef text,
                                             uint64_t seed) {
  // Shapes are compared before an array is generated, which could be huge.
  auto checkShape = [&](llvm::ArrayRef<int64_t> expected) -> llvm::Error {
    if (expected == llvm::ArrayRef(shape))
      return llvm::Error::success();
    return makeError("the expected array has shape " +
                     array::formatShape(expected) + ", but '" + parameter.name +
                     "' has shape " + array::formatShape(shape));
  };
  llvm::Expected<ArraySpec> spec = ArraySpec::parse(text);
  if (!spec)
    return spec.takeError();
  if (spec->kind != ArraySpec::Kind::File) {
    if (llvm::Error error = checkShape(spec->shape))
      return std::move(error);
    return spec->materialize(parameter.type, seed, parameter.name);
  }
  // A file keeps its type: it may be more precise than the result.
  llvm::Expected<NDArray> reference = array::readNumpyFile(spec->path);
  if (!reference)
    return reference.takeError();
  if (llvm::Error error = checkShape(reference->getShape()))
    return std::move(error);
  if (array::isFloat(reference->getType()) != array::isFloat(parameter.type))
    return makeError("the expected array is of " +
                     array::getSourceName(reference->getType()) + ", but '" +
                     parameter.name + "' is of " +
                     array::getSourceName(parameter.type));
  return reference;
}

llvm::Error Results::readPlot(const Signature &signature,
                              const ResultOptions &options) {
  if (options.plot.getNumOccurrences() == 0)
    return llvm::Error::success();
  if (options.plot.getNumOccurrences() > 1)
    return makeError("--plot is given twice; expected one picture");
  plot = options.plot;
  if (plot != "-" && !StringRef(plot).ends_with(".svg") &&
      !StringRef(plot).ends_with(".png"))
    return makeError("--plot: expected a name that ends in '.svg' or '.png', "
                     "or '-' for the terminal, got '" +
                     plot + "'");
  if (llvm::Error error = array::checkWritable(plot))
    return makeError("--plot: " + llvm::toString(std::move(error)));
  for (auto &[index, path] : saves)
    if (array::isSameFile(path, plot))
      return makeError("--plot: '" + plot + "' is already the file of --save " +
                       signature.parameters[index].name);
  for (auto [i, parameter] : llvm::enumerate(signature.parameters))
    if (parameter.isTensor && parameter.access != "in")
      plotted.push_back(i);
  return llvm::Error::success();
}

llvm::Expected<Results> Results::read(const Signature &signature,
                                      llvm::ArrayRef<Shape> shapes,
                                      const ResultOptions &options,
                                      uint64_t seed) {
  Results results;
  for (const llvm::cl::opt<double> *tolerance :
       {std::addressof(options.relative), std::addressof(options.absolute),
        std::addressof(options.rms)})
    if (!(*tolerance >= 0))
      return makeError("--" + tolerance->ArgStr +
                       ": expected a number from 0 on, got " +
                       llvm::to_string(tolerance->getValue()));
  if (options.rms.getNumOccurrences() != 0)
    for (const llvm::cl::opt<double> *tolerance :
         {std::addressof(options.relative), std::addressof(options.absolute)})
      if (tolerance->getNumOccurrences() != 0)
        return makeError("--rms bounds the error of the whole array, and --" +
                         tolerance->ArgStr +
                         " that of each element; give one of the two");
  if (llvm::Error error = checkOptionRules(
          {{options.expects.getNumOccurrences() != 0,
            {options.relative, options.absolute, options.rms},
            "is a tolerance of --expect; name an expected result, as in "
            "'--expect y=y.npy'"}}))
    return std::move(error);
  llvm::Expected<NamedTexts> expects = splitNames("expect", options.expects);
  if (!expects)
    return expects.takeError();
  for (auto &[name, text] : *expects) {
    llvm::Expected<unsigned> index = signature.findTensor("expect", name);
    if (!index)
      return index.takeError();
    const Parameter &parameter = signature.parameters[*index];
    llvm::Expected<NDArray> reference =
        readReference(parameter, shapes[*index], text, seed);
    if (!reference)
      return makeError("--expect " + name + ": " +
                       llvm::toString(reference.takeError()));
    results.expectations.push_back(
        {*index, std::move(*reference), getTolerance(options, parameter.type)});
  }
  llvm::Expected<NamedTexts> saves = splitNames("save", options.saves);
  if (!saves)
    return saves.takeError();
  for (auto &[name, path] : *saves) {
    llvm::Expected<unsigned> index = signature.findTensor("save", name);
    if (!index)
      return index.takeError();
    if (llvm::Error error = array::checkWritable(path))
      return makeError("--save " + name + ": " +
                       llvm::toString(std::move(error)));
    if (StringRef suffix = llvm::sys::path::extension(path);
        !suffix.empty() && suffix != ".npy")
      return makeError("--save " + name +
                       ": expected a name that ends in '.npy', got '" + path +
                       "'");
    for (auto &[other, taken] : results.saves)
      if (array::isSameFile(taken, path))
        return makeError("--save " + name + ": '" + path +
                         "' is already the file of '" +
                         signature.parameters[other].name + "'");
    results.saves.push_back({*index, path.str()});
  }
  for (StringRef name : options.prints) {
    llvm::Expected<unsigned> index = signature.findTensor("print", name);
    if (!index)
      return index.takeError();
    results.prints.push_back(*index);
  }
  if (llvm::Error error = results.readPlot(signature, options))
    return std::move(error);
  return results;
}
