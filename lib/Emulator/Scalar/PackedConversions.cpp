//===- PackedConversions.cpp - Pairs, f8 and tf32 ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Data Movement and Conversion Instructions": the forms of cvt with
// two results in one register, conversions from and to f8 and to tf32, and
// cvt.pack. The first operand becomes the upper half.
//
//===----------------------------------------------------------------------===//

#include "Conversion.h"
#include "ScalarFamilies.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace tessera::emu;
namespace emu = tessera::emu;
namespace array = tessera::array;
using array::ElementType;

template <typename H, Rounding mode, bool isFinite, bool isRelu>
static uint32_t narrowPair(float upper, float lower) {
  return uint32_t(narrow<H, mode, isFinite, isRelu>(upper).bits) << 16 |
         narrow<H, mode, isFinite, isRelu>(lower).bits;
}

/// Returns an f8 number. Larger numbers become the largest; a NaN has all bits
/// set except the sign.
template <ElementType type, bool isRelu>
static uint8_t encodeFinite(float value) {
  constexpr float largest = type == ElementType::F8E4M3FN ? 448 : 57344;
  if (std::isnan(value))
    return 0x7f;
  if (isRelu && std::signbit(value))
    return 0;
  value = std::clamp(value, -largest, largest);
  return static_cast<uint8_t>(array::encode(type, array::roundTo(type, value)));
}

template <ElementType type, bool isRelu>
static uint16_t encodePair(float upper, float lower) {
  return static_cast<uint16_t>(encodeFinite<type, isRelu>(upper) << 8 |
                               encodeFinite<type, isRelu>(lower));
}

template <ElementType type, bool isRelu>
static uint16_t encodeHalves(uint32_t pair) {
  return encodePair<type, isRelu>(fromWord<F16>(pair >> 16).getValue(),
                                  fromWord<F16>(pair).getValue());
}

template <ElementType type, bool isRelu>
static uint32_t decodePair(uint16_t pair) {
  auto decode = [](uint32_t bits) {
    F16 result = F16::round(array::decode(type, bits));
    return isRelu ? result.clampToPositive() : result;
  };
  return uint32_t(decode(pair >> 8).bits) << 16 | decode(pair & 0xff).bits;
}

/// The rounding of the 13 bits that tf32 does not have.
enum class CutRounding { Away, Nearest, Zero };

template <CutRounding mode, bool isFinite, bool isRelu>
static uint32_t roundToTF32(float value) {
  constexpr uint32_t cut = (1u << 13) - 1;
  if (std::isnan(value))
    return kNaN32;
  if (isRelu && std::signbit(value))
    return 0;
  auto bits = static_cast<uint32_t>(toWord(value));
  uint32_t sign = bits & 0x80000000;
  uint32_t magnitude = bits ^ sign;
  // A carry continues into the exponent, and from the largest number to
  // infinity.
  if (std::isfinite(value)) {
    if (mode == CutRounding::Away)
      magnitude += cut / 2 + 1;
    else if (mode == CutRounding::Nearest)
      magnitude += cut / 2 + (magnitude >> 13 & 1);
  }
  magnitude &= ~cut;
  constexpr uint32_t infinity = 0x7f800000;
  if (isFinite && magnitude == infinity)
    magnitude = (infinity - 1) & ~cut;
  return sign | magnitude;
}

template <typename H>
static llvm::Expected<ScalarForm> findHalfPair(FormName &name, Type target) {
  std::optional<unsigned> mode = name.takeOneOf({"rn", "rz"});
  if (!mode)
    return name.refuse("'.rn' or '.rz' is missing");
  bool isRelu = name.take("relu"), isFinite = name.take("satfinite");
  ScalarFunction function = visitRounding(
      *mode == 0 ? Rounding::NearestTiesToEven : Rounding::TowardZero,
      [&](auto mode) {
        return visitFlag(isFinite, [&](auto finite) {
          return isRelu ? lift<narrowPair<H, mode, finite, true>>
                        : lift<narrowPair<H, mode, finite, false>>;
        });
      });
  return name.makeForm(function, target, {Type::F32, Type::F32});
}

template <ElementType type>
static llvm::Expected<ScalarForm> findEncoding(FormName &name, Type target,
                                               Type source, bool isRelu) {
  if (!name.take("satfinite"))
    return name.refuse("'.satfinite' is missing");
  if (source == Type::F32)
    return name.makeForm(isRelu ? lift<encodePair<type, true>>
                                : lift<encodePair<type, false>>,
                         target, {Type::F32, Type::F32});
  return name.makeForm(isRelu ? lift<encodeHalves<type, true>>
                              : lift<encodeHalves<type, false>>,
                       target, {Type::F16x2});
}

template <ElementType type>
static ScalarFunction chooseDecoding(bool isRelu) {
  return isRelu ? lift<decodePair<type, true>> : lift<decodePair<type, false>>;
}

static llvm::Expected<ScalarForm> findTF32(FormName &name) {
  std::optional<unsigned> mode = name.takeOneOf({"rna", "rn", "rz"});
  if (!mode)
    return name.refuse("a rounding (.rna, .rn, .rz) is missing");
  bool isFinite = name.take("satfinite");
  bool isRelu = *mode != 0 && name.take("relu");
  ScalarFunction function = visitFlag(isFinite, [&](auto finite) {
    return visitFlag(isRelu, [&](auto relu) {
      return *mode == 0 ? lift<roundToTF32<CutRounding::Away, finite, relu>>
             : *mode == 1
                 ? lift<roundToTF32<CutRounding::Nearest, finite, relu>>
                 : lift<roundToTF32<CutRounding::Zero, finite, relu>>;
    });
  });
  return name.makeForm(function, Type::TF32, {Type::F32});
}

llvm::Expected<ScalarForm> emu::findPackedConversion(FormName &name,
                                                     Type target) {
  llvm::Expected<Type> source =
      name.takeType({Type::F32, Type::F16x2, Type::E4M3x2, Type::E5M2x2});
  if (!source)
    return source.takeError();
  bool isFromF8 = *source == Type::E4M3x2 || *source == Type::E5M2x2;
  bool isToF8 = target == Type::E4M3x2 || target == Type::E5M2x2;
  if (*source == Type::F32 && !isToF8)
    return target == Type::TF32    ? findTF32(name)
           : target == Type::F16x2 ? findHalfPair<F16>(name, target)
                                   : findHalfPair<BF16>(name, target);
  if (isFromF8 ? target != Type::F16x2 : !isToF8)
    return name.refuse("these types do not go together");
  if (!name.take("rn"))
    return name.refuse("'.rn' is missing");
  bool isRelu = name.take("relu");
  if (isFromF8)
    return name.makeForm(*source == Type::E4M3x2
                             ? chooseDecoding<ElementType::F8E4M3FN>(isRelu)
                             : chooseDecoding<ElementType::F8E5M2>(isRelu),
                         target, {*source});
  return target == Type::E4M3x2
             ? findEncoding<ElementType::F8E4M3FN>(name, target, *source,
                                                   isRelu)
             : findEncoding<ElementType::F8E5M2>(name, target, *source, isRelu);
}

template <unsigned bits, bool isSigned>
static uint32_t packTwo(int32_t upper, int32_t lower) {
  auto convert = [](int32_t value) {
    constexpr int32_t least = isSigned ? -(1 << (bits - 1)) : 0;
    constexpr int32_t largest = (1 << (isSigned ? bits - 1 : bits)) - 1;
    return static_cast<uint32_t>(std::clamp(value, least, largest)) &
           llvm::maskTrailingOnes<uint32_t>(bits);
  };
  return convert(upper) << bits | convert(lower);
}

/// Packs two integers; the low bits of `rest` follow above them.
template <unsigned bits, bool isSigned>
static uint32_t packOnto(int32_t upper, int32_t lower, uint32_t rest) {
  return rest << (2 * bits) | packTwo<bits, isSigned>(upper, lower);
}

llvm::Expected<ScalarForm> emu::findIntegerPacking(FormName &name) {
  if (!name.take("sat"))
    return name.refuse("'.sat' is missing");
  // Integers below 8 bits have no Type.
  constexpr ScalarFunction functions[] = {
      lift<packTwo<16, false>>, lift<packTwo<16, true>>,
      lift<packOnto<8, false>>, lift<packOnto<8, true>>,
      lift<packOnto<4, false>>, lift<packOnto<4, true>>,
      lift<packOnto<2, false>>, lift<packOnto<2, true>>};
  std::optional<unsigned> place =
      name.takeOneOf({"u16", "s16", "u8", "s8", "u4", "s4", "u2", "s2"});
  if (!place)
    return name.refuse("the type of the parts is missing");
  llvm::Expected<Type> source = name.takeType({Type::S32});
  if (!source)
    return source.takeError();
  if (*place < 2)
    return name.makeForm(functions[*place], Type::B32, {*source, *source});
  llvm::Expected<Type> rest = name.takeType({Type::B32});
  if (!rest)
    return rest.takeError();
  return name.makeForm(functions[*place], Type::B32, {*source, *source, *rest});
}
