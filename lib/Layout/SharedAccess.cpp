//===- SharedAccess.cpp - Accesses to tiles in shared memory ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides widths, conflicts and matrix accesses on the offsets that threads
// access, computed once for each warp, lane and register. Only the function of
// a layout matters, not its terms. A width is checked for every register.
// Conflicts count the different words of each bank in a phase. A matrix access
// requires that each row of each 8x8 matrix is 16 contiguous, aligned bytes.
//
//===----------------------------------------------------------------------===//

#include "tessera/Layout/SharedAccess.h"

#include "tessera/Layout/OffsetMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace tessera;
using namespace tessera::layout;
using llvm::createStringError;
using llvm::Twine;

namespace {
/// The offset in shared memory of each register's element, in elements.
class OffsetTable {
public:
  static llvm::Expected<OffsetTable> get(const Layout &registers,
                                         const Layout &shared);

  int64_t registers, warps;

  int64_t at(int64_t warp, int64_t lane, int64_t reg) const {
    return offsets[(warp * 32 + lane) * registers + reg];
  }

private:
  std::vector<int64_t> offsets;
};
} // namespace

llvm::Expected<OffsetTable> OffsetTable::get(const Layout &registers,
                                             const Layout &shared) {
  if (registers.getShape() != shared.getShape())
    return createStringError(
        "registers hold a tile of " + formatPoint(registers.getShape()) +
        ", shared memory one of " + formatPoint(shared.getShape()));
  if (!registers.hasOnlyAxes({kRegister, kLane, kWarp}))
    return createStringError("expected a layout over register, lane and warp, "
                             "got '" +
                             registers.str() + "'");
  if (registers.getSize(kLane) != 32)
    return createStringError("expected all 32 lanes of a warp, got " +
                             Twine(registers.getSize(kLane)));
  if (!shared.hasOnlyAxes({kOffset}) || !shared.isBijective())
    return createStringError("expected a layout that puts each element at one "
                             "offset, got '" +
                             shared.str() + "'");
  OffsetTable table;
  table.registers = registers.getSize(kRegister);
  table.warps = registers.getSize(kWarp);
  OffsetMap offsets(shared);
  std::vector<Point> ofRegisters = registers.evaluateAxis(kRegister),
                     ofLanes = registers.evaluateAxis(kLane);
  table.offsets.reserve(table.warps * 32 * table.registers);
  for (const Point &warp : registers.evaluateAxis(kWarp))
    for (const Point &lane : ofLanes) {
      Point thread = registers.combine(warp, lane);
      for (const Point &reg : ofRegisters)
        table.offsets.push_back(offsets.at(registers.combine(thread, reg)));
    }
  return table;
}

static llvm::Error checkElement(int64_t elementBytes) {
  if (elementBytes >= 1 && elementBytes <= 16 && 16 % elementBytes == 0)
    return llvm::Error::success();
  return createStringError("expected elements of 1, 2, 4, 8 or 16 bytes, got " +
                           Twine(elementBytes));
}

static bool allowsWidth(const OffsetTable &table, int64_t width) {
  if (table.registers % width != 0)
    return false;
  for (int64_t warp = 0; warp < table.warps; ++warp)
    for (int64_t lane = 0; lane < 32; ++lane)
      for (int64_t reg = 0; reg < table.registers; ++reg) {
        int64_t first = table.at(warp, lane, reg / width * width);
        if (first % width != 0 ||
            table.at(warp, lane, reg) != first + reg % width)
          return false;
      }
  return true;
}

llvm::Expected<int64_t> layout::getAccessWidth(const Layout &registers,
                                               const Layout &shared,
                                               int64_t elementBytes) {
  if (llvm::Error error = checkElement(elementBytes))
    return std::move(error);
  llvm::Expected<OffsetTable> table = OffsetTable::get(registers, shared);
  if (!table)
    return table.takeError();
  int64_t width = 16 / elementBytes;
  while (!allowsWidth(*table, width))
    width /= 2;
  return width;
}

/// Adds one phase: pieces of `bytes` bytes that start at `addresses`.
static void addPhase(BankUse &use, llvm::ArrayRef<int64_t> addresses,
                     int64_t bytes) {
  llvm::SmallVector<int64_t, 32> words[32];
  int64_t busiest = 1;
  for (int64_t address : addresses)
    for (int64_t word = address / 4; word <= (address + bytes - 1) / 4;
         ++word) {
      auto &bank = words[word % 32];
      if (!llvm::is_contained(bank, word))
        bank.push_back(word);
      busiest = std::max<int64_t>(busiest, bank.size());
    }
  ++use.phases;
  use.wavefronts += busiest;
}

llvm::Expected<BankUse> layout::getBankUse(const Layout &registers,
                                           const Layout &shared,
                                           int64_t elementBytes,
                                           int64_t width) {
  llvm::Expected<int64_t> widest =
      getAccessWidth(registers, shared, elementBytes);
  if (!widest)
    return widest.takeError();
  if (width < 1 || width > *widest || *widest % width != 0)
    return createStringError("expected accesses of at most " + Twine(*widest) +
                             " elements, a power of two, got " + Twine(width));
  OffsetTable table = llvm::cantFail(OffsetTable::get(registers, shared));
  int64_t bytes = width * elementBytes;
  int64_t lanes = bytes <= 4 ? 32 : 128 / bytes;
  BankUse use;
  for (int64_t warp = 0; warp < table.warps; ++warp)
    for (int64_t reg = 0; reg < table.registers; reg += width)
      for (int64_t first = 0; first < 32; first += lanes) {
        llvm::SmallVector<int64_t, 32> addresses;
        for (int64_t lane = first; lane < first + lanes; ++lane)
          addresses.push_back(table.at(warp, lane, reg) * elementBytes);
        addPhase(use, addresses, bytes);
      }
  return use;
}

BankUse MatrixAccess::getBankUse() const {
  BankUse use;
  for (llvm::ArrayRef<int64_t> all : rows)
    for (; !all.empty(); all = all.drop_front(8)) {
      llvm::SmallVector<int64_t, 8> addresses;
      for (int64_t row : all.take_front(8))
        addresses.push_back(row * 2);
      addPhase(use, addresses, 16);
    }
  return use;
}

/// Returns the offset of row `row` of the matrix in registers `reg` and `reg +
/// 1`, if that row is in 16 aligned bytes. Lane 4r + c holds columns 2c and 2c
/// + 1 of row r; transposed, rows 2c and 2c + 1 of column r.
static std::optional<int64_t> getRowOffset(const OffsetTable &table,
                                           int64_t warp, int64_t reg,
                                           int64_t row, bool transposed) {
  auto at = [&](int64_t column) {
    return transposed ? table.at(warp, 4 * column + row / 2, reg + row % 2)
                      : table.at(warp, 4 * row + column / 2, reg + column % 2);
  };
  for (int64_t column = 0; column < 8; ++column)
    if (at(0) % 8 != 0 || at(column) != at(0) + column)
      return std::nullopt;
  return at(0);
}

llvm::Expected<MatrixAccess> layout::getMatrixAccess(const Layout &registers,
                                                     const Layout &shared,
                                                     int64_t elementBytes,
                                                     bool transposed) {
  if (elementBytes != 2)
    return createStringError(
        "stmatrix and ldmatrix move 16-bit elements, not " +
        Twine(8 * elementBytes) + "-bit ones");
  llvm::Expected<OffsetTable> table = OffsetTable::get(registers, shared);
  if (!table)
    return table.takeError();
  if (table->registers % 2 != 0)
    return createStringError("expected an even number of registers to pack, "
                             "got " +
                             Twine(table->registers));
  MatrixAccess access;
  access.isTransposed = transposed;
  access.matrices = 4;
  while (table->registers % (2 * access.matrices) != 0)
    access.matrices /= 2;
  access.instructions = table->registers / (2 * access.matrices);
  for (int64_t warp = 0; warp < table->warps; ++warp)
    for (int64_t i = 0; i < access.instructions; ++i) {
      auto &rows = access.rows.emplace_back();
      for (int64_t lane = 0; lane < 8 * access.matrices; ++lane) {
        int64_t reg = 2 * (i * access.matrices + lane / 8);
        std::optional<int64_t> row =
            getRowOffset(*table, warp, reg, lane % 8, transposed);
        if (!row)
          return createStringError("registers " + Twine(reg) + " and " +
                                   Twine(reg + 1) + " of warp " + Twine(warp) +
                                   " hold no 8x8 matrix with " +
                                   (transposed ? "columns" : "rows") +
                                   " of 16 contiguous bytes in shared memory");
        rows.push_back(*row);
      }
    }
  return access;
}
