//===- LaunchPlan.h - From arguments to a launch ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of a launch that needs no driver. The arguments of the caller are
// checked against the metadata, sizes are bound, and the numbers of the launch
// and of its tensor maps are computed. An error names the wrong argument, the
// expected value and the reason. For a wrong size, it names the dimension that
// bound the size.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_RUNTIME_LAUNCHPLAN_H
#define TESSERA_RUNTIME_LAUNCHPLAN_H

#include "tessera/Runtime/KernelMetadata.h"
#include "llvm/ADT/StringMap.h"
#include <variant>

namespace tessera::rt {

/// A tensor in device memory.
struct TensorArgument {
  uint64_t address = 0;
  array::ElementType dtype = array::ElementType::F32;
  llvm::SmallVector<int64_t, 5> shape;
  /// In elements; empty for dense and row-major tensors.
  llvm::SmallVector<int64_t, 5> strides = {};
};

/// The argument for one parameter: a tensor, an integer or a float.
using Argument = std::variant<TensorArgument, int64_t, double>;

/// The arguments of cuTensorMapEncodeTiled (innermost dimension first).
struct TensorMapArguments {
  /// A CUtensorMapDataType.
  int type = 0;
  /// The mapped memory: an argument, the single zero of the launcher, or the
  /// single element of the launcher that may be overwritten.
  enum class Memory : uint8_t { Argument, Zero, Sink };
  Memory memory = Memory::Argument;
  uint64_t address = 0;
  llvm::SmallVector<uint64_t, 5> dims;
  /// In bytes, from dimension 1 on.
  llvm::SmallVector<uint64_t, 5> strides;
  llvm::SmallVector<uint32_t, 5> box;
  llvm::SmallVector<uint32_t, 5> elementStrides;
  /// A CUtensorMapSwizzle.
  int swizzle = 0;
};

/// Plans the map of `recipe` over `tensor`, the argument for `parameter`. No
/// map has an extent of 0. An empty tensor that is only read gets a map over a
/// single zero, since elements outside a tensor also read as zero. An empty
/// tensor that is written gets a map over a single element that no kernel
/// reads: written tensors are not read through maps.
llvm::Expected<TensorMapArguments> planTensorMap(const TensorMapRecipe &recipe,
                                                 const ParameterInfo &parameter,
                                                 const TensorArgument &tensor);

/// The arguments are right, but this variant of the kernel does not support
/// them: a condition does not hold, or a tensor map cannot be encoded.
class ConditionError : public llvm::ErrorInfo<ConditionError> {
public:
  static char ID;
  explicit ConditionError(const llvm::Twine &message) : text(message.str()) {}

  void log(llvm::raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  std::string text;
};

/// A launch without the tensor maps, which the driver encodes.
struct LaunchPlan {
  /// The value of each size, in the order of the metadata.
  std::vector<int64_t> sizes;
  /// Number of blocks. A persistent kernel has one per program here, since only
  /// the launcher knows the device. If one number is 0, there is no launch, and
  /// the other fields are empty.
  unsigned grid[3] = {0, 0, 0};
  /// Whether blocks may start while the launch before this one ends.
  bool overlapsPrevious = false;
  std::vector<TensorMapArguments> tensorMaps;
  /// The bytes of each argument of the machine code; empty for tensor maps.
  std::vector<llvm::SmallVector<uint8_t, 8>> arguments;

  bool isEmpty() const { return !grid[0] || !grid[1] || !grid[2]; }
};

/// Plans the launch of `kernel` with one argument per parameter, in order.
/// `sizes` contains the sizes that no argument binds; other sizes in it are
/// checked against the arguments. Fails with ConditionError if another variant
/// may support the launch.
llvm::Expected<LaunchPlan>
planLaunch(const KernelMetadata &kernel, llvm::ArrayRef<Argument> arguments,
           const llvm::StringMap<int64_t> &sizes = {});

} // namespace tessera::rt

#endif // TESSERA_RUNTIME_LAUNCHPLAN_H
