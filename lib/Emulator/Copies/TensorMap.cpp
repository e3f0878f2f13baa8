//===- TensorMap.cpp - Tensor maps and their bytes --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks and encodes tensor maps. The rules are those of the driver's encoder.
// The 128 bytes hold the fields in order, a magic number and a hash: a damaged
// map, or one that another encoder made, is detected.
//
//===----------------------------------------------------------------------===//

#include "tessera/Emulator/TensorMap.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/xxhash.h"

using namespace tessera::emu;
using llvm::createStringError;
using llvm::Error;
using llvm::Twine;
namespace endian = llvm::support::endian;

namespace {
struct MapElementType {
  unsigned bytes;
  bool isFloat;
};
} // namespace

/// The element types by CUtensorMapDataType.
static constexpr MapElementType kMapTypes[] = {
    {1, false}, // UINT8
    {2, false}, // UINT16
    {4, false}, // UINT32
    {4, false}, // INT32
    {8, false}, // UINT64
    {8, false}, // INT64
    {2, true},  // FLOAT16
    {4, true},  // FLOAT32
    {8, true},  // FLOAT64
    {2, true},  // BFLOAT16
    {4, true},  // FLOAT32_FTZ
    {4, true},  // TFLOAT32
    {4, true},  // TFLOAT32_FTZ
};
static constexpr int kMapTypeCount = std::size(kMapTypes);
/// 16U4_ALIGN8B, 16U4_ALIGN16B and 16U6_ALIGN16B are the next three types.
static constexpr int kLastPackedMapType = kMapTypeCount + 2;

unsigned TensorMap::getElementBytes() const {
  return type >= 0 && type < kMapTypeCount ? kMapTypes[type].bytes : 0;
}

uint32_t TensorMap::getBoxExtent(unsigned dim) const {
  // Without interleaving, the first element stride is ignored.
  uint32_t step = dim == 0 ? 1 : elementStrides[dim];
  return step == 0 ? 0 : (box[dim] + step - 1) / step;
}

uint64_t TensorMap::getBoxBytes() const {
  uint64_t bytes = getElementBytes();
  for (unsigned dim = 0; dim < rank; ++dim)
    bytes *= getBoxExtent(dim);
  return bytes;
}

uint32_t TensorMap::getSwizzleSpan() const {
  return swizzle == 0 ? 0 : 16u << swizzle;
}

void TensorMap::fillOutOfBounds(llvm::MutableArrayRef<uint8_t> bytes) const {
  // The bits of the "special NaN" are not documented. These are a NaN in every
  // float type, and are reported to be those of machines.
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = fill == 0 ? 0 : i % 2 == 0 ? 0xF7 : 0x7F;
}

//===----------------------------------------------------------------------===//
// Rules of the encoder
//===----------------------------------------------------------------------===//

static Error failMap(const Twine &message) {
  return createStringError("tensor map: " + message);
}

static Error verifyMapKinds(const TensorMap &map) {
  if (map.type < 0 || map.type > kLastPackedMapType)
    return failMap("the data type is " + Twine(map.type) + ", expected 0 to " +
                   Twine(kMapTypeCount - 1));
  if (map.type >= kMapTypeCount)
    return failMap("packed elements of 4 and 6 bits (data type " +
                   Twine(map.type) +
                   ") are not emulated: copy them as UINT8, data type 0");
  if (map.type >= 11)
    return failMap("data type " + Twine(map.type) +
                   " (TFLOAT32) is not emulated, because its copies round what "
                   "they load: use FLOAT32, data type 7, which keeps all bits");
  if (map.interleave < 0 || map.interleave > 2)
    return failMap("the interleave is " + Twine(map.interleave) +
                   ", expected 0 to 2");
  if (map.interleave != 0)
    return failMap("interleaved layouts (interleave " + Twine(map.interleave) +
                   ") are not emulated: make the channels of a group the "
                   "innermost dimension of a map without interleave");
  if (map.swizzle < 0 || map.swizzle > 6)
    return failMap("the swizzle is " + Twine(map.swizzle) +
                   ", expected 0 to 3");
  if (map.swizzle > 3)
    return failMap("swizzles of parts other than 16 bytes (swizzle " +
                   Twine(map.swizzle) +
                   ") are not emulated, and machines before sm_100 do not have "
                   "them: use 3, SWIZZLE_128B");
  if (map.promotion < 0 || map.promotion > 3)
    return failMap("the L2 promotion is " + Twine(map.promotion) +
                   ", expected 0 to 3");
  if (map.fill < 0 || map.fill > 1)
    return failMap("the out-of-bounds fill is " + Twine(map.fill) +
                   ", expected 0 or 1");
  if (map.fill == 1 && !kMapTypes[map.type].isFloat)
    return failMap("out-of-bounds elements can be NaN only in maps of a float "
                   "type, and the data type is " +
                   Twine(map.type));
  return Error::success();
}

/// Checks the tensor of a map. The documentation also requires each stride to
/// contain the one before it, but the driver does not check that. Maps of
/// transposed tensors, and overlapping strides, are common.
static Error verifyMapTensor(const TensorMap &map) {
  if (map.address % TensorMap::kGlobalAlignment != 0)
    return failMap("the address of the tensor is not a multiple of 16 bytes");
  for (unsigned dim = 0; dim < map.rank; ++dim) {
    if (map.dims[dim] < 1 || map.dims[dim] > uint64_t(1) << 32)
      return failMap("the extent of dimension " + Twine(dim) + " is " +
                     Twine(map.dims[dim]) + ", expected 1 to 2^32");
    if (dim == 0)
      continue;
    uint64_t stride = map.strides[dim - 1];
    if (stride % TensorMap::kGlobalAlignment != 0 || stride >= uint64_t(1)
                                                                   << 40)
      return failMap("the stride of dimension " + Twine(dim) + " is " +
                     Twine(stride) +
                     " bytes, expected a multiple of 16 below 2^40");
  }
  return Error::success();
}

static Error verifyMapBox(const TensorMap &map) {
  for (unsigned dim = 0; dim < map.rank; ++dim) {
    if (map.box[dim] < 1 || map.box[dim] > 256)
      return failMap("the box has " + Twine(map.box[dim]) +
                     " elements in dimension " + Twine(dim) +
                     ", expected 1 to 256");
    if (map.elementStrides[dim] < 1 || map.elementStrides[dim] > 8)
      return failMap("the element stride of dimension " + Twine(dim) + " is " +
                     Twine(map.elementStrides[dim]) + ", expected 1 to 8");
  }
  uint64_t row = uint64_t(map.box[0]) * map.getElementBytes();
  uint32_t span = map.getSwizzleSpan();
  if (row % 16 != 0)
    return failMap("a row of the box has " + Twine(row) +
                   " bytes, expected a multiple of 16");
  if (span != 0 && row > span)
    return failMap("a row of the box has " + Twine(row) +
                   " bytes, expected at most the " + Twine(span) +
                   " within which the swizzle exchanges parts");
  // The encoder accepts shorter rows. The documentation does not define whether
  // these are packed or a span apart, so they are refused.
  if (span != 0 && row < span && map.getBoxBytes() != row)
    return failMap(
        "rows of " + Twine(row) + " bytes are shorter than the " + Twine(span) +
        " within which the swizzle exchanges parts, and how they lie "
        "in shared memory is not documented: use a swizzle of " +
        Twine(row >= 64   ? 64
              : row >= 32 ? 32
                          : 0) +
        " bytes or wider boxes");
  return Error::success();
}

Error TensorMap::verify() const {
  if (rank < 1 || rank > kMaxRank)
    return failMap("the rank is " + Twine(rank) + ", expected 1 to " +
                   Twine(kMaxRank));
  if (Error error = verifyMapKinds(*this))
    return error;
  if (Error error = verifyMapTensor(*this))
    return error;
  return verifyMapBox(*this);
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

static constexpr uint64_t kMapMagic = 0x3170614D65737354; // "TsseMap1"
static constexpr unsigned kMapHashOffset = TensorMap::kBytes - sizeof(uint64_t);

namespace {
/// Visits the fields in the order of the bytes; `Bytes` reads or writes.
template <typename Map, typename Bytes>
void visitMapFields(Map &map, Bytes &&bytes) {
  bytes.template visit<uint8_t>(map.type);
  bytes.template visit<uint8_t>(map.rank);
  bytes.template visit<uint8_t>(map.interleave);
  bytes.template visit<uint8_t>(map.swizzle);
  bytes.template visit<uint8_t>(map.promotion);
  bytes.template visit<uint8_t>(map.fill);
  bytes.template visit<uint64_t>(map.address);
  for (auto &extent : map.dims)
    bytes.template visit<uint64_t>(extent);
  for (auto &stride : map.strides)
    bytes.template visit<uint64_t>(stride);
  for (auto &extent : map.box)
    bytes.template visit<uint16_t>(extent);
  for (auto &step : map.elementStrides)
    bytes.template visit<uint8_t>(step);
}

struct MapWriter {
  template <typename T>
  void visit(uint64_t value) {
    endian::write<T, llvm::endianness::little>(next, static_cast<T>(value));
    next += sizeof(T);
  }
  uint8_t *next;
};

struct MapReader {
  template <typename T, typename Field>
  void visit(Field &field) {
    field = static_cast<Field>(endian::read<T, llvm::endianness::little>(next));
    next += sizeof(T);
  }
  const uint8_t *next;
};
} // namespace

std::array<uint8_t, TensorMap::kBytes> TensorMap::encode() const {
  std::array<uint8_t, kBytes> bytes{};
  endian::write64le(bytes.data(), kMapMagic);
  visitMapFields(*this, MapWriter{bytes.data() + sizeof(kMapMagic)});
  endian::write64le(
      bytes.data() + kMapHashOffset,
      llvm::xxh3_64bits(llvm::ArrayRef(bytes).take_front(kMapHashOffset)));
  return bytes;
}

llvm::Expected<TensorMap> TensorMap::decode(llvm::ArrayRef<uint8_t> bytes) {
  if (bytes.size() < kBytes)
    return failMap("it has " + Twine(bytes.size()) + " bytes, expected " +
                   Twine(kBytes));
  bytes = bytes.take_front(kBytes);
  if (endian::read64le(bytes.data()) != kMapMagic)
    return failMap("these bytes are none (the wrong parameter or address, or a "
                   "map that the emulator did not encode)");
  if (endian::read64le(bytes.data() + kMapHashOffset) !=
      llvm::xxh3_64bits(bytes.take_front(kMapHashOffset)))
    return failMap("some of its bytes were changed after it was encoded");
  TensorMap map;
  visitMapFields(map, MapReader{bytes.data() + sizeof(kMapMagic)});
  if (Error error = map.verify())
    return error;
  return map;
}
