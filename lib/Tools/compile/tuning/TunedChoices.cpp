//===- TunedChoices.cpp - Compile-time values by sizes ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads rows of a TOML file and selects those that may apply to a call. Known
// sizes are compared at compile time; unknown sizes become conditions of a
// variant. Invariant: the rows keep the order of the file, so the first
// matching row wins.
//
//===----------------------------------------------------------------------===//

#include "tuning/TunedChoices.h"

#include "tessera/Array/Limits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include <sstream>

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

using namespace tessera;
using namespace tessera::tools;

/// The permitted keys of a row.
static constexpr StringRef kKeys[] = {"kernel", "class", "given", "sizes",
                                      "choose"};

namespace {
/// A [[winner]] of the file, with its location for messages.
struct WinnerRow {
  const toml::table &table;
  std::string place;

  llvm::Error error(const Twine &message) const {
    return llvm::createStringError(Twine(place) + ": " + message);
  }
  /// Returns the table of a key, or an empty one if the row has none.
  llvm::Expected<toml::table> getTable(StringRef key) const;
  /// Returns the values of a table in the form of -D.
  llvm::Expected<TunedChoice> getValues(StringRef key) const;
  /// Returns expressions that must be 0 for the row to apply: the bounds of
  /// sizes with unknown values. Returns nothing if a bound does not hold, or if
  /// the kernel lacks the size.
  llvm::Expected<std::optional<std::vector<std::string>>>
  getConditions(const TunedCall &call) const;
};
} // namespace

llvm::Expected<toml::table> WinnerRow::getTable(StringRef key) const {
  const toml::node *node = table.get(std::string_view(key));
  if (!node)
    return toml::table();
  if (const toml::table *found = node->as_table())
    return *found;
  return error("expected '" + key + "' to be a table");
}

/// Returns the shortest text that reads as the same number.
static std::string print(const toml::value<double> &number) {
  std::ostringstream text;
  text << number;
  return text.str();
}

llvm::Expected<TunedChoice> WinnerRow::getValues(StringRef key) const {
  llvm::Expected<toml::table> found = getTable(key);
  if (!found)
    return found.takeError();
  TunedChoice values;
  for (auto &&[name, node] : *found) {
    std::string text;
    if (auto *truth = node.as_boolean())
      text = truth->get() ? "true" : "false";
    else if (auto *integer = node.as_integer())
      text = std::to_string(integer->get());
    else if (auto *number = node.as_floating_point())
      text = print(*number);
    else if (auto *string = node.as_string())
      text = string->get();
    else
      return error("expected '" + Twine(StringRef(name.str())) + "' of '" +
                   key + "' to be a number, a truth value or a string");
    values.emplace_back(name.str(), std::move(text));
  }
  return values;
}

std::string tools::writeBound(StringRef size, StringRef kind, int64_t limit) {
  if (kind == "min")
    return llvm::formatv("{0} floordiv ({1} + 1)", limit, size);
  // No size is larger than kMaxSize.
  if (kind == "max")
    return llvm::formatv("{0} floordiv {1}", size,
                         std::min(limit, array::kMaxSize) + 1);
  return llvm::formatv("{0} mod {1}", size, limit);
}

llvm::Expected<std::optional<std::vector<std::string>>>
WinnerRow::getConditions(const TunedCall &call) const {
  llvm::Expected<toml::table> classSizes = getTable("sizes");
  if (!classSizes)
    return classSizes.takeError();
  bool holds = true;
  std::vector<std::string> conditions;
  for (auto &&[name, node] : *classSizes) {
    StringRef size(name.str());
    const toml::table *bounds = node.as_table();
    if (!bounds)
      return error("expected the bounds of '" + size + "' to be a table");
    auto known = call.sizes.find(size);
    holds &= known != call.sizes.end();
    for (auto &&[bound, value] : *bounds) {
      StringRef kind(bound.str());
      std::optional<int64_t> limit = value.value_exact<int64_t>();
      if (kind != "min" && kind != "max" && kind != "multiple")
        return error("unknown bound '" + kind + "' of '" + size +
                     "'; there is min, max, multiple");
      if (!limit || *limit < 1)
        return error("expected '" + kind + "' of '" + size +
                     "' to be a positive integer");
      if (known == call.sizes.end())
        continue;
      if (!known->second) {
        conditions.push_back(writeBound(size, kind, *limit));
        continue;
      }
      int64_t extent = *known->second;
      holds &= kind == "min"   ? extent >= *limit
               : kind == "max" ? extent <= *limit
                               : extent % *limit == 0;
    }
  }
  if (!holds)
    return std::nullopt;
  return std::optional(std::move(conditions));
}

/// Returns the row, if it may apply to the call.
static llvm::Expected<std::optional<TunedRow>> readRow(const WinnerRow &row,
                                                       const TunedCall &call) {
  for (auto &&[key, value] : row.table)
    if (!llvm::is_contained(kKeys, StringRef(key.str())))
      return row.error("unknown key '" + Twine(StringRef(key.str())) +
                       "'; there is " + llvm::join(ArrayRef(kKeys), ", "));
  std::optional<std::string> kernel =
      row.table["kernel"].value_exact<std::string>();
  if (!kernel)
    return row.error("'kernel' is missing");
  llvm::Expected<TunedChoice> given = row.getValues("given");
  if (!given)
    return given.takeError();
  llvm::Expected<std::optional<std::vector<std::string>>> conditions =
      row.getConditions(call);
  if (!conditions)
    return conditions.takeError();
  llvm::Expected<TunedChoice> choice = row.getValues("choose");
  if (!choice)
    return choice.takeError();
  bool fits = *kernel == call.kernel && *conditions &&
              llvm::all_of(*given, [&](const auto &value) {
                return call.values.lookup(value.first) == value.second;
              });
  if (!fits)
    return std::nullopt;
  return TunedRow{std::move(*choice), std::move(**conditions)};
}

llvm::Expected<std::vector<TunedRow>>
tools::readTunedRows(const std::string &path, const TunedCall &call) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return llvm::createStringError("cannot open '" + path +
                                   "': " + buffer.getError().message());
  toml::parse_result parsed =
      toml::parse(std::string_view((*buffer)->getBuffer()), path);
  if (!parsed) {
    const toml::parse_error &error = parsed.error();
    const toml::source_position &place = error.source().begin;
    return llvm::createStringError(
        path + ":" + Twine(place.line) + ":" + Twine(place.column) + ": " +
        StringRef(error.description().data(), error.description().size()));
  }
  toml::table file = std::move(parsed).table();
  const toml::array noRows;
  const toml::array *rows =
      file.contains("winner") ? file["winner"].as_array() : &noRows;
  if (!rows)
    return llvm::createStringError(
        path + ": expected 'winner' to be a list of tables");
  std::vector<TunedRow> found;
  for (auto [index, node] : llvm::enumerate(*rows)) {
    std::string place = path + ": winner " + std::to_string(index + 1);
    const toml::table *table = node.as_table();
    if (!table)
      return llvm::createStringError(place + ": expected a table");
    llvm::Expected<std::optional<TunedRow>> row =
        readRow(WinnerRow{*table, place}, call);
    if (!row)
      return row.takeError();
    if (!*row)
      continue;
    found.push_back(std::move(**row));
    // Rows after a row without conditions are never used.
    if (found.back().conditions.empty())
      break;
  }
  return found;
}
