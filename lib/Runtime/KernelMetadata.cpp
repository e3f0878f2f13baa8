//===- KernelMetadata.cpp - Kernel metadata as JSON -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversion between the structures and JSON. LLVM's JSON library reports the
// path to a value of the wrong kind. The enumerations and expressions in this
// file do the same.
//
//===----------------------------------------------------------------------===//

#include "tessera/Runtime/KernelMetadata.h"

using namespace tessera::rt;
using tessera::array::ElementType;
namespace json = llvm::json;
using llvm::StringRef;

StringRef ParameterInfo::getTypeName() const {
  return isIndex ? "int" : tessera::array::getSourceName(dtype);
}

std::string ParameterInfo::describeType() const {
  std::string text = getTypeName().str();
  if (kind == Kind::Scalar)
    return text;
  text += "[";
  for (const SizeExpression &dim : dims)
    text += (text.back() == '[' ? "" : ", ") + dim.getText().str();
  return text + "]";
}

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

namespace {
/// The names of the values of an enumeration, in their order.
template <typename T>
struct Names;
template <>
struct Names<ParameterInfo::Kind> {
  static constexpr StringRef values[] = {"tensor", "scalar"};
};
template <>
struct Names<ParameterInfo::Access> {
  static constexpr StringRef values[] = {"read", "write", "readwrite"};
};
template <>
struct Names<TensorMapRecipe::Swizzle> {
  static constexpr StringRef values[] = {"none", "32B", "64B", "128B"};
};
template <>
struct Names<ArgumentInfo::Kind> {
  static constexpr StringRef values[] = {
      "tensorMap", "address", "scalar", "size", "stride", "counter", "reports"};
};
} // namespace

template <typename T>
static StringRef getName(T value) {
  return Names<T>::values[static_cast<unsigned>(value)];
}

/// Reads the name of an enumerator.
template <typename T>
static bool readName(const json::Value &value, T &result, json::Path path) {
  std::optional<StringRef> text = value.getAsString();
  unsigned index = 0;
  for (StringRef name : Names<T>::values) {
    if (text == name) {
      result = static_cast<T>(index);
      return true;
    }
    ++index;
  }
  path.report("expected a known name");
  return false;
}

static bool readType(const json::Value &value, ElementType &result,
                     json::Path path) {
  std::optional<StringRef> text = value.getAsString();
  if (std::optional<ElementType> type =
          text ? tessera::array::parseElementType(*text) : std::nullopt) {
    result = *type;
    return true;
  }
  path.report("expected an element type");
  return false;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
/// Reads the fields of one object. Every field is required unless its reader
/// says otherwise. An unknown field is an error: it is a misspelling, or a
/// feature that this runtime does not have.
class ObjectReader {
public:
  ObjectReader(const json::Value &value, json::Path path)
      : object(value.getAsObject()), path(path) {
    if (!object)
      fail(path, "expected object");
  }

  /// Reads field `name` by `read(value, path) -> bool`.
  template <typename Read>
  void field(StringRef name, bool required, Read read) {
    if (!good)
      return;
    ++fields;
    if (const json::Value *value = object->get(name)) {
      good = read(*value, path.field(name));
      return;
    }
    --fields;
    if (required)
      fail(path.field(name), "missing value");
  }

  template <typename T>
  void value(StringRef name, T &result, bool required = true) {
    field(name, required, [&](const json::Value &v, json::Path p) {
      return json::fromJSON(v, result, p);
    });
  }

  template <typename T>
  void name(StringRef name, T &result, bool required = true) {
    field(name, required, [&](const json::Value &v, json::Path p) {
      return readName(v, result, p);
    });
  }

  void type(StringRef name, ElementType &result, bool required = true) {
    field(name, required, [&](const json::Value &v, json::Path p) {
      return readType(v, result, p);
    });
  }

  /// Reads an array by reading its items into `results`.
  template <typename T, typename Read>
  void list(StringRef name, std::vector<T> &results, Read read) {
    field(name, /*required=*/false, [&](const json::Value &v, json::Path p) {
      const json::Array *items = v.getAsArray();
      if (!items) {
        p.report("expected array");
        return false;
      }
      for (size_t i = 0; i < items->size(); ++i) {
        results.emplace_back();
        if (!read((*items)[i], results.back(), p.index(i)))
          return false;
      }
      return true;
    });
  }

  /// Checks whether all fields were read without errors, and every field was
  /// requested.
  bool finish() {
    if (good && fields != object->size())
      fail(path, "unknown field");
    return good;
  }

private:
  void fail(json::Path where, llvm::StringLiteral message) {
    where.report(message);
    good = false;
  }

  const json::Object *object;
  json::Path path;
  size_t fields = 0;
  bool good = true;
};
} // namespace

static bool readExpression(const json::Value &value, SizeExpression &result,
                           json::Path path) {
  std::optional<StringRef> text = value.getAsString();
  if (!text) {
    path.report("expected a size expression");
    return false;
  }
  llvm::Expected<SizeExpression> parsed = SizeExpression::parse(*text);
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    path.report("expected a size expression");
    return false;
  }
  result = std::move(*parsed);
  return true;
}

static bool readParameter(const json::Value &value, ParameterInfo &parameter,
                          json::Path path) {
  ObjectReader reader(value, path);
  reader.name("kind", parameter.kind);
  reader.value("name", parameter.name);
  reader.type("dtype", parameter.dtype);
  reader.value("isIndex", parameter.isIndex, /*required=*/false);
  reader.name("access", parameter.access, /*required=*/false);
  reader.list("dims", parameter.dims, readExpression);
  reader.value("dense", parameter.dense, /*required=*/false);
  reader.value("alignment", parameter.alignment, /*required=*/false);
  return reader.finish();
}

static bool readEquality(const json::Value &value, Equality &equality,
                         json::Path path) {
  ObjectReader reader(value, path);
  auto side = [](SizeExpression &result) {
    return [&result](const json::Value &v, json::Path p) {
      return readExpression(v, result, p);
    };
  };
  reader.field("left", /*required=*/true, side(equality.left));
  reader.field("right", /*required=*/true, side(equality.right));
  return reader.finish();
}

static bool readTensorMap(const json::Value &value, TensorMapRecipe &recipe,
                          json::Path path) {
  ObjectReader reader(value, path);
  reader.value("parameter", recipe.parameter);
  reader.value("order", recipe.order);
  reader.value("box", recipe.box);
  reader.value("elementStrides", recipe.elementStrides, /*required=*/false);
  reader.name("swizzle", recipe.swizzle);
  return reader.finish();
}

static bool readAlignment(const json::Value &value, Alignment &alignment,
                          json::Path path) {
  ObjectReader reader(value, path);
  reader.value("parameter", alignment.parameter);
  reader.value("bytes", alignment.bytes);
  return reader.finish();
}

static bool readArgument(const json::Value &value, ArgumentInfo &argument,
                         json::Path path) {
  ObjectReader reader(value, path);
  reader.name("kind", argument.kind);
  reader.value("index", argument.index, /*required=*/false);
  reader.value("dim", argument.dim, /*required=*/false);
  reader.type("type", argument.type, /*required=*/false);
  reader.field("size", /*required=*/false,
               [&](const json::Value &v, json::Path p) {
                 return readExpression(v, argument.size.emplace(), p);
               });
  return reader.finish();
}

static bool readKernel(const json::Value &value, KernelMetadata &kernel,
                       json::Path path) {
  ObjectReader reader(value, path);
  reader.value("name", kernel.name);
  reader.value("entry", kernel.entry);
  reader.value("sizes", kernel.sizes);
  reader.list("parameters", kernel.parameters, readParameter);
  reader.list("equalities", kernel.equalities, readEquality);
  reader.list("conditions", kernel.conditions, readExpression);
  reader.list("alignments", kernel.alignments, readAlignment);
  reader.list("tensorMaps", kernel.tensorMaps, readTensorMap);
  reader.list("arguments", kernel.arguments, readArgument);
  reader.list("grid", kernel.grid, readExpression);
  reader.value("persistent", kernel.persistent, /*required=*/false);
  reader.value("cooperative", kernel.cooperative, /*required=*/false);
  reader.value("overlapsPrevious", kernel.overlapsPrevious,
               /*required=*/false);
  std::vector<int64_t> cluster;
  reader.value("cluster", cluster);
  reader.value("threads", kernel.threads);
  reader.value("sharedMemory", kernel.sharedMemory);
  reader.value("registers", kernel.registers, /*required=*/false);
  reader.field("reports", /*required=*/false,
               [&](const json::Value &v, json::Path p) {
                 return fromJSON(v, kernel.reports.emplace(), p);
               });
  if (!reader.finish())
    return false;
  if (cluster.size() != 3) {
    path.field("cluster").report("expected three numbers");
    return false;
  }
  std::copy(cluster.begin(), cluster.end(), kernel.cluster);
  return true;
}

llvm::Expected<KernelMetadata>
tessera::rt::readKernelMetadata(const json::Value &value) {
  KernelMetadata kernel;
  json::Path::Root root("kernel");
  if (!readKernel(value, kernel, root))
    return root.getError();
  if (llvm::Error error = verifyKernelMetadata(kernel))
    return error;
  return kernel;
}

bool tessera::rt::hasCounters(const KernelMetadata &kernel) {
  return llvm::any_of(kernel.arguments, [](const ArgumentInfo &argument) {
    return argument.kind == ArgumentInfo::Kind::Counter;
  });
}

bool tessera::rt::drawsPrograms(const KernelMetadata &kernel) {
  return kernel.persistent && hasCounters(kernel);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

template <typename Range, typename Write>
static json::Array writeList(const Range &range, Write write) {
  json::Array array;
  for (const auto &item : range)
    array.push_back(write(item));
  return array;
}

static json::Value writeExpression(const SizeExpression &expression) {
  // A StringRef would not be copied.
  return expression.getText().str();
}

static json::Value writeParameter(const ParameterInfo &parameter) {
  json::Object object{{"kind", getName(parameter.kind)},
                      {"name", parameter.name},
                      {"dtype", tessera::array::getName(parameter.dtype)}};
  if (parameter.kind == ParameterInfo::Kind::Tensor) {
    object["access"] = getName(parameter.access);
    object["dims"] = writeList(parameter.dims, writeExpression);
    object["dense"] = parameter.dense;
    if (parameter.alignment)
      object["alignment"] = parameter.alignment;
  }
  if (parameter.isIndex)
    object["isIndex"] = true;
  return object;
}

static json::Value writeTensorMap(const TensorMapRecipe &recipe) {
  json::Object object{{"parameter", recipe.parameter},
                      {"order", json::Array(recipe.order)},
                      {"box", json::Array(recipe.box)},
                      {"swizzle", getName(recipe.swizzle)}};
  if (!recipe.elementStrides.empty())
    object["elementStrides"] = json::Array(recipe.elementStrides);
  return object;
}

static json::Value writeAlignment(const Alignment &alignment) {
  return json::Object{{"parameter", alignment.parameter},
                      {"bytes", alignment.bytes}};
}

static json::Value writeArgument(const ArgumentInfo &argument) {
  using Kind = ArgumentInfo::Kind;
  json::Object object{{"kind", getName(argument.kind)}};
  if (argument.kind != Kind::Size && argument.kind != Kind::Counter &&
      argument.kind != Kind::Reports)
    object["index"] = argument.index;
  if (argument.kind == Kind::Stride)
    object["dim"] = argument.dim;
  if (argument.kind == Kind::Size || argument.kind == Kind::Stride)
    object["type"] = tessera::array::getName(argument.type);
  if (argument.size)
    object["size"] = writeExpression(*argument.size);
  return object;
}

json::Value tessera::rt::toJSON(const KernelMetadata &kernel) {
  json::Object object{
      {"name", kernel.name},
      {"entry", kernel.entry},
      {"sizes", json::Array(kernel.sizes)},
      {"parameters", writeList(kernel.parameters, writeParameter)},
      {"equalities", writeList(kernel.equalities,
                               [](const Equality &equality) {
                                 return json::Object{
                                     {"left", writeExpression(equality.left)},
                                     {"right",
                                      writeExpression(equality.right)}};
                               })},
      {"tensorMaps", writeList(kernel.tensorMaps, writeTensorMap)},
      {"arguments", writeList(kernel.arguments, writeArgument)},
      {"grid", writeList(kernel.grid, writeExpression)},
      {"cluster",
       json::Array{kernel.cluster[0], kernel.cluster[1], kernel.cluster[2]}},
      {"threads", kernel.threads},
      {"sharedMemory", kernel.sharedMemory},
      {"registers", kernel.registers}};
  if (!kernel.conditions.empty())
    object["conditions"] = writeList(kernel.conditions, writeExpression);
  if (!kernel.alignments.empty())
    object["alignments"] = writeList(kernel.alignments, writeAlignment);
  if (kernel.persistent)
    object["persistent"] = true;
  if (kernel.cooperative)
    object["cooperative"] = true;
  if (kernel.overlapsPrevious)
    object["overlapsPrevious"] = true;
  if (kernel.reports)
    object["reports"] = toJSON(*kernel.reports);
  return object;
}
