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

#include "TuningOptions.h"

#include "tessera/Array/BoundedJson.h"
#include "tessera/Support/NearestName.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/WithColor.h"

using namespace tessera;
using namespace tessera::tools;
namespace cl = llvm::cl;
namespace json = llvm::json;

TuningOptions::TuningOptions(cl::OptionCategory &category)
    : file("tuned",
           cl::desc("Take what this file, which tile-tune has written, "
                    "chooses for --shape; without that, a package has a "
                    "variant for each of its rows"),
           cl::value_desc("FILE"), cl::cat(category)),
      shape("shape", cl::desc("The sizes of the calls to compile for"),
            cl::value_desc("NAME=SIZE,..."), cl::CommaSeparated,
            cl::cat(category)) {}

llvm::Error TuningOptions::check(StringRef input) const {
  if (file.empty() && !shape.empty())
    return llvm::createStringError(
        "--shape says for which sizes --tuned chooses; --tuned is missing");
  if (!file.empty() && input.ends_with(".mlir"))
    return llvm::createStringError(
        "--tuned chooses compile-time parameters, which are gone from .mlir "
        "files");
  return llvm::Error::success();
}

/// Returns the kernel to compile, among those of the file.
static llvm::Expected<const json::Object *>
findKernel(const json::Array &kernels, StringRef name) {
  if (name.empty() && kernels.size() > 1)
    return llvm::createStringError("--tuned chooses for one kernel, and the "
                                   "file has several; name it by --kernel");
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

/// Reads NAME=SIZE. The name must be a size of the kernel.
static llvm::Error readSize(StringRef text, const json::Object &kernel,
                            TunedCall &call) {
  auto [name, value] = text.split('=');
  int64_t size;
  if (name.empty() || value.getAsInteger(10, size) || size < 0)
    return llvm::createStringError("--shape: expected NAME=SIZE, got '" + text +
                                   "'");
  std::vector<StringRef> known;
  for (const json::Value &one : *kernel.getArray("sizes"))
    known.push_back(*one.getAsString());
  if (!llvm::is_contained(known, name))
    return llvm::createStringError(
        "--shape: kernel '" + call.kernel + "' has no size '" + name + "'; " +
        (known.empty() ? "it has none" : "it has " + llvm::join(known, ", ")));
  call.sizes[name] = size;
  return llvm::Error::success();
}

static void warn(const Twine &message) {
  llvm::WithColor::warning(llvm::errs(), "tilec") << message << "\n";
}

/// Checks whether -D sets a value that a row would choose, and warns if it
/// does.
static bool isVisible(const TunedRow &row,
                      const frontend::CompileOptions &options, StringRef file) {
  for (const auto &[name, value] : options.defines)
    for (const auto &chosen : row.choice)
      if (chosen.first == name) {
        warn("-D " + name + " is given, which a row of " + file +
             " chooses; the defaults stand");
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
  for (const std::string &text : shape)
    if (llvm::Error error = readSize(text, **kernel, call))
      return error;
  llvm::Expected<std::vector<TunedRow>> rows = readTunedRows(file, call);
  if (!rows)
    return rows.takeError();
  if (rows->empty())
    warn(this->file + " has no row for kernel '" + call.kernel +
         "' with these values and sizes; the defaults stand");
  for (TunedRow &row : *rows)
    if (isVisible(row, options, file))
      row.choice.clear();
  if (rows->empty() || !rows->back().conditions.empty())
    rows->push_back(TunedRow());
  return rows;
}
