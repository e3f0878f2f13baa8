//===- Report.cpp - What tile-run says about results ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Formats the table, with columns as wide as their widest cell.
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/WithColor.h"

#include <cmath>
#include <cstdlib>

using namespace tessera;
using namespace tessera::tools;
using array::NDArray;
using llvm::Twine;

/// The shortest decimal text that reads back as the same f32 (or f64).
static std::string formatNumber(const NDArray &array, int64_t index) {
  if (!array::isFloat(array.getType()))
    return std::to_string(array.getInteger(index));
  double value = array.getFloat(index);
  if (std::isnan(value))
    return "nan";
  bool isDouble = array.getType() == array::ElementType::F64;
  char text[40];
  for (int digits = 6; digits <= 17; ++digits) {
    std::snprintf(text, sizeof(text), "%.*g", digits, value);
    double back = std::strtod(text, nullptr);
    if (isDouble ? back == value : float(back) == float(value))
      break;
  }
  return text;
}

static std::string formatError(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3g", value);
  return text;
}

void tools::printArray(StringRef name, const NDArray &array, raw_ostream &os) {
  ArrayRef<int64_t> shape = array.getShape();
  os << name << " = ";
  int64_t next = 0;
  auto print = [&](auto &self, size_t dim) -> void {
    if (dim == shape.size()) {
      os << formatNumber(array, next++);
      return;
    }
    os << "[";
    for (int64_t i = 0; i < shape[dim]; ++i) {
      if (i != 0)
        os << (dim + 1 == shape.size() ? ", " : ",\n");
      self(self, dim + 1);
    }
    os << "]";
  };
  print(print, 0);
  os << "\n";
}

namespace {

/// Rows of cells; the first row is the heading.
class Table {
public:
  void addRow(ArrayRef<std::string> cells) { rows.emplace_back(cells); }

  void print(raw_ostream &os) const {
    SmallVector<size_t> widths;
    for (const auto &row : rows)
      for (auto [column, cell] : llvm::enumerate(row)) {
        if (column == widths.size())
          widths.push_back(0);
        widths[column] = std::max(widths[column], cell.size());
      }
    for (const auto &row : rows) {
      std::string line;
      for (auto [column, cell] : llvm::enumerate(row)) {
        line += cell;
        line.append(widths[column] - cell.size() + 2, ' ');
      }
      os << StringRef(line).rtrim() << "\n";
    }
  }

private:
  std::vector<SmallVector<std::string>> rows;
};

} // namespace

/// One line about the elements of `array` that are not as expected.
static void explainMismatch(StringRef name, const NDArray &array,
                            const Expectation &expectation,
                            const array::Comparison &result,
                            raw_ostream &errors) {
  const array::Tolerance &tolerance = expectation.tolerance;
  raw_ostream &os = llvm::WithColor::error(errors, "tile-run");
  if (tolerance.rms) {
    os << "'" << name << "': relative RMS error "
       << formatError(result.relativeRms) << ", expected at most "
       << formatError(*tolerance.rms);
    if (result.numNonFiniteMismatches != 0)
      os << "; " << result.numNonFiniteMismatches
         << " elements differ in being finite";
  } else {
    os << "'" << name << "': " << result.numBad << " of "
       << array.getNumElements()
       << " elements are outside of the tolerance (rtol "
       << formatError(tolerance.relative) << ", atol "
       << formatError(tolerance.absolute) << ")";
  }
  if (result.firstBad)
    os << "; first at "
       << array::formatPosition(array.getShape(), *result.firstBad) << ": got "
       << formatNumber(array, *result.firstBad) << ", expected "
       << formatNumber(expectation.reference, *result.firstBad);
  os << "\n";
}

bool tools::printReport(interp::Launch &launch,
                        ArrayRef<Expectation> expectations, raw_ostream &os,
                        raw_ostream &errors) {
  tile::KernelOp kernel = launch.getKernel();
  bool good = true;
  Table table;
  SmallVector<std::string> heading = {"argument", "access", "type", "shape"};
  if (!expectations.empty())
    heading.append({"max abs", "max rel", "rel rms", "result"});
  table.addRow(heading);
  for (unsigned i = 0, e = launch.getNumArguments(); i < e; ++i) {
    StringRef name = kernel.getParamName(i);
    interp::GlobalTensor *tensor = launch.getTensor(i);
    if (!tensor) {
      Type type = kernel.getParams()[i].getType();
      table.addRow({name.str(), "in",
                    type.isIndex()
                        ? "int"
                        : array::getName(launch.getScalar(i).getType()).str(),
                    "scalar"});
      continue;
    }
    auto type = cast<tile::GlobalType>(kernel.getParams()[i].getType());
    SmallVector<std::string> row = {
        name.str(), tile::stringifyAccess(type.getAccess()).str(),
        array::getName(tensor->getType()).str(),
        array::formatShape(tensor->getShape())};

    const auto *expectation = llvm::find_if(
        expectations, [&](const Expectation &e) { return e.parameter == i; });
    bool isCompared = expectation != expectations.end();
    int64_t firstUnwritten = 0;
    int64_t unwritten = tensor->countUnwritten(&firstUnwritten);
    if (isCompared) {
      NDArray actual = tensor->toArray();
      array::Comparison result = array::compare(actual, expectation->reference,
                                                expectation->tolerance);
      bool rowGood = result.good && unwritten == 0;
      row.append({formatError(result.maxAbsolute),
                  formatError(result.maxRelative),
                  formatError(result.relativeRms), rowGood ? "ok" : "FAIL"});
      if (!result.good)
        explainMismatch(name, actual, *expectation, result, errors);
      good &= rowGood;
    }
    table.addRow(row);
    if (unwritten != 0) {
      raw_ostream &stream = isCompared
                                ? llvm::WithColor::error(errors, "tile-run")
                                : llvm::WithColor::warning(errors, "tile-run");
      stream << "'" << name << "': no program wrote " << unwritten << " of its "
             << tensor->toArray().getNumElements()
             << " elements; the first is at "
             << array::formatPosition(tensor->getShape(), firstUnwritten)
             << "\n";
    }
  }
  table.print(os);
  return good;
}
