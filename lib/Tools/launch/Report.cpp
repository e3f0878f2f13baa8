//===- Report.cpp - Report of results ---------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints tables, lists and mismatches. Numbers have the shortest text that
// reads back as the same number.
//
//===----------------------------------------------------------------------===//

#include "tessera/Tools/launch/Report.h"

#include "tessera/Array/ValueText.h"

#include "tessera/Array/NumpyFile.h"
#include "tessera/Array/OutputFile.h"
#include "tessera/Tools/launch/Picture.h"
#include "tessera/Tools/launch/Table.h"

#include "llvm/Support/WithColor.h"

#include <cmath>
#include <cstdlib>

using namespace tessera;
using namespace tessera::tools;
using array::NDArray;

static std::string formatNumber(const NDArray &array, int64_t index) {
  if (!array::isFloat(array.getType()))
    return array.formatInteger(index);
  return array::formatFloat(array.getFloat(index),
                            array.getType() == array::ElementType::F64);
}

static std::string formatError(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3g", value);
  return text;
}

/// Prints the elements of a tensor as nested lists.
static void printArray(llvm::StringRef name, const NDArray &array,
                       llvm::raw_ostream &os) {
  llvm::ArrayRef<int64_t> shape = array.getShape();
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

/// Prints one line about the elements of `array` that differ from the expected
/// ones.
static void explainMismatch(llvm::StringRef name, const NDArray &array,
                            const Expectation &expectation,
                            const array::Comparison &result,
                            llvm::StringRef tool, llvm::raw_ostream &errors) {
  const array::Tolerance &tolerance = expectation.tolerance;
  llvm::raw_ostream &os = llvm::WithColor::error(errors, tool);
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

/// Checks whether no tensor that the kernel reads has NaN.
static bool haveInputsNoNaN(const Signature &signature, ResultReader &reader) {
  for (auto [index, parameter] : llvm::enumerate(signature.parameters)) {
    if (!parameter.isTensor || parameter.isOutput())
      continue;
    std::optional<array::NaNCount> found = reader.countNaN(index);
    if (!found || found->count != 0)
      return false;
  }
  return true;
}

/// Prints a remark if output `index` is NaN, or has NaN that no input has.
static void remarkNaN(llvm::StringRef tool, const Signature &signature,
                      llvm::ArrayRef<array::Shape> shapes, unsigned index,
                      ResultReader &reader, llvm::raw_ostream &errors) {
  std::optional<array::NaNCount> found = reader.countNaN(index);
  if (!found || found->count == 0)
    return;
  int64_t elements = *array::countElements(shapes[index]);
  bool isAll = found->count == elements;
  if (!isAll && !haveInputsNoNaN(signature, reader))
    return;
  llvm::raw_ostream &os = llvm::WithColor::remark(errors, tool);
  os << "'" << signature.parameters[index].name << "': ";
  if (isAll)
    os << "all of its " << elements << " elements are NaN; NaN comes from NaN "
       << "in an input or a `fill`, also that of --fill-outside, from";
  else
    os << found->count << " of its " << elements << " elements are NaN, the "
       << "first at " << array::formatPosition(shapes[index], found->first)
       << ", and no input has NaN; NaN comes from";
  os << " 0 / 0, inf - inf, or the logarithm or root of a negative number\n";
}

bool tools::printReport(llvm::StringRef tool, const Signature &signature,
                        llvm::ArrayRef<array::Shape> shapes,
                        llvm::ArrayRef<Expectation> expectations,
                        ResultReader &reader, llvm::raw_ostream &os,
                        llvm::raw_ostream &errors) {
  bool good = true;
  Table table;
  llvm::SmallVector<std::string> heading = {"argument", "access", "type",
                                            "shape"};
  if (!expectations.empty())
    heading.append({"max abs", "max rel", "rel rms", "result"});
  table.addRow(heading);
  for (auto [i, parameter] : llvm::enumerate(signature.parameters)) {
    llvm::SmallVector<std::string> row = {
        parameter.name, parameter.access, parameter.typeName,
        parameter.isTensor ? array::formatShape(shapes[i]) : "scalar"};
    if (!parameter.isTensor) {
      table.addRow(row);
      continue;
    }
    const auto *expectation =
        llvm::find_if(expectations, [i = i](const Expectation &e) {
          return e.parameter == i;
        });
    bool isCompared = expectation != expectations.end();
    Unwritten unwritten = reader.countUnwritten(i);
    if (isCompared) {
      NDArray actual = reader.read(i);
      array::Comparison result = array::compare(actual, expectation->reference,
                                                expectation->tolerance);
      bool rowGood = result.good && unwritten.count == 0;
      std::string verdict = rowGood ? "ok" : "FAIL";
      if (unwritten.count != 0)
        verdict += ", " + std::to_string(unwritten.count) + " not written";
      row.append({formatError(result.maxAbsolute),
                  formatError(result.maxRelative),
                  formatError(result.relativeRms), verdict});
      if (!result.good)
        explainMismatch(parameter.name, actual, *expectation, result, tool,
                        errors);
      good &= rowGood;
    }
    table.addRow(row);
    if (parameter.isOutput() && !isCompared && unwritten.count == 0)
      remarkNaN(tool, signature, shapes, i, reader, errors);
    if (unwritten.count != 0) {
      llvm::raw_ostream &stream = isCompared
                                      ? llvm::WithColor::error(errors, tool)
                                      : llvm::WithColor::warning(errors, tool);
      stream << "'" << parameter.name << "': no program wrote "
             << unwritten.count << " of its "
             << *array::countElements(shapes[i])
             << " elements; the first is at "
             << array::formatPosition(shapes[i], unwritten.first) << "\n";
    }
  }
  table.print(os);
  return good;
}

llvm::Error tools::saveAndPrint(const Signature &signature,
                                const Results &results, ResultReader &reader,
                                llvm::raw_ostream &os) {
  for (unsigned index : results.prints)
    printArray(signature.parameters[index].name, reader.read(index), os);
  for (auto &[index, path] : results.saves)
    if (llvm::Error error = array::writeNumpyFile(path, reader.read(index)))
      return error;
  if (results.plot.empty())
    return llvm::Error::success();
  std::vector<PicturedArray> tensors;
  for (unsigned index : results.plotted) {
    const Parameter &parameter = signature.parameters[index];
    tensors.push_back({parameter.name, parameter.access, parameter.typeName,
                       reader.read(index)});
  }
  if (results.plot == "-") {
    printTerminalPicture(tensors, os.has_colors(), os);
    return llvm::Error::success();
  }
  return array::writeFile(results.plot, [&](llvm::raw_ostream &file) {
    if (llvm::StringRef(results.plot).ends_with(".png"))
      writePng(tensors, file);
    else
      printPicture(signature.kernel, tensors, file);
  });
}
