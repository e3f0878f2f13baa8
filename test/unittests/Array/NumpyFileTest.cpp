//===- NumpyFileTest.cpp - Reading and writing .npy -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Round trips, headers as different writers make them, and files that lie.
//
//===----------------------------------------------------------------------===//

#include "tessera/Array/NumpyFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace tessera::array;
using testing::HasSubstr;

namespace {

/// A file of the given version with the header `header`.
std::string makeFile(const std::string &header, const std::string &elements,
                     char version = 1) {
  std::string text = "\x93NUMPY";
  text += version;
  text += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    text += static_cast<char>(header.size() >> (8 * i) & 0xff);
  return text + header + elements;
}

std::string getError(const std::string &text) {
  llvm::Expected<NDArray> array = parseNumpy(text);
  if (array)
    return "no error";
  return llvm::toString(array.takeError());
}

class RoundTripTest : public testing::TestWithParam<ElementType> {};

TEST_P(RoundTripTest, KeepsTypeShapeAndElements) {
  NDArray array(GetParam(), {2, 3});
  for (int64_t i = 0; i < 6; ++i)
    if (isFloat(GetParam()))
      array.setFloat(i, i - 2.5);
    else
      array.setInteger(i, GetParam() == ElementType::I1 ? i % 2 : i + 100);
  llvm::Expected<NDArray> back = parseNumpy(formatNumpy(array));
  ASSERT_TRUE(static_cast<bool>(back)) << llvm::toString(back.takeError());
  EXPECT_EQ(back->getShape(), array.getShape());
  for (int64_t i = 0; i < 6; ++i)
    EXPECT_EQ(back->getFloat(i), array.getFloat(i));
  bool isNarrow = isFloat(GetParam()) && getByteSize(GetParam()) < 4;
  EXPECT_EQ(back->getType(), isNarrow ? ElementType::F32 : GetParam());
}

INSTANTIATE_TEST_SUITE_P(Types, RoundTripTest,
                         testing::Values(ElementType::F64, ElementType::F32,
                                         ElementType::F16, ElementType::BF16,
                                         ElementType::F8E4M3FN,
                                         ElementType::F8E5M2, ElementType::I1,
                                         ElementType::I8, ElementType::I16,
                                         ElementType::I32, ElementType::I64,
                                         ElementType::U8, ElementType::U16,
                                         ElementType::U32, ElementType::U64),
                         [](const testing::TestParamInfo<ElementType> &info) {
                           return getName(info.param).str();
                         });

TEST(NumpyFileTest, ElementsStartAtAMultipleOf64) {
  for (int64_t extent : {1, 100, 1000000})
    EXPECT_EQ(
        (formatNumpy(NDArray(ElementType::I8, {extent, 1})).size() - extent) %
            64,
        0u);
}

TEST(NumpyFileTest, ReadsScalarsAndEmptyArrays) {
  llvm::Expected<NDArray> scalar =
      parseNumpy(formatNumpy(NDArray(ElementType::F32, {})));
  ASSERT_TRUE(static_cast<bool>(scalar));
  EXPECT_EQ(scalar->getNumElements(), 1);
  llvm::Expected<NDArray> empty =
      parseNumpy(formatNumpy(NDArray(ElementType::F32, {3, 0})));
  ASSERT_TRUE(static_cast<bool>(empty));
  EXPECT_EQ(empty->getNumElements(), 0);
}

TEST(NumpyFileTest, ReadsFortranOrder) {
  llvm::Expected<NDArray> array = parseNumpy(
      makeFile("{'descr': '|i1', 'fortran_order': True, 'shape': (2, 3), }",
               {1, 4, 2, 5, 3, 6}));
  ASSERT_TRUE(static_cast<bool>(array));
  for (int64_t i = 0; i < 6; ++i)
    EXPECT_EQ(array->getInteger(i), i + 1);
}

TEST(NumpyFileTest, ReadsOtherHeaders) {
  // Version 2 and 3, other orders of keys, no trailing comma, Python 2.
  for (char version : {2, 3}) {
    llvm::Expected<NDArray> array = parseNumpy(makeFile(
        "{\"shape\":(2L,),\"descr\":\"<i1\",\"fortran_order\":False}  \n",
        {7, 8}, version));
    ASSERT_TRUE(static_cast<bool>(array)) << llvm::toString(array.takeError());
    EXPECT_EQ(array->getInteger(1), 8);
  }
}

TEST(NumpyFileTest, RefusesWhatItCannotRead) {
  std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}";
  EXPECT_EQ(getError(makeFile(good, std::string(8, '\0'))), "no error");
  EXPECT_THAT(getError("PK\x03\x04"), HasSubstr("not a .npy file"));
  EXPECT_THAT(getError(""), HasSubstr("not a .npy file"));
  std::string whole = makeFile(good, std::string(8, '\0'));
  for (size_t length : {7, 9, 40})
    EXPECT_THAT(getError(whole.substr(0, length)),
                HasSubstr("it ends within its header"));
  EXPECT_THAT(getError(makeFile(good, "", 9)),
              HasSubstr("format version 9 is not supported; expected 1, 2 or "
                        "3"));
  EXPECT_THAT(getError(makeFile(good, std::string(7, '\0'))),
              HasSubstr("truncated: shape [2] of '<f4' needs 8 bytes of "
                        "elements, but it has 7"));
  EXPECT_THAT(getError(makeFile(good, std::string(9, '\0'))),
              HasSubstr("it has 1 bytes after its last element"));
  EXPECT_THAT(getError(makeFile("{'descr': '>f4', 'fortran_order': False, "
                                "'shape': (2,)}",
                                "")),
              HasSubstr("its elements are big-endian ('>f4'); convert them by "
                        ".astype('<f4') before np.save"));
  EXPECT_THAT(getError(makeFile("{'descr': '<c8', 'fortran_order': False, "
                                "'shape': (2,)}",
                                "")),
              HasSubstr("element type '<c8' is not supported"));
  EXPECT_THAT(getError(makeFile("{'descr': [('a', '<f4')], 'fortran_order': "
                                "False, 'shape': (2,)}",
                                "")),
              HasSubstr("it holds records, not numbers"));
  EXPECT_THAT(getError(makeFile("[]", "")),
              HasSubstr("its header is not a dictionary"));
  EXPECT_THAT(
      getError(makeFile("{'descr': '<f4'}", "")),
      HasSubstr("its header lacks 'descr', 'fortran_order' or 'shape'"));
  EXPECT_THAT(getError(makeFile("{'color': 3}", "")),
              HasSubstr("its header has the unknown key 'color'"));
  EXPECT_THAT(getError(makeFile("{3: 3}", "")),
              HasSubstr("its header is malformed"));
  EXPECT_THAT(getError(makeFile("{'fortran_order': Maybe}", "")),
              HasSubstr("'fortran_order' in its header is malformed"));
}

TEST(NumpyFileTest, UnsignedIntegersOf64Bits) {
  NDArray array(ElementType::U64, {1});
  array.setInteger(0, -1);
  EXPECT_EQ(array.getFloat(0), 0x1p64);
  EXPECT_EQ(array.formatInteger(0), "18446744073709551615");
  llvm::Expected<NDArray> converted = array.convertTo(ElementType::I64);
  ASSERT_FALSE(static_cast<bool>(converted));
  EXPECT_THAT(llvm::toString(converted.takeError()),
              HasSubstr("element [0] is 18446744073709551615, which i64 cannot "
                        "hold"));
}

TEST(NumpyFileTest, RefusesSizesThatOverflow) {
  for (const char *shape :
       {"(9223372036854775807, 2)", "(4294967296, 4294967296, 4294967296)",
        "(99999999999999999999,)", "(-1,)"}) {
    std::string error = getError(makeFile(
        std::string("{'descr': '<f8', 'fortran_order': False, 'shape': ") +
            shape + "}",
        ""));
    EXPECT_TRUE(error.find("too large") != std::string::npos ||
                error.find("'shape' in its header is malformed") !=
                    std::string::npos)
        << error;
  }
}

// Every prefix of a good file is refused, without a crash.
TEST(NumpyFileTest, RefusesEveryTruncation) {
  for (bool fortran : {false, true}) {
    std::string whole =
        makeFile(std::string("{'descr': '<i4', 'fortran_order': ") +
                     (fortran ? "True" : "False") + ", 'shape': (2, 2), }",
                 std::string(16, '\1'));
    for (size_t size = 0; size < whole.size(); ++size)
      EXPECT_NE(getError(whole.substr(0, size)), "no error") << size;
    EXPECT_EQ(getError(whole), "no error");
  }
}

TEST(NumpyFileTest, NamesTheFile) {
  llvm::Expected<NDArray> array = readNumpyFile("/nonexistent/x.npy");
  ASSERT_FALSE(static_cast<bool>(array));
  EXPECT_EQ(llvm::toString(array.takeError()),
            "cannot read '/nonexistent/x.npy': No such file or directory");
  llvm::Error error =
      writeNumpyFile("/nonexistent/x.npy", NDArray(ElementType::F32, {1}));
  EXPECT_EQ(llvm::toString(std::move(error)),
            "cannot write '/nonexistent/x.npy': No such file or directory");
}

} // namespace
