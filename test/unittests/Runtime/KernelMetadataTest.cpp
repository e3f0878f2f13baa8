//===- KernelMetadataTest.cpp - Metadata as JSON ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The round trip, and every way in which metadata can be wrong.
//
//===----------------------------------------------------------------------===//

#include "KernelFixture.h"

#include "llvm/Support/MemoryBuffer.h"
#include "gmock/gmock.h"

using namespace tessera::rt;
using testing::HasSubstr;
namespace json = llvm::json;

namespace {

TEST(KernelMetadata, SurvivesTheRoundTrip) {
  KernelMetadata kernel = makeMatmul();
  kernel.equalities = {{size("N mod 8"), size("0")}};
  kernel.tensorMaps[1].elementStrides = {1, 2};
  kernel.parameters[0].alignment = 32;
  kernel.conditions = {size("K mod 8")};
  kernel.alignments = {{1, 16}};
  kernel.persistent = true;
  json::Value first = toJSON(kernel);
  json::Value second = toJSON(unwrap(readKernelMetadata(first)));
  EXPECT_EQ(first, second);
  KernelMetadata copy = unwrap(readKernelMetadata(second));
  EXPECT_EQ(copy.entry, "matmul_128x128");
  EXPECT_EQ(copy.parameters[2].access, ParameterInfo::Access::Write);
  EXPECT_EQ(copy.tensorMaps[0].swizzle, TensorMapRecipe::Swizzle::B128);
  EXPECT_EQ(copy.arguments[4].size->getText(), "K ceildiv 64");
  EXPECT_EQ(copy.conditions[0].getText(), "K mod 8");
  EXPECT_EQ(copy.alignments[0].parameter, 1u);
  EXPECT_EQ(copy.alignments[0].bytes, 16);
  EXPECT_TRUE(copy.persistent);
}

/// Messages name types as the source does.
TEST(KernelMetadata, NamesTypesOfTheSource) {
  ParameterInfo tensor = makeMatmul().parameters[0];
  tensor.dtype = tessera::array::ElementType::F8E4M3FN;
  EXPECT_EQ(tensor.describeType(), "f8e4m3[M, K]");
  KernelMetadata kernel = makeMatmul();
  ParameterInfo scalar;
  scalar.kind = ParameterInfo::Kind::Scalar;
  scalar.name = "rows";
  scalar.dtype = tessera::array::ElementType::I32;
  EXPECT_EQ(scalar.describeType(), "i32");
  scalar.isIndex = true;
  kernel.parameters.push_back(scalar);
  KernelMetadata copy = unwrap(readKernelMetadata(toJSON(kernel)));
  EXPECT_EQ(copy.parameters.back().describeType(), "int");
  EXPECT_FALSE(copy.parameters[0].isIndex);
}

/// A check and a print of a kernel over M.
ReportInfo makeReports() {
  ReportInfo info;
  info.axes = {{"m", size("M ceildiv 64")}};
  ReportInfo::Site check;
  check.file = "kernel.tile";
  check.line = 3;
  check.column = 5;
  check.text = "x is positive";
  check.shape = {4, 2};
  ReportInfo::Site print;
  print.text = "x:";
  print.values = {{ReportInfo::Value::Kind::Float, {2, 3}},
                  {ReportInfo::Value::Kind::Bool, {}}};
  info.checks = {check};
  info.prints = {print};
  return info;
}

TEST(KernelMetadata, ChecksSurviveTheRoundTrip) {
  KernelMetadata kernel = makeMatmul();
  kernel.reports = makeReports();
  ArgumentInfo argument;
  argument.kind = ArgumentInfo::Kind::Reports;
  kernel.arguments.push_back(argument);
  json::Value first = toJSON(kernel);
  KernelMetadata copy = unwrap(readKernelMetadata(first));
  EXPECT_EQ(first, toJSON(copy));
  ASSERT_TRUE(copy.reports);
  EXPECT_EQ(copy.reports->checks[0].column, 5);
  EXPECT_EQ(copy.reports->checks[0].shape, (std::vector<int64_t>{4, 2}));
  EXPECT_EQ(copy.reports->prints[0].getLineWords(), 8);
  EXPECT_EQ(copy.reports->prints[0].values[1].kind,
            ReportInfo::Value::Kind::Bool);
}

TEST(KernelMetadata, WrongChecks) {
  auto read = [](auto change) {
    KernelMetadata kernel = makeMatmul();
    kernel.reports = makeReports();
    change(kernel);
    return textOf(readKernelMetadata(toJSON(kernel)));
  };
  EXPECT_THAT(read([](KernelMetadata &kernel) {
                kernel.reports->checks[0].text = "a\x1b[2J";
              }),
              HasSubstr("control characters"));
  EXPECT_THAT(read([](KernelMetadata &kernel) {
                kernel.reports->axes[0].count = size("Q");
              }),
              HasSubstr("names the unknown size 'Q'"));
  EXPECT_THAT(read([](KernelMetadata &kernel) {
                kernel.reports->checks[0].shape = {1 << 20, 1 << 20};
              }),
              HasSubstr("expected the shape of a tile at "
                        "kernel.reports.checks[0].shape"));
  EXPECT_THAT(read([](KernelMetadata &kernel) {
                kernel.reports->prints[0].values.resize(1025);
              }),
              HasSubstr("too many values"));
  EXPECT_THAT(read([](KernelMetadata &kernel) {
                kernel.reports.reset();
                kernel.arguments.emplace_back();
                kernel.arguments.back().kind = ArgumentInfo::Kind::Reports;
              }),
              HasSubstr("an argument is a buffer of checks, but the kernel has "
                        "none"));
}

TEST(KernelMetadata, TheExampleOfTheDocumentationIsRead) {
  auto page = llvm::MemoryBuffer::getFile(SOURCE_DIR "/docs/target.md");
  ASSERT_TRUE(page);
  llvm::StringRef example =
      (*page)->getBuffer().split("```json").second.split("```").first;
  json::Value value = unwrap(json::parse(example));
  KernelMetadata kernel = unwrap(readKernelMetadata(value));
  EXPECT_EQ(kernel.tensorMaps.size(), 1u);
  EXPECT_EQ(toJSON(kernel), value);
}

/// The error of reading the metadata of makeMatmul after `change`.
template <typename Change>
std::string readChanged(Change change) {
  json::Value value = toJSON(makeMatmul());
  change(*value.getAsObject());
  return textOf(readKernelMetadata(value));
}

json::Object &item(json::Object &object, llvm::StringRef list, unsigned i) {
  return *(*object.getArray(list))[i].getAsObject();
}

TEST(KernelMetadata, JsonOfTheWrongShape) {
  EXPECT_THAT(textOf(readKernelMetadata(json::Value("text"))),
              HasSubstr("expected object"));
  EXPECT_THAT(readChanged([](auto &o) { o.erase("entry"); }),
              HasSubstr("missing value at kernel.entry"));
  EXPECT_THAT(readChanged([](auto &o) { o["colour"] = 1; }),
              HasSubstr("unknown field"));
  EXPECT_THAT(readChanged([](auto &o) { o["threads"] = "many"; }),
              HasSubstr("expected integer at kernel.threads"));
  EXPECT_THAT(readChanged([](auto &o) { o["parameters"] = 3; }),
              HasSubstr("expected array at kernel.parameters"));
  EXPECT_THAT(
      readChanged([](auto &o) { item(o, "parameters", 1)["dtype"] = "f33"; }),
      HasSubstr("expected an element type at kernel.parameters[1].dtype"));
  EXPECT_THAT(
      readChanged([](auto &o) { item(o, "parameters", 1)["kind"] = "tree"; }),
      HasSubstr("expected a known name at kernel.parameters[1].kind"));
  EXPECT_THAT(
      readChanged([](auto &o) { o["grid"] = json::Array{"1", "M +", "1"}; }),
      HasSubstr("expected a size expression at kernel.grid[1]"));
  EXPECT_THAT(readChanged([](auto &o) { o["grid"] = json::Array{1, 1, 1}; }),
              HasSubstr("expected a size expression at kernel.grid[0]"));
  EXPECT_THAT(readChanged([](auto &o) { o["cluster"] = json::Array{1}; }),
              HasSubstr("expected three numbers at kernel.cluster"));
}

/// The error of verifying the metadata of makeMatmul after `change`.
template <typename Change>
std::string verifyChanged(Change change) {
  KernelMetadata kernel = makeMatmul();
  change(kernel);
  return textOf(verifyKernelMetadata(kernel));
}

TEST(KernelMetadata, FieldsThatContradict) {
  EXPECT_EQ(verifyChanged([](auto &) {}), "");
  EXPECT_THAT(
      verifyChanged([](auto &k) { k.entry = ""; }),
      HasSubstr("metadata of kernel 'matmul': expected a name and an entry"));
  EXPECT_EQ(verifyChanged([](auto &k) { k.name = "a\x1b[31m"; }),
            "the name 'a\\1B[31m' has characters that cannot be printed");
  EXPECT_THAT(verifyChanged([](auto &k) { k.parameters[1].name = "\x7f"; }),
              HasSubstr("cannot be printed"));
  EXPECT_THAT(verifyChanged([](auto &k) { k.sizes.push_back("M"); }),
              HasSubstr("size 'M' is listed twice"));
  EXPECT_THAT(verifyChanged([](auto &k) { k.parameters[1].name = "a"; }),
              HasSubstr("parameter 'a' is listed twice"));
  EXPECT_THAT(verifyChanged([](auto &k) { k.grid[0] = size("Q"); }),
              HasSubstr("'Q' names the unknown size 'Q'"));
  EXPECT_THAT(verifyChanged([](auto &k) { k.grid.pop_back(); }),
              HasSubstr("expected a grid of three extents, got 2"));
  EXPECT_THAT(
      verifyChanged([](auto &k) { k.parameters[3].dims = {size("M")}; }),
      HasSubstr("scalar 'alpha' has dimensions"));
  EXPECT_THAT(verifyChanged([](auto &k) { k.parameters[3].isIndex = true; }),
              HasSubstr("'alpha' is an index, but no scalar of i32"));
  EXPECT_THAT(verifyChanged([](auto &k) { k.parameters[0].alignment = 24; }),
              HasSubstr("the alignment of 'a' is no power of two"));
  EXPECT_THAT(verifyChanged([](auto &k) { k.alignments = {{3, 16}}; }),
              HasSubstr("an alignment is of parameter 3, which is no tensor"));
  for (int64_t bytes : {0, 12, 32})
    EXPECT_THAT(verifyChanged([&](auto &k) { k.alignments = {{0, bytes}}; }),
                HasSubstr("an alignment of " + std::to_string(bytes) +
                          " bytes is no power of two up to 16"));
  EXPECT_THAT(
      verifyChanged([](auto &k) { k.tensorMaps[0].parameter = 3; }),
      HasSubstr("a tensor map is over parameter 3, which is no tensor"));
  EXPECT_THAT(verifyChanged([](auto &k) { k.tensorMaps[0].box = {64}; }),
              HasSubstr("a tensor map over 'a' has not its rank 2"));
  EXPECT_THAT(
      verifyChanged([](auto &k) { k.tensorMaps[0].order = {1, 1}; }),
      HasSubstr("the order of a tensor map over 'a' is no permutation"));
  EXPECT_THAT(verifyChanged([](auto &k) { k.arguments[0].index = 2; }),
              HasSubstr("an argument is tensor map 2, which does not exist"));
  EXPECT_THAT(
      verifyChanged([](auto &k) { k.arguments[2].index = 3; }),
      HasSubstr(
          "an argument is the address of parameter 3, which is no tensor"));
  EXPECT_THAT(
      verifyChanged([](auto &k) { k.arguments[3].index = 0; }),
      HasSubstr("an argument is the value of parameter 0, which is no scalar"));
  EXPECT_THAT(verifyChanged([](auto &k) { k.arguments[4].size.reset(); }),
              HasSubstr("an argument is a size without an expression"));
  EXPECT_THAT(verifyChanged([](auto &k) { k.arguments[5].dim = 2; }),
              HasSubstr("an argument is a stride that does not exist"));
  EXPECT_THAT(verifyChanged([](auto &k) {
                k.arguments[5].type = tessera::array::ElementType::F32;
              }),
              HasSubstr("sizes and strides are passed as i32 or i64"));
  EXPECT_THAT(
      verifyChanged(
          [](auto &k) { k.arguments[5].kind = ArgumentInfo::Kind::Counter; }),
      HasSubstr("an argument is a counter, but blocks neither fetch programs "
                "nor meet at barriers of the grid"));
  EXPECT_THAT(verifyChanged([](auto &k) { k.threads = 0; }),
              HasSubstr("expected 1 to 1024 threads, got 0"));
  EXPECT_THAT(verifyChanged([](auto &k) { k.cluster[1] = 0; }),
              HasSubstr("a cluster extent of 0 is none"));
  EXPECT_THAT(verifyChanged([](auto &k) { k.cluster[0] = k.cluster[1] = 8; }),
              HasSubstr("a cluster of 64 blocks is too large"));
  EXPECT_THAT(verifyChanged([](auto &k) { k.sharedMemory = -1; }),
              HasSubstr("shared memory of -1 bytes is none"));
}

TEST(KernelMetadata, ConditionsAndPersistence) {
  EXPECT_THAT(
      readChanged([](auto &o) { o["conditions"] = json::Array{"L mod 8"}; }),
      HasSubstr("'L mod 8' names the unknown size 'L'"));
  EXPECT_THAT(readChanged([](auto &o) {
                o["persistent"] = true;
                o["grid"] = json::Array{"1", "M", "1"};
              }),
              HasSubstr("a persistent kernel has a grid along x alone"));
  EXPECT_THAT(
      readChanged([](auto &o) { o["persistent"] = o["cooperative"] = true; }),
      HasSubstr("blocks that meet at barriers of the grid run one program "
                "each, but the kernel is persistent"));
}

} // namespace
