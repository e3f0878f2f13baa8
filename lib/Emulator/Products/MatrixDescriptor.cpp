//===- MatrixDescriptor.cpp - Operands in shared memory ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Shared Memory Matrix Layout", "Strides" and "Matrix descriptor
// format". As elements of 16 bytes, the operand is a matrix with m or n along
// one dimension and k along the other. An element has 16 bytes along the major
// dimension. It is made of atoms, each contiguous:
//
//            without swizzle                with one of span W
//   K-major  8 of m x 1: 8 rows of 16 bytes  8 of m x W/16: 8 rows of W bytes
//   M-major  1 x 8 of k: 8 rows of 16 bytes  W/16 x 8 of k: 8 rows of W bytes
//
// and the two offsets of the descriptor lead from atom to atom:
//
//            leading offset                  stride offset
//   K-major  along k; with a swizzle unused, to the next 8 of m or n
//            because 32 bytes of k, which
//            is all that is read, are in
//            one atom
//   M-major  without swizzle to the next 8   without swizzle to the next 16
//            of k, with one to the next W    bytes of m, with one to the next 8
//            bytes of m                      of k
//
// The XOR swizzle then exchanges parts of 16 bytes by bits of the address, so
// an operand may start within an atom. CUTLASS moves the start by 32 bytes from
// one step of k to the next.
//
//===----------------------------------------------------------------------===//

#include "tessera/Emulator/MatrixProduct.h"

#include "llvm/ADT/Twine.h"

using namespace tessera::emu;
using llvm::createStringError;
using llvm::Twine;

/// Addresses of operands have 18 bits.
static constexpr uint32_t kOperandAddressMask = 0x3FFFF;

llvm::Expected<MatrixDescriptor> MatrixDescriptor::decode(uint64_t bits) {
  auto offset = [&](unsigned lowest) {
    return static_cast<uint32_t>(bits >> lowest & 0x3FFF) << 4;
  };
  MatrixDescriptor descriptor;
  descriptor.address = offset(0);
  descriptor.leadingOffset = offset(16);
  descriptor.strideOffset = offset(32);
  descriptor.baseOffset = bits >> 49 & 7;
  descriptor.swizzle = bits >> 62;
  constexpr uint64_t kFields =
      0x3FFFull | 0x3FFFull << 16 | 0x3FFFull << 32 | 7ull << 49 | 3ull << 62;
  if (uint64_t rest = bits & ~kFields)
    return createStringError(
        "the matrix descriptor 0x" + Twine::utohexstr(bits) +
        " has bits outside of its fields, 0x" + Twine::utohexstr(rest) +
        ": mask addresses and offsets with 0x3FFFF before the shift");
  if (descriptor.swizzle == 0 && descriptor.baseOffset != 0)
    return createStringError("the matrix descriptor 0x" +
                             Twine::utohexstr(bits) +
                             " has a base offset without a swizzle");
  return descriptor;
}

uint32_t tessera::emu::getOperandByte(const MatrixDescriptor &descriptor,
                                      Type type, bool isKMajor, unsigned outer,
                                      unsigned inner) {
  unsigned elementBytes = type == Type::TF32                        ? 4
                          : type == Type::F16 || type == Type::BF16 ? 2
                                                                    : 1;
  // In bytes along the major dimension, in elements along the other.
  unsigned major = (isKMajor ? inner : outer) * elementBytes;
  unsigned minor = isKMajor ? outer : inner;
  unsigned span = descriptor.getSpan();
  // Number of atoms before that of the element, along both dimensions. A
  // K-major atom with a swizzle contains all k of one instruction.
  bool isOneAtomWide = isKMajor && descriptor.swizzle != 0;
  unsigned majorAtom = isOneAtomWide ? 0 : major / span;
  unsigned minorAtom = minor / 8;
  uint32_t majorOffset = descriptor.leadingOffset;
  uint32_t minorOffset = descriptor.strideOffset;
  if (!isKMajor && descriptor.swizzle == 0)
    std::swap(majorOffset, minorOffset);
  uint32_t address = descriptor.address + majorAtom * majorOffset +
                     minorAtom * minorOffset + minor % 8 * span +
                     (major - majorAtom * span);
  if (descriptor.swizzle != 0) {
    // Patterns begin at multiples of 1024, 512 or 256 bytes. With a base offset
    // of n, they begin n times 128 bytes later.
    uint32_t row = address / 128 - descriptor.baseOffset;
    address ^= row % (span / 16) * 16;
  }
  return address & kOperandAddressMask;
}
