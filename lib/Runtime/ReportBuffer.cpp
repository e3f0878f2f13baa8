//===- ReportBuffer.cpp - Results of checks and prints ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Creates and reads the words that the pass tile-lower-checks describes
// (ReportLowering.cpp). The kernel writes them, so nothing here relies on their
// values.
//
//===----------------------------------------------------------------------===//

#include "tessera/Runtime/ReportBuffer.h"

#include "tessera/Array/Limits.h"
#include "tessera/Array/NDArray.h"
#include "tessera/Array/ValueText.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

using namespace tessera::rt;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::Twine;

char CheckError::ID = 0;

/// Words for the lines of a program, and of all programs, unless one line needs
/// more.
static constexpr int64_t kLineWords = int64_t(1) << 16;
static constexpr int64_t kAllWords = int64_t(1) << 24;

Expected<ReportBuffer> ReportBuffer::create(const DeviceRef &device,
                                            const KernelMetadata &kernel,
                                            llvm::ArrayRef<int64_t> sizes,
                                            CUstream stream) {
  const Driver &driver = device->getDriver();
  Expected<bool> captures = isCapturing(driver, stream);
  if (!captures)
    return captures.takeError();
  if (*captures)
    return createStringError("kernel '" + kernel.name +
                             "': a launch waits for the results of its checks, "
                             "which a captured launch cannot; compile without "
                             "--checks");
  ReportBuffer result(kernel);
  const ReportInfo &info = *kernel.reports;
  auto lookup = [&](llvm::StringRef name) -> std::optional<int64_t> {
    size_t index = llvm::find(kernel.sizes, name) - kernel.sizes.begin();
    return index < sizes.size() ? std::optional(sizes[index]) : std::nullopt;
  };
  for (const ReportInfo::Axis &axis : info.axes) {
    Expected<int64_t> extent = axis.count.evaluate(lookup);
    if (!extent)
      return extent.takeError();
    result.extents.push_back(*extent);
    if (llvm::MulOverflow(result.programs, *extent, result.programs))
      result.programs = std::numeric_limits<int64_t>::max();
  }
  int64_t words = info.checks.size();
  if (!info.prints.empty()) {
    int64_t longest = 0;
    for (const ReportInfo::Site &print : info.prints)
      longest = std::max(longest, print.getLineWords());
    int64_t share = kAllWords / std::max<int64_t>(result.programs, 1);
    words += 1 + std::max(longest, std::min(kLineWords, share));
  }
  result.wordsPerProgram = words;
  int64_t total;
  if (llvm::MulOverflow(result.programs, words, total) ||
      total >= array::kMaxSize)
    return createStringError(
        "kernel '" + kernel.name + "': the checks and prints of " +
        Twine(result.programs) + " programs need more memory than a launch " +
        "has for them; launch fewer programs, or compile without --checks");
  Expected<DeviceBuffer> buffer = DeviceBuffer::allocate(
      device, static_cast<size_t>(total + 1) * sizeof(uint64_t));
  if (!buffer)
    return buffer.takeError();
  result.buffer = std::move(*buffer);
  // The first word holds the number of words of a program.
  auto first = static_cast<uint64_t>(words);
  TESSERA_DRIVER_CALL(driver, cuMemsetD8Async, result.get(), 0,
                      result.buffer.size(), stream);
  TESSERA_DRIVER_CALL(driver, cuMemcpyHtoDAsync, result.get(), &first,
                      sizeof(first), stream);
  TESSERA_DRIVER_CALL(driver, cuStreamSynchronize, stream);
  return std::move(result);
}

std::string ReportBuffer::describeProgram(int64_t program) const {
  if (extents.empty())
    return "the only program";
  std::string text = "program (";
  for (auto [axis, extent] : llvm::zip_equal(kernel->reports->axes, extents)) {
    text += (text.back() == '(' ? "" : ", ") + axis.name + " = " +
            std::to_string(program % extent);
    program /= extent;
  }
  return text + ")";
}

static void printValue(llvm::raw_ostream &os, ReportInfo::Value::Kind kind,
                       uint64_t word) {
  using Kind = ReportInfo::Value::Kind;
  switch (kind) {
  case Kind::Float:
    os << tessera::array::formatFloat(
        llvm::bit_cast<float>(static_cast<uint32_t>(word)));
    return;
  case Kind::Double:
    os << tessera::array::formatFloat(llvm::bit_cast<double>(word),
                                      /*isDouble=*/true);
    return;
  case Kind::Int:
    os << static_cast<int64_t>(word);
    return;
  case Kind::Uint:
    os << word;
    return;
  case Kind::Bool:
    os << (word ? "true" : "false");
    return;
  }
}

void ReportBuffer::printLines(llvm::ArrayRef<uint64_t> words, int64_t program,
                              llvm::raw_ostream &os) const {
  const ReportInfo &info = *kernel->reports;
  // A counter at its limit says that lines were left out.
  bool isFull = words.front() >= static_cast<uint64_t>(wordsPerProgram);
  words = words.drop_front();
  while (!words.empty() && words.front() != 0 &&
         words.front() <= info.prints.size()) {
    const ReportInfo::Site &print = info.prints[words.front() - 1];
    if (static_cast<size_t>(print.getLineWords()) > words.size())
      break;
    words = words.drop_front();
    if (!print.file.empty())
      os << print.file << ":" << print.line << ": ";
    os << describeProgram(program) << ": " << print.text;
    for (const ReportInfo::Value &value : print.values) {
      os << " ";
      array::printElements(os, value.shape, [&](int64_t i) {
        printValue(os, value.kind, words[i]);
      });
      words = words.drop_front(*array::countElements(value.shape));
    }
    os << "\n";
  }
  if (isFull)
    os << describeProgram(program) << ": further lines are left out\n";
}

Error ReportBuffer::findFailures(llvm::ArrayRef<uint64_t> words) const {
  std::string text;
  for (auto [number, check] : llvm::enumerate(kernel->reports->checks)) {
    int64_t count = 0, first = 0;
    uint64_t word = 0;
    for (int64_t program = 0; program < programs; ++program)
      if (uint64_t found = words[program * wordsPerProgram + number]) {
        if (count++ == 0) {
          first = program;
          word = found;
        }
      }
    if (count == 0)
      continue;
    if (!text.empty())
      text += "\n";
    if (!check.file.empty())
      text += check.file + ":" + std::to_string(check.line) + ":" +
              std::to_string(check.column) + ": ";
    text += "error: check failed";
    auto elements = static_cast<uint64_t>(*array::countElements(check.shape));
    if (!check.shape.empty() && word <= elements)
      text += " at element " +
              array::formatPosition(check.shape, int64_t(word) - 1);
    text += ": " + check.text + "\nnote: in " + describeProgram(first) +
            " of kernel '" + kernel->name + "'";
    if (count > 1)
      text += " and " + std::to_string(count - 1) + " more";
  }
  return text.empty() ? Error::success()
                      : llvm::make_error<CheckError>(std::move(text));
}

Error ReportBuffer::read(CUstream stream, llvm::raw_ostream &os) const {
  const Driver &driver = buffer.getDriver();
  std::vector<uint64_t> contents(buffer.size() / sizeof(uint64_t));
  TESSERA_DRIVER_CALL(driver, cuMemcpyDtoHAsync, contents.data(), get(),
                      buffer.size(), stream);
  TESSERA_DRIVER_CALL(driver, cuStreamSynchronize, stream);
  llvm::ArrayRef<uint64_t> words = llvm::ArrayRef(contents).drop_front();
  if (!kernel->reports->prints.empty())
    for (int64_t program = 0; program < programs; ++program)
      printLines(words.slice(program * wordsPerProgram, wordsPerProgram)
                     .drop_front(kernel->reports->checks.size()),
                 program, os);
  return findFailures(words);
}
