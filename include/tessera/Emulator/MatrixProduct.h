//===- MatrixProduct.h - Products of the tensor cores -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The computation of wgmma.mma_async (PTX ISA, 9.7.15): operands in shared
// memory by descriptors, fragments in registers, sums in f32, f16 or s32.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_EMULATOR_MATRIXPRODUCT_H
#define TESSERA_EMULATOR_MATRIXPRODUCT_H

#include "tessera/Emulator/Module.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace tessera::emu {

/// PTX ISA, "Matrix descriptor format" of wgmma.
struct MatrixDescriptor {
  /// In bytes.
  uint32_t address, leadingOffset, strideOffset;
  unsigned baseOffset;
  /// 0 none, 1 128 bytes, 2 64 bytes, 3 32 bytes.
  unsigned swizzle;

  /// Fails if bits that must be zero are set.
  static llvm::Expected<MatrixDescriptor> decode(uint64_t bits);

  /// Returns the bytes of one row of a pattern: 128, 64, 32, or 16 without
  /// swizzle.
  unsigned getSpan() const { return swizzle == 0 ? 16 : 256u >> swizzle; }
};

/// The form of one wgmma.mma_async.
struct ProductForm {
  static constexpr unsigned kM = 64, kThreads = 128;

  unsigned n = 0, k = 0;
  Type d = Type::F32, a = Type::F16, b = Type::F16;
  /// A is in registers, else in shared memory by a descriptor.
  bool aInRegisters = false;
  bool isSaturating = false;

  /// Indices in Instruction::operands, which `get` has checked. D is a Vector
  /// of countAccumulators() registers. A is a Vector of countARegisters(), or a
  /// descriptor like B (a Register or an Integer). scale-d is a predicate (a
  /// Register, Negated or an Integer).
  static constexpr unsigned kD = 0, kA = 1, kB = 2, kScaleD = 3;

  /// The immediates after scale-d: imm-scale-a and imm-scale-b, then
  /// imm-trans-a and imm-trans-b. Only the latter forms read operands along m
  /// or n.
  bool hasScales() const { return d != Type::S32; }
  bool hasTransposeA() const { return hasTransposeB() && !aInRegisters; }
  bool hasTransposeB() const { return a == Type::F16 || a == Type::BF16; }
  unsigned countOperands() const {
    return kScaleD + 1 + 2 * hasScales() + hasTransposeA() + hasTransposeB();
  }

  /// Number of 32-bit registers of each thread.
  unsigned countAccumulators() const { return d == Type::F16 ? n / 4 : n / 2; }
  unsigned countARegisters() const { return 4; }
  /// Number of elements in one register.
  unsigned countInAccumulator() const { return d == Type::F16 ? 2 : 1; }
  unsigned countInARegister() const { return k / 8; }

  /// Returns the form of an instruction, from the parts of its name and its
  /// operands. Fails, without a location, if the form does not exist.
  static llvm::Expected<ProductForm> get(const Instruction &instruction);
};

/// The immediates of an instruction. Operands that are not transposed are
/// K-major.
struct ProductImmediates {
  bool negatesA = false, negatesB = false;
  bool transposesA = false, transposesB = false;

  /// Reads the immediates of an instruction of this form. Fails for undefined
  /// values.
  static llvm::Expected<ProductImmediates> get(const ProductForm &form,
                                               const Instruction &instruction);
};

/// The position of a register's element in a matrix. For accumulators, it is
/// element (row, column) of the 64 x n result in register `reg` of thread
/// `thread` of the warpgroup (0 to 127). For 16-bit types, `half` selects the
/// low (0) or high half.
struct FragmentPlace {
  unsigned row, column;
};
FragmentPlace getAccumulatorPlace(const ProductForm &form, unsigned thread,
                                  unsigned reg, unsigned half);
/// Returns the position of an element of operand A in registers, of 64 x k. A
/// register holds one element of 32 bits, two of 16 or four of 8; `part`
/// selects one of them, 0 being the lowest.
FragmentPlace getAPlace(const ProductForm &form, unsigned thread, unsigned reg,
                        unsigned part);

/// Returns the byte of element (`outer`, `inner`) of an operand in shared
/// memory, where `inner` is along k and `outer` along m or n. `isKMajor` is
/// false for transposed operands. Wraps like the addresses of descriptors.
uint32_t getOperandByte(const MatrixDescriptor &descriptor, Type type,
                        bool isKMajor, unsigned outer, unsigned inner);

/// Computes a product on matrices of bits. `a` and `b` are the elements,
/// row-major m x k and n x k; m is 64 for wgmma. `d` is read and written, m x
/// n, in the accumulator's type. Products of floats are exact. The sum over k
/// of one instruction is computed in double, added to D and rounded once to the
/// accumulator's type. docs/design/emulator.md describes how machines differ.
struct ProductScales {
  bool keepsD = true; // scale-d
  bool negatesA = false, negatesB = false;
};
void multiply(const ProductForm &form, ProductScales scales,
              ArrayRef<uint32_t> a, ArrayRef<uint32_t> b,
              llvm::MutableArrayRef<uint32_t> d);

} // namespace tessera::emu

#endif // TESSERA_EMULATOR_MATRIXPRODUCT_H
