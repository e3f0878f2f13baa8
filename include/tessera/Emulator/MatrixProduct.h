//===- MatrixProduct.h - Products of the tensor cores -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What wgmma.mma_async computes (PTX ISA, 9.7.15): operands in shared memory
// through descriptors, fragments in registers, sums in f32, f16 or s32.
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

  /// The bytes of one row of a pattern: 128, 64, 32, or 16 without swizzle.
  unsigned getSpan() const { return swizzle == 0 ? 16 : 256u >> swizzle; }
};

/// The form of one wgmma.mma_async.
struct ProductForm {
  static constexpr unsigned kM = 64, kThreads = 128;

  unsigned n = 0, k = 0;
  Type d = Type::F32, a = Type::F16, b = Type::F16;
  /// A comes from registers, else through a descriptor.
  bool aInRegisters = false;
  bool isSaturating = false;

  /// Places in Instruction::operands. D is a Vector of countAccumulators()
  /// registers; A a Vector of countARegisters(), or a descriptor (a Register or
  /// an Integer), which B always is; scale-d a predicate (a Register, Negated
  /// or an Integer). `get` has checked that.
  static constexpr unsigned kD = 0, kA = 1, kB = 2, kScaleD = 3;

  /// Which immediates follow scale-d: imm-scale-a and imm-scale-b; then
  /// imm-trans-a, imm-trans-b. Only these forms read operands along m or n.
  bool hasScales() const { return d != Type::S32; }
  bool hasTransposeA() const { return hasTransposeB() && !aInRegisters; }
  bool hasTransposeB() const { return a == Type::F16 || a == Type::BF16; }
  unsigned countOperands() const {
    return kScaleD + 1 + 2 * hasScales() + hasTransposeA() + hasTransposeB();
  }

  /// 32-bit registers of each thread.
  unsigned countAccumulators() const { return d == Type::F16 ? n / 4 : n / 2; }
  unsigned countARegisters() const { return 4; }
  /// Elements in one of them.
  unsigned countInAccumulator() const { return d == Type::F16 ? 2 : 1; }
  unsigned countInARegister() const { return k / 8; }

  /// From the parts of the name and the operands; an error without location
  /// if the form does not exist.
  static llvm::Expected<ProductForm> get(const Instruction &instruction);
};

/// What the immediates of an instruction say. Operands that are not transposed
/// are K-major.
struct ProductImmediates {
  bool negatesA = false, negatesB = false;
  bool transposesA = false, transposesB = false;

  /// Of an instruction of this form; fails for values that do not exist.
  static llvm::Expected<ProductImmediates> get(const ProductForm &form,
                                               const Instruction &instruction);
};

/// A place of an accumulator: element (row, column) of the 64 x n result lies
/// in register `reg` of thread `thread` of the warpgroup (0 to 127); of 16-bit
/// types `half` says in which half (0 the low one).
struct FragmentPlace {
  unsigned row, column;
};
FragmentPlace getAccumulatorPlace(const ProductForm &form, unsigned thread,
                                  unsigned reg, unsigned half);
/// The same of operand A in registers, of 64 x k; registers hold one element of
/// 32 bits, two of 16 or four of 8 (`part` says which; 0 the lowest).
FragmentPlace getAPlace(const ProductForm &form, unsigned thread, unsigned reg,
                        unsigned part);

/// The byte of element (`outer`, `inner`) of an operand in shared memory, where
/// `inner` walks along k and `outer` along m or n; `isKMajor` is false for
/// operands that are transposed. Wraps like the addresses of descriptors.
uint32_t getOperandByte(const MatrixDescriptor &descriptor, Type type,
                        bool isKMajor, unsigned outer, unsigned inner);

/// What an instruction does but for where its operands are: `a` and `b` are the
/// bits of elements (row-major m x k, and n x k), `d` is read and written
/// (m x n, bits of its type; m is 64 for wgmma). Products of floats are exact,
/// and the sum over k of one instruction is computed in double, added to D and
/// rounded to the accumulator's type once; docs/design/emulator.md says what is
/// known of machines.
struct ProductScales {
  bool keepsD = true; // scale-d
  bool negatesA = false, negatesB = false;
};
void multiply(const ProductForm &form, ProductScales scales,
              ArrayRef<uint32_t> a, ArrayRef<uint32_t> b,
              llvm::MutableArrayRef<uint32_t> d);

} // namespace tessera::emu

#endif // TESSERA_EMULATOR_MATRIXPRODUCT_H
