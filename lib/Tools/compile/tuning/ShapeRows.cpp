//===- ShapeRows.cpp - Rows of choices for several shapes -----------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tuning/ShapeRows.h"

#include "llvm/ADT/STLExtras.h"

using namespace tessera;
using namespace tessera::tools;
namespace json = llvm::json;

/// Returns the sizes of the kernel that differ between shapes. A launch knows
/// these, but not other parameters of type `int`.
static std::vector<StringRef> findBoundedSizes(ArrayRef<Shape> shapes,
                                               const json::Object &kernel) {
  std::vector<StringRef> found;
  for (const json::Value &size : *kernel.getArray("sizes")) {
    StringRef name = *size.getAsString();
    if (llvm::any_of(shapes, [&](const Shape &shape) {
          return shape.lookup(name) != shapes.front().lookup(name);
        }))
      found.push_back(name);
  }
  return found;
}

/// Checks whether no size of `small` exceeds that of `large`.
static bool isCovered(const Shape &small, const Shape &large,
                      ArrayRef<StringRef> sizes) {
  return llvm::all_of(sizes, [&](StringRef name) {
    return small.lookup(name) <= large.lookup(name);
  });
}

llvm::Error tools::checkShapes(ArrayRef<Shape> shapes,
                               const json::Object &kernel) {
  std::vector<StringRef> sizes = findBoundedSizes(shapes, kernel);
  for (auto [number, shape] : llvm::enumerate(shapes)) {
    for (const auto &size : shapes.front())
      if (!shape.contains(size.getKey()))
        return llvm::createStringError("--shape: shape " + Twine(number + 1) +
                                       " lacks '" + size.getKey() +
                                       "', which shape 1 has");
    if (shape.size() != shapes.front().size())
      return llvm::createStringError("--shape: shape " + Twine(number + 1) +
                                     " has sizes that shape 1 lacks");
    for (auto [earlier, other] : llvm::enumerate(shapes.take_front(number)))
      if (isCovered(shape, other, sizes))
        return llvm::createStringError(
            "--shape: no launch would use shape " + Twine(number + 1) +
            ": shape " + Twine(earlier + 1) +
            " has no smaller size; name small shapes first");
  }
  return llvm::Error::success();
}

FailureOr<std::vector<TunedRow>>
tools::chooseShapeRows(ArrayRef<Shape> shapes, const json::Object &kernel,
                       ChooseValues choose) {
  std::vector<StringRef> sizes = findBoundedSizes(shapes, kernel);
  std::vector<TunedRow> rows;
  // The shape of each row.
  std::vector<const Shape *> kept;
  for (const Shape &shape : shapes) {
    FailureOr<TunedChoice> choice = choose(shape);
    if (failed(choice))
      return failure();
    TunedRow row{std::move(*choice), {}};
    bool isFallback = &shape == &shapes.back();
    if (!isFallback)
      for (StringRef name : sizes)
        row.conditions.push_back(writeBound(name, "max", shape.lookup(name)));
    // The launches of an equal row use this one as well.
    while (!rows.empty() && rows.back().choice == row.choice &&
           (isFallback || isCovered(*kept.back(), shape, sizes))) {
      rows.pop_back();
      kept.pop_back();
    }
    rows.push_back(std::move(row));
    kept.push_back(&shape);
  }
  return rows;
}
