//===- Signature.h - Parameters of a kernel ---------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parameters of a kernel, which is an operation in the compiler or the
// metadata of a package. `--arg`, `--expect` and similar options are checked
// against them.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TOOLS_LAUNCH_SIGNATURE_H
#define TESSERA_TOOLS_LAUNCH_SIGNATURE_H

#include "tessera/Array/NDArray.h"
#include "llvm/ADT/MapVector.h"

namespace tessera::tools {

struct Parameter {
  std::string name;
  bool isTensor = false;
  array::ElementType type = array::ElementType::F32;
  /// The name of the type in messages: "bf16", or "int".
  std::string typeName;
  /// "in", "out" or "inout"; "in" for scalars.
  std::string access = "in";
  /// Rank of a tensor.
  unsigned rank = 0;
  /// Whether a scalar accepts only integers, of any width.
  bool isIndex = false;

  bool isOutput() const { return access == "out"; }
  /// Returns "'a' is a tensor of rank 2 of bf16".
  std::string describe() const;
};

struct Signature {
  std::string kernel;
  std::vector<Parameter> parameters;

  /// Returns the parameter `name`, which the option `option` names.
  llvm::Expected<unsigned> find(llvm::StringRef option,
                                llvm::StringRef name) const;
  /// Does the same for options that apply only to tensors.
  llvm::Expected<unsigned> findTensor(llvm::StringRef option,
                                      llvm::StringRef name) const;
};

/// `NAME=VALUE` options in the order of the command line.
using NamedTexts = llvm::MapVector<llvm::StringRef, llvm::StringRef>;

/// Splits the values of the option `option`. Each name may be given once.
llvm::Expected<NamedTexts> splitNames(llvm::StringRef option,
                                      llvm::ArrayRef<std::string> values);

} // namespace tessera::tools

#endif // TESSERA_TOOLS_LAUNCH_SIGNATURE_H
