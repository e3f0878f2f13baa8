//===- ReportInfo.cpp - The checks and prints of a kernel -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversion between the structure and JSON.
//
//===----------------------------------------------------------------------===//

#include "tessera/Runtime/ReportInfo.h"
#include "tessera/Array/NDArray.h"

#include "llvm/ADT/STLExtras.h"

using namespace tessera;
using namespace tessera::rt;
using llvm::StringRef;
namespace json = llvm::json;

using Axis = ReportInfo::Axis;
using Site = ReportInfo::Site;
using Value = ReportInfo::Value;

/// The largest number of elements of a tile, and of values of a print.
static constexpr int64_t kMostElements = int64_t(1) << 24;
static constexpr size_t kMostValues = 1024;

static constexpr StringRef kKinds[] = {"float", "int", "uint", "bool",
                                       "double"};

int64_t Site::getLineWords() const {
  int64_t words = 1;
  for (const Value &value : values)
    words += *array::countElements(value.shape);
  return words;
}

static bool readShape(json::ObjectMapper &map, std::vector<int64_t> &shape,
                      json::Path path) {
  if (!map.mapOptional("shape", shape))
    return false;
  llvm::Expected<int64_t> count = array::countElements(shape);
  if (!count)
    llvm::consumeError(count.takeError());
  else if (*count >= 1 && *count <= kMostElements)
    return true;
  path.field("shape").report("expected the shape of a tile");
  return false;
}

static bool read(const json::Value &value, Axis &axis, json::Path path) {
  json::ObjectMapper map(value, path);
  std::string count;
  if (!map || !map.map("name", axis.name) || !map.map("count", count))
    return false;
  llvm::Expected<SizeExpression> parsed = SizeExpression::parse(count);
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    path.field("count").report("expected a size expression");
    return false;
  }
  axis.count = std::move(*parsed);
  return true;
}

static bool read(const json::Value &value, Value &result, json::Path path) {
  json::ObjectMapper map(value, path);
  std::string kind;
  if (!map || !map.map("kind", kind) || !readShape(map, result.shape, path))
    return false;
  const StringRef *found = llvm::find(kKinds, kind);
  if (found == std::end(kKinds)) {
    path.field("kind").report("expected a known name");
    return false;
  }
  result.kind = static_cast<Value::Kind>(found - kKinds);
  return true;
}

static bool read(const json::Value &value, Site &site, json::Path path);

/// Reads an array by the functions of this file.
template <typename T>
static bool readList(const json::Value &value, StringRef name,
                     std::vector<T> &results, json::Path path) {
  const json::Object *object = value.getAsObject();
  const json::Array *items = object ? object->getArray(name) : nullptr;
  if (!items) {
    path.field(name).report("expected array");
    return false;
  }
  for (size_t i = 0; i < items->size(); ++i)
    if (!read((*items)[i], results.emplace_back(), path.field(name).index(i)))
      return false;
  return true;
}

static bool read(const json::Value &value, Site &site, json::Path path) {
  json::ObjectMapper map(value, path);
  if (!map || !map.mapOptional("file", site.file) ||
      !map.mapOptional("line", site.line) ||
      !map.mapOptional("column", site.column) || !map.map("text", site.text) ||
      !readShape(map, site.shape, path))
    return false;
  if (!value.getAsObject()->get("values"))
    return true;
  if (!readList(value, "values", site.values, path))
    return false;
  if (site.values.size() > kMostValues) {
    path.field("values").report("too many values");
    return false;
  }
  return true;
}

bool tessera::rt::fromJSON(const json::Value &value, ReportInfo &info,
                           json::Path path) {
  return readList(value, "axes", info.axes, path) &&
         readList(value, "checks", info.checks, path) &&
         readList(value, "prints", info.prints, path);
}

static json::Value write(const Axis &axis) {
  return json::Object{{"name", axis.name},
                      {"count", axis.count.getText().str()}};
}

static json::Value write(const Value &value) {
  json::Object object{{"kind", kKinds[static_cast<unsigned>(value.kind)]}};
  if (!value.shape.empty())
    object["shape"] = json::Array(value.shape);
  return object;
}

static json::Value write(const Site &site);

template <typename T>
static json::Array writeList(const std::vector<T> &items) {
  json::Array array;
  for (const T &item : items)
    array.push_back(write(item));
  return array;
}

static json::Value write(const Site &site) {
  json::Object object{{"text", site.text}};
  if (!site.file.empty()) {
    object["file"] = site.file;
    object["line"] = site.line;
    object["column"] = site.column;
  }
  if (!site.shape.empty())
    object["shape"] = json::Array(site.shape);
  if (!site.values.empty())
    object["values"] = writeList(site.values);
  return object;
}

json::Value tessera::rt::toJSON(const ReportInfo &info) {
  return json::Object{{"axes", writeList(info.axes)},
                      {"checks", writeList(info.checks)},
                      {"prints", writeList(info.prints)}};
}
