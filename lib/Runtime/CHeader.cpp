//===- CHeader.cpp - Typed launchers in C -----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A template-based generator of C. The generated code computes the shapes of
// tensors from the sizes. The runtime performs all checks and reports the
// errors.
//
//===----------------------------------------------------------------------===//

#include "tessera/Runtime/CHeader.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace tessera::rt;
using llvm::StringRef;
using tessera::array::ElementType;

/// The common part of all headers. It has a guard, since several headers may be
/// included.
static constexpr llvm::StringLiteral kPrologue = R"(
#include "tessera-c/Runtime.h"

#include <stdint.h>
#include <string.h>

#ifndef TESSERA_LAUNCHER_FUNCTIONS
#define TESSERA_LAUNCHER_FUNCTIONS

static inline int64_t tessera_mod(int64_t x, int64_t y) {
  int64_t rest = x % y;
  return rest < 0 ? rest + y : rest;
}
static inline int64_t tessera_floordiv(int64_t x, int64_t y) {
  return (x - tessera_mod(x, y)) / y;
}
static inline int64_t tessera_ceildiv(int64_t x, int64_t y) {
  return -tessera_floordiv(-x, y);
}

static inline tessera_argument tessera_tensor(const void *address,
                                              const char *dtype, int32_t rank,
                                              const int64_t *shape,
                                              const int64_t *strides) {
  tessera_argument argument;
  memset(&argument, 0, sizeof(argument));
  argument.kind = TESSERA_TENSOR;
  argument.rank = rank;
  argument.address = (uint64_t)(uintptr_t)address;
  argument.dtype = dtype;
  argument.shape = shape;
  argument.strides = strides;
  return argument;
}
static inline tessera_argument tessera_integer(int64_t value) {
  tessera_argument argument;
  memset(&argument, 0, sizeof(argument));
  argument.kind = TESSERA_INTEGER;
  argument.integer = value;
  return argument;
}
static inline tessera_argument tessera_float(double value) {
  tessera_argument argument;
  memset(&argument, 0, sizeof(argument));
  argument.kind = TESSERA_FLOAT;
  argument.number = value;
  return argument;
}

#endif /* TESSERA_LAUNCHER_FUNCTIONS */

#ifdef __cplusplus
extern "C" {
#endif
)";

static constexpr llvm::StringLiteral kEpilogue = R"(
#ifdef __cplusplus
}
#endif
)";

/// Words of C99 and C++17 that cannot be the name of a field or function.
static bool isKeyword(StringRef name) {
  static const llvm::StringSet<> words = {
      "alignas",      "alignof",  "and",           "and_eq",
      "asm",          "auto",     "bitand",        "bitor",
      "bool",         "break",    "case",          "catch",
      "char",         "char16_t", "char32_t",      "class",
      "compl",        "const",    "const_cast",    "constexpr",
      "continue",     "decltype", "default",       "delete",
      "do",           "double",   "dynamic_cast",  "else",
      "enum",         "explicit", "export",        "extern",
      "false",        "float",    "for",           "friend",
      "goto",         "if",       "inline",        "int",
      "long",         "mutable",  "namespace",     "new",
      "noexcept",     "not",      "not_eq",        "nullptr",
      "operator",     "or",       "or_eq",         "private",
      "protected",    "public",   "register",      "reinterpret_cast",
      "restrict",     "return",   "short",         "signed",
      "sizeof",       "static",   "static_assert", "static_cast",
      "struct",       "switch",   "template",      "this",
      "thread_local", "throw",    "true",          "try",
      "typedef",      "typeid",   "typename",      "union",
      "unsigned",     "using",    "virtual",       "void",
      "volatile",     "wchar_t",  "while",         "xor",
      "xor_eq"};
  return words.contains(name);
}

/// Returns `name` with each character that C identifiers do not permit replaced
/// by an underscore.
static std::string makeIdentifier(StringRef name) {
  std::string text;
  for (char c : name)
    text += llvm::isAlnum(c) || c == '_' ? c : '_';
  if (text.empty() || llvm::isDigit(text[0]))
    text = "_" + text;
  return isKeyword(text) ? text + "_" : text;
}

/// Returns `name` as a literal of C.
static std::string quote(StringRef name) {
  std::string text = "\"";
  for (unsigned char c : name) {
    if (c == '"' || c == '\\' || c == '?' || !llvm::isPrint(c)) {
      char digits[5];
      std::snprintf(digits, sizeof(digits), "\\%03o", c);
      text += digits;
    } else {
      text += c;
    }
  }
  return text + "\"";
}

/// Returns `text` for a comment, which it must not end.
static std::string comment(StringRef text) {
  std::string result;
  for (char c : text) {
    if (!result.empty() && ((result.back() == '*' && c == '/') ||
                            (result.back() == '/' && c == '*')))
      result += ' ';
    result += llvm::isPrint(c) ? c : ' ';
  }
  return result;
}

static StringRef getScalarType(ElementType type) {
  switch (type) {
  case ElementType::F64:
    return "double";
  case ElementType::F32:
  case ElementType::F16:
  case ElementType::BF16:
  case ElementType::F8E4M3FN:
  case ElementType::F8E5M2:
    return "float";
  case ElementType::I1:
  case ElementType::U8:
    return "uint8_t";
  case ElementType::I8:
    return "int8_t";
  case ElementType::I16:
    return "int16_t";
  case ElementType::I32:
    return "int32_t";
  case ElementType::I64:
    return "int64_t";
  case ElementType::U16:
    return "uint16_t";
  case ElementType::U32:
    return "uint32_t";
  case ElementType::U64:
    return "uint64_t";
  }
  return "int64_t";
}

namespace {
/// Writes the part of one kernel.
class KernelWriter {
public:
  KernelWriter(const KernelMetadata &kernel, std::string name,
               llvm::raw_ostream &os)
      : kernel(kernel), name(std::move(name)), os(os) {
    for (const ParameterInfo &parameter : kernel.parameters)
      fields.push_back(makeField(parameter.name));
    for (const ParameterInfo &parameter : kernel.parameters)
      strideFields.push_back(isTensor(parameter) && !parameter.dense &&
                                     !parameter.dims.empty()
                                 ? makeField(parameter.name + "_strides")
                                 : "");
    for (const std::string &size : kernel.sizes) {
      // A scalar that is a size has one field.
      std::string &field = sizeFields[size];
      for (auto [i, parameter] : llvm::enumerate(kernel.parameters))
        if (!isTensor(parameter) && parameter.name == size)
          field = fields[i];
      if (field.empty())
        field = makeField(size);
    }
  }

  void write() {
    writeComment();
    writeArguments();
    writePack();
    writeFunctions();
  }

private:
  static bool isTensor(const ParameterInfo &parameter) {
    return parameter.kind == ParameterInfo::Kind::Tensor;
  }

  std::string makeField(StringRef wanted) {
    std::string field = makeIdentifier(wanted);
    while (!taken.insert(field).second)
      field += "_";
    return field;
  }

  void writeComment() {
    os << "\n/*\n * " << comment(kernel.name) << "(";
    llvm::interleaveComma(kernel.parameters, os, [&](const auto &parameter) {
      if (isTensor(parameter) &&
          parameter.access != ParameterInfo::Access::Read)
        os << (parameter.access == ParameterInfo::Access::Write ? "out "
                                                                : "inout ");
      os << comment(parameter.name) << ": "
         << comment(parameter.describeType());
    });
    os << ")\n";
    for (const Equality &equality : kernel.equalities)
      os << " *   where " << comment(equality.left.getText())
         << " == " << comment(equality.right.getText()) << "\n";
    os << " */\n";
  }

  void writeArguments() {
    os << "typedef struct " << name << "_args {\n";
    for (auto [i, parameter] : llvm::enumerate(kernel.parameters)) {
      if (!isTensor(parameter)) {
        os << "  " << getScalarType(parameter.dtype) << " " << fields[i]
           << ";\n";
        continue;
      }
      bool isConst = parameter.access == ParameterInfo::Access::Read;
      os << "  " << (isConst ? "const void *" : "void *") << fields[i]
         << "; /* " << comment(parameter.describeType()) << " in device memory";
      if (parameter.alignment)
        os << ", aligned to " << parameter.alignment << " bytes";
      os << " */\n";
      if (!strideFields[i].empty())
        os << "  const int64_t *" << strideFields[i] << "; /* "
           << parameter.dims.size()
           << ", in elements; NULL for dense and row-major */\n";
    }
    for (const std::string &size : kernel.sizes)
      if (!llvm::is_contained(fields, sizeFields[size]))
        os << "  int64_t " << sizeFields[size] << ";\n";
    if (taken.empty())
      os << "  char unused; /* C has no empty structs */\n";
    os << "} " << name << "_args;\n";
  }

  /// Writes the arguments in the form of the runtime, with the arrays to which
  /// they point.
  void writePack() {
    size_t total = 0;
    for (const ParameterInfo &parameter : kernel.parameters)
      total += parameter.dims.size();
    os << "\ntypedef struct " << name << "_pack {\n  int64_t shapes["
       << std::max<size_t>(total, 1) << "];\n  tessera_argument arguments["
       << std::max<size_t>(kernel.parameters.size(), 1)
       << "];\n  tessera_size sizes["
       << std::max<size_t>(kernel.sizes.size(), 1) << "];\n} " << name
       << "_pack;\n\nstatic inline void " << name << "_fill(const " << name
       << "_args *args, " << name << "_pack *pack) {\n";
    if (kernel.parameters.empty() && kernel.sizes.empty())
      os << "  (void)args;\n  memset(pack, 0, sizeof(*pack));\n";
    size_t next = 0;
    for (auto [i, parameter] : llvm::enumerate(kernel.parameters)) {
      size_t first = next;
      for (const SizeExpression &dim : parameter.dims)
        os << "  pack->shapes[" << next++
           << "] = " << dim.formatC([&](StringRef size) {
                return "args->" + sizeFields[size];
              })
           << ";\n";
      os << "  pack->arguments[" << i << "] = ";
      if (isTensor(parameter))
        os << "tessera_tensor(args->" << fields[i] << ", \""
           << tessera::array::getName(parameter.dtype) << "\", "
           << parameter.dims.size() << ", pack->shapes"
           << (first ? " + " + std::to_string(first) : "") << ", "
           << (strideFields[i].empty() ? "NULL" : "args->" + strideFields[i])
           << ");\n";
      else
        os << (tessera::array::isFloat(parameter.dtype) ? "tessera_float"
                                                        : "tessera_integer")
           << "(args->" << fields[i] << ");\n";
    }
    for (auto [i, size] : llvm::enumerate(kernel.sizes))
      os << "  pack->sizes[" << i << "].name = " << quote(size)
         << ";\n  pack->sizes[" << i << "].value = args->" << sizeFields[size]
         << ";\n";
    os << "}\n";
  }

  void writeFunctions() {
    std::string counts = "pack.arguments, " +
                         std::to_string(kernel.parameters.size()) +
                         ", pack.sizes, " + std::to_string(kernel.sizes.size());
    os << "\n/* Finds the kernel in its package and loads it. */\n"
       << "static inline tessera_status " << name
       << "_load(const tessera_device *device, const tessera_package *package,"
       << " tessera_kernel **kernel) {\n"
       << "  return tessera_kernel_load(device, package, " << quote(kernel.name)
       << ", kernel);\n}\n\n"
       << "/* Checks the arguments and queues the kernel on `stream`, a "
          "CUstream"
       << " or NULL. */\n"
       << "static inline tessera_status " << name
       << "_launch(const tessera_kernel *kernel, void *stream, const " << name
       << "_args *args) {\n  " << name << "_pack pack;\n  " << name
       << "_fill(args, &pack);\n  return tessera_kernel_launch(kernel, "
       << counts << ", (uint64_t)(uintptr_t)stream);\n}\n\n"
       << "/* Checks the arguments once, for tessera_prepared_launch. */\n"
       << "static inline tessera_status " << name
       << "_prepare(const tessera_kernel *kernel, const " << name
       << "_args *args, tessera_prepared **prepared) {\n  " << name
       << "_pack pack;\n  " << name
       << "_fill(args, &pack);\n  return tessera_kernel_prepare(kernel, "
       << counts << ", prepared);\n}\n";
  }

  const KernelMetadata &kernel;
  std::string name;
  llvm::raw_ostream &os;
  llvm::StringSet<> taken;
  /// One field per parameter; the second one is empty if strides cannot be
  /// given.
  std::vector<std::string> fields, strideFields;
  llvm::StringMap<std::string> sizeFields;
};
} // namespace

std::string tessera::rt::emitHeader(const KernelPackage &package) {
  std::string text;
  llvm::raw_string_ostream os(text);
  std::vector<std::string> names;
  std::vector<const KernelMetadata *> kernels = package.getFirstVariants();
  for (const KernelMetadata *kernel : kernels) {
    std::string name = makeIdentifier(kernel->name);
    while (llvm::is_contained(names, name))
      name += "_";
    names.push_back(name);
  }
  std::string guard = "TESSERA_LAUNCHERS_" + llvm::join(names, "_") + "_H";
  os << "/*\n * Typed launchers of the kernels of a package for "
     << comment(package.target) << ": " << llvm::join(names, ", ")
     << ".\n * Generated; needs tessera-c/Runtime.h and libtessera_runtime."
     << "\n */\n#ifndef " << guard << "\n#define " << guard << "\n"
     << kPrologue;
  for (auto [kernel, name] : llvm::zip(kernels, names))
    KernelWriter(*kernel, name, os).write();
  os << kEpilogue << "\n#endif /* " << guard << " */\n";
  return text;
}
