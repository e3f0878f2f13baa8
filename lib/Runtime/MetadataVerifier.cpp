//===- MetadataVerifier.cpp - Checks of kernel metadata ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The properties of metadata that hold before any launch: names are known and
// unique, indices are in range, and every number is possible for a GPU. The
// driver checks the limits of the GPU itself, since a newer GPU may permit
// more.
//
//===----------------------------------------------------------------------===//

#include "tessera/Runtime/KernelMetadata.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace tessera::rt;
using llvm::createStringError;
using llvm::Error;
using llvm::StringRef;
using llvm::Twine;
using tessera::array::ElementType;

/// More than any GPU has; prevents overflow in the arithmetic of a launch.
static constexpr int64_t kMaxThreads = 1024;
static constexpr int64_t kMaxSharedMemory = 1 << 20;
static constexpr int64_t kMaxClusterBlocks = 16;

namespace {
class Verifier {
public:
  explicit Verifier(const KernelMetadata &kernel) : kernel(kernel) {}

  Error verify() {
    if (kernel.name.empty() || kernel.entry.empty())
      return fail("expected a name and an entry");
    // Names are printed, also by the messages below.
    for (StringRef name : {StringRef(kernel.name), StringRef(kernel.entry)})
      if (Error error = verifyText(name))
        return error;
    for (StringRef size : kernel.sizes)
      if (Error error = verifyText(size))
        return error;
    for (const ParameterInfo &parameter : kernel.parameters)
      if (Error error = verifyText(parameter.name))
        return error;
    for (StringRef size : kernel.sizes)
      if (!names.insert(size).second)
        return fail("size '" + size + "' is listed twice");
    llvm::StringSet<> parameters;
    for (const ParameterInfo &parameter : kernel.parameters) {
      if (!parameters.insert(parameter.name).second)
        return fail("parameter '" + parameter.name + "' is listed twice");
      if (Error error = verifyParameter(parameter))
        return error;
    }
    for (const Equality &equality : kernel.equalities) {
      if (Error error = verifyExpression(equality.left))
        return error;
      if (Error error = verifyExpression(equality.right))
        return error;
    }
    for (const SizeExpression &condition : kernel.conditions)
      if (Error error = verifyExpression(condition))
        return error;
    for (const Alignment &alignment : kernel.alignments)
      if (Error error = verifyAlignment(alignment))
        return error;
    for (const TensorMapRecipe &recipe : kernel.tensorMaps)
      if (Error error = verifyTensorMap(recipe))
        return error;
    for (const ArgumentInfo &argument : kernel.arguments)
      if (Error error = verifyArgument(argument))
        return error;
    if (kernel.reports)
      if (Error error = verifyReports(*kernel.reports))
        return error;
    return verifyLaunch();
  }

private:
  /// Checks that all characters of a name are printable, so that no terminal
  /// interprets them.
  static Error verifyText(StringRef name) {
    if (llvm::all_of(name, llvm::isPrint))
      return Error::success();
    std::string shown;
    llvm::raw_string_ostream os(shown);
    llvm::printEscapedString(name, os);
    return createStringError("the name '" + shown +
                             "' has characters that cannot be printed");
  }

  Error fail(const Twine &message) const {
    return createStringError("metadata of kernel '" + Twine(kernel.name) +
                             "': " + message);
  }

  Error verifyExpression(const SizeExpression &expression) const {
    for (StringRef name : expression.getNames())
      if (!names.contains(name))
        return fail("'" + expression.getText() + "' names the unknown size '" +
                    name + "'");
    return Error::success();
  }

  Error verifyParameter(const ParameterInfo &parameter) const {
    if (parameter.isIndex && (parameter.kind != ParameterInfo::Kind::Scalar ||
                              parameter.dtype != array::ElementType::I32))
      return fail("'" + parameter.name + "' is an index, but no scalar of i32");
    if (parameter.kind == ParameterInfo::Kind::Scalar)
      return parameter.dims.empty()
                 ? Error::success()
                 : fail("scalar '" + parameter.name + "' has dimensions");
    if (parameter.alignment &&
        (parameter.alignment < 0 || !llvm::isPowerOf2_64(parameter.alignment)))
      return fail("the alignment of '" + parameter.name +
                  "' is no power of two");
    for (const SizeExpression &dim : parameter.dims)
      if (Error error = verifyExpression(dim))
        return error;
    return Error::success();
  }

  /// Returns the tensor parameter `index`, or null.
  const ParameterInfo *getTensor(unsigned index) const {
    if (index >= kernel.parameters.size() ||
        kernel.parameters[index].kind != ParameterInfo::Kind::Tensor)
      return nullptr;
    return &kernel.parameters[index];
  }

  Error verifyAlignment(const Alignment &alignment) const {
    if (!getTensor(alignment.parameter))
      return fail("an alignment is of parameter " + Twine(alignment.parameter) +
                  ", which is no tensor");
    // Launches at other addresses compare that many bytes.
    if (alignment.bytes < 1 || alignment.bytes > 16 ||
        !llvm::isPowerOf2_64(alignment.bytes))
      return fail("an alignment of " + Twine(alignment.bytes) +
                  " bytes is no power of two up to 16");
    return Error::success();
  }

  Error verifyTensorMap(const TensorMapRecipe &recipe) const {
    const ParameterInfo *tensor = getTensor(recipe.parameter);
    if (!tensor)
      return fail("a tensor map is over parameter " + Twine(recipe.parameter) +
                  ", which is no tensor");
    size_t rank = tensor->dims.size();
    if (recipe.order.size() != rank || recipe.box.size() != rank ||
        (!recipe.elementStrides.empty() &&
         recipe.elementStrides.size() != rank))
      return fail("a tensor map over '" + tensor->name + "' has not its rank " +
                  Twine(rank));
    llvm::SmallVector<bool> seen(rank, false);
    for (unsigned dim : recipe.order) {
      if (dim >= rank || seen[dim])
        return fail("the order of a tensor map over '" + tensor->name +
                    "' is no permutation");
      seen[dim] = true;
    }
    return Error::success();
  }

  Error verifyArgument(const ArgumentInfo &argument) const {
    using Kind = ArgumentInfo::Kind;
    bool typed =
        argument.type == ElementType::I32 || argument.type == ElementType::I64;
    const ParameterInfo *tensor = getTensor(argument.index);
    switch (argument.kind) {
    case Kind::TensorMap:
      if (argument.index >= kernel.tensorMaps.size())
        return fail("an argument is tensor map " + Twine(argument.index) +
                    ", which does not exist");
      return Error::success();
    case Kind::Address:
      return tensor ? Error::success()
                    : fail("an argument is the address of parameter " +
                           Twine(argument.index) + ", which is no tensor");
    case Kind::Stride:
      if (!tensor || argument.dim >= tensor->dims.size())
        return fail("an argument is a stride that does not exist");
      break;
    case Kind::Scalar:
      if (tensor || argument.index >= kernel.parameters.size())
        return fail("an argument is the value of parameter " +
                    Twine(argument.index) + ", which is no scalar");
      return Error::success();
    case Kind::Counter:
      return kernel.persistent || kernel.cooperative
                 ? Error::success()
                 : fail("an argument is a counter, but blocks neither fetch "
                        "programs nor meet at barriers of the grid");
    case Kind::Reports:
      return kernel.reports ? Error::success()
                            : fail("an argument is a buffer of checks, but "
                                   "the kernel has none");
    case Kind::Size:
      if (!argument.size)
        return fail("an argument is a size without an expression");
      if (Error error = verifyExpression(*argument.size))
        return error;
      break;
    }
    return typed ? Error::success()
                 : fail("sizes and strides are passed as i32 or i64");
  }

  Error verifyReports(const ReportInfo &reports) const {
    for (const ReportInfo::Axis &axis : reports.axes) {
      if (Error error = verifyText(axis.name))
        return error;
      if (Error error = verifyExpression(axis.count))
        return error;
    }
    for (const auto *sites : {&reports.checks, &reports.prints})
      for (const ReportInfo::Site &site : *sites)
        for (StringRef text : {StringRef(site.file), StringRef(site.text)})
          if (llvm::any_of(
                  text, [](unsigned char c) { return c < ' ' || c == 0x7f; }))
            return fail("the text of a check has control characters");
    return Error::success();
  }

  Error verifyLaunch() const {
    if (kernel.grid.size() != 3)
      return fail("expected a grid of three extents, got " +
                  Twine(kernel.grid.size()));
    for (const SizeExpression &extent : kernel.grid)
      if (Error error = verifyExpression(extent))
        return error;
    if (kernel.persistent &&
        (kernel.grid[1].getText() != "1" || kernel.grid[2].getText() != "1"))
      return fail("a persistent kernel has a grid along x alone");
    if (kernel.cooperative && kernel.persistent)
      return fail("blocks that meet at barriers of the grid run one program "
                  "each, but the kernel is persistent");
    int64_t blocks = 1;
    for (int64_t extent : kernel.cluster) {
      if (extent < 1 || extent > kMaxClusterBlocks)
        return fail("a cluster extent of " + Twine(extent) + " is none");
      blocks *= extent;
    }
    if (blocks > kMaxClusterBlocks)
      return fail("a cluster of " + Twine(blocks) + " blocks is too large");
    if (kernel.threads < 1 || kernel.threads > kMaxThreads)
      return fail("expected 1 to " + Twine(kMaxThreads) + " threads, got " +
                  Twine(kernel.threads));
    if (kernel.sharedMemory < 0 || kernel.sharedMemory > kMaxSharedMemory)
      return fail("shared memory of " + Twine(kernel.sharedMemory) +
                  " bytes is none");
    return Error::success();
  }

  const KernelMetadata &kernel;
  llvm::StringSet<> names;
};
} // namespace

Error tessera::rt::verifyKernelMetadata(const KernelMetadata &kernel) {
  return Verifier(kernel).verify();
}
