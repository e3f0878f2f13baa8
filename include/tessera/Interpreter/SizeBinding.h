//===- SizeBinding.h - Values of a kernel's named sizes ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Named sizes of a kernel follow from the shapes of the tensors and the values
// of the `index` parameters of a launch. A name is bound by the first dimension
// of the form `name + constant`, or by the parameter of that name. Every other
// occurrence is checked against this value.
//
// Errors are errors of the launch, not defects of the IR, so they are returned
// as text.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_INTERPRETER_SIZEBINDING_H
#define TESSERA_INTERPRETER_SIZEBINDING_H

#include "tessera/Array/NDArray.h"
#include "tessera/Interpreter/KernelView.h"

#include "llvm/ADT/StringMap.h"

namespace tessera::interp {

class SizeBinding {
public:
  /// The known values of one parameter: the shape of a tensor, or the value of
  /// an `index`. Other scalars, and outputs that will be allocated, have
  /// neither.
  struct Known {
    std::optional<array::Shape> shape;
    std::optional<int64_t> index;
  };

  /// Binds the sizes of `kernel` and checks all dimensions that are known.
  /// `given` contains sizes that no parameter binds.
  static llvm::Expected<SizeBinding>
  bind(const KernelView &kernel, ArrayRef<Known> parameters,
       const llvm::StringMap<int64_t> &given = {});

  std::optional<int64_t> lookup(StringRef name) const;
  std::optional<int64_t> evaluate(tile::SizeAttr size) const;

  /// Returns the shape of the tensor parameter `index`, if its sizes are bound.
  llvm::Expected<array::Shape> getShape(const KernelView &kernel,
                                        unsigned index) const;

private:
  struct Bound {
    int64_t value;
    std::string reason; // "dimension 1 of 'a'"
  };

  llvm::Error define(StringRef name, int64_t value, std::string reason);
  std::string explain(tile::SizeAttr size) const;

  llvm::StringMap<Bound> sizes;
};

} // namespace tessera::interp

#endif // TESSERA_INTERPRETER_SIZEBINDING_H
