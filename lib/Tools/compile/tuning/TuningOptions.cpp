//===- TuningOptions.cpp - --tuned and --shape ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks --tuned and --shape against the signatures of the input, and chooses
// rows of the file. Values of -D take precedence over those of a row.
//
//===----------------------------------------------------------------------===//

#include "tuning/TuningOptions.h"
#include "tuning/Sizes.h"

#include "tessera/Array/BoundedJson.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/WithColor.h"

using namespace tessera;
using namespace tessera::tools;
namespace cl = llvm::cl;
namespace json = llvm::json;

TuningOptions::TuningOptions(cl::OptionCategory &category)
    : file("tuned",
           cl::desc("Take the choice of this file, which tile-tune has "
                    "written, for --shape; without --shape, a package has a "
                    "variant for each of its rows"),
           cl::value_desc("FILE"), cl::cat(category)),
      shape("shape",
            cl::desc("The sizes of the calls to compile for: values of "
                     "compile-time parameters are chosen for them; given "
                     "again for other sizes, a package has a variant for "
                     "each of these shapes"),
            cl::value_desc("NAME=SIZE,..."), cl::CommaSeparated,
            cl::cat(category)) {}

bool TuningOptions::hasSeveralShapes() const {
  llvm::StringSet<> names;
  return llvm::any_of(shape, [&](StringRef text) {
    return !names.insert(text.split('=').first).second;
  });
}

llvm::Error TuningOptions::check(StringRef input) const {
  if (!file.empty() && input.ends_with(".mlir"))
    return llvm::createStringError(
        "--tuned chooses compile-time parameters, which are gone from .mlir "
        "files");
  if (!file.empty() && hasSeveralShapes())
    return llvm::createStringError(
        "--tuned: the rows of the file have bounds; name one shape, or none "
        "for a variant for each row");
  return llvm::Error::success();
}

/// Describes the configuration without a row.
static StringRef describeRest(const json::Object &kernel, bool hasSizes) {
  bool isChosen =
      hasSizes && llvm::any_of(*kernel.getArray("compileTime"),
                               [](const json::Value &parameter) {
                                 return parameter.getAsObject()->get("values");
                               });
  return isChosen ? "predicted times choose" : "the defaults hold";
}

static void warn(const Twine &message) {
  llvm::WithColor::warning(llvm::errs(), "tilec") << message << "\n";
}

/// Checks whether -D sets a value that a row would choose, and warns if it
/// does.
static bool isVisible(const TunedRow &row,
                      const frontend::CompileOptions &options, StringRef file,
                      StringRef rest) {
  for (const auto &[name, value] : options.defines)
    for (const auto &chosen : row.choice)
      if (chosen.first == name) {
        warn("-D " + name + " is given, which a row of " + file + " chooses; " +
             rest);
        return true;
      }
  return false;
}

llvm::Expected<std::vector<TunedRow>>
TuningOptions::choose(StringRef signatures,
                      const frontend::CompileOptions &options,
                      bool allShapes) const {
  json::Value input = llvm::cantFail(array::parseJson(signatures));
  llvm::Expected<const json::Object *> kernel =
      findKernel(*input.getAsObject()->getArray("kernels"), options.kernel);
  if (!kernel)
    return kernel.takeError();
  TunedCall call{(*kernel)->getString("name")->str(), {}, {}};
  for (const json::Value &parameter : *(*kernel)->getArray("compileTime")) {
    const json::Object *row = parameter.getAsObject();
    if (std::optional<StringRef> value = row->getString("default"))
      call.values[*row->getString("name")] = value->str();
  }
  for (const auto &[name, value] : options.defines)
    call.values[name] = value;
  if (allShapes)
    for (const json::Value &size : *(*kernel)->getArray("sizes"))
      call.sizes[*size.getAsString()] = std::nullopt;
  llvm::Expected<llvm::StringMap<int64_t>> sizes =
      readSizes("--shape", shape, *kernel);
  if (!sizes)
    return sizes.takeError();
  for (const auto &size : *sizes)
    call.sizes[size.getKey()] = size.getValue();
  llvm::Expected<std::vector<TunedRow>> rows = readTunedRows(file, call);
  if (!rows)
    return rows.takeError();
  StringRef rest = describeRest(**kernel, !shape.empty());
  if (rows->empty())
    warn(this->file + " has no row for kernel '" + call.kernel +
         "' with these values and sizes; " + rest);
  for (TunedRow &row : *rows)
    if (isVisible(row, options, file, rest))
      row.choice.clear();
  if (rows->empty() || !rows->back().conditions.empty())
    rows->push_back(TunedRow());
  return rows;
}
