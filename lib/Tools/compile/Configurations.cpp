//===- Configurations.cpp - Values chosen by predicted time -----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Configurations.h"
#include "tuning/ShapeRows.h"

#include "tessera/Array/BoundedJson.h"
#include "tessera/Array/OutputFile.h"
#include "tessera/Tools/Invocation.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/WithColor.h"

using namespace tessera;
using namespace tessera::tools;
namespace json = llvm::json;

bool tools::isChoiceWanted(const TilecOptions &options) {
  return options.configuration == TilecOptions::Configuration::Predicted &&
         !StringRef(options.input).ends_with(".mlir") &&
         !(options.tuning.shape.empty() && options.explain.empty());
}

static std::string print(const frontend::Configuration &values) {
  std::string text;
  for (const auto &[name, value] : values)
    text += (text.empty() ? "" : " ") + name + "=" + value;
  return text;
}

/// Prints the configurations from the fastest to the slowest.
static void printRanking(StringRef kernel, const ConfigurationRanking &ranking,
                         raw_ostream &os) {
  os << llvm::formatv("kernel '{0}': {1} configurations, by predicted time\n",
                      kernel, ranking.configurations.size());
  for (const TimedConfiguration *configuration : ranking.sort()) {
    os << (configuration == &ranking.getChosen() ? "  * " : "    ");
    if (configuration->isTimed())
      os << llvm::formatv("{0,10:f1} us", configuration->seconds * 1e6);
    else
      os << llvm::formatv("{0,13}", "-");
    os << "  " << print(configuration->values);
    if (configuration == &ranking.configurations.front())
      os << " (default)";
    if (!configuration->isTimed())
      os << ": " << configuration->reason;
    os << "\n";
  }
}

static json::Object toJSON(const frontend::Configuration &values) {
  json::Object object;
  for (const auto &[name, value] : values)
    object[name] = value;
  return object;
}

/// Returns the choice and the configurations as JSON, in the order of the
/// source.
static std::string write(StringRef kernel,
                         const ConfigurationRanking &ranking) {
  json::Array configurations;
  for (const TimedConfiguration &configuration : ranking.configurations) {
    json::Object row{{"values", toJSON(configuration.values)}};
    if (configuration.isTimed())
      row["microseconds"] = configuration.seconds * 1e6;
    else
      row["reason"] = configuration.reason;
    configurations.push_back(std::move(row));
  }
  json::Object all{{"kernel", kernel},
                   {"choice", toJSON(ranking.getChosen().values)},
                   {"configurations", std::move(configurations)}};
  return llvm::formatv("{0:2}\n", json::Value(std::move(all)));
}

/// Checks whether no configuration has a time because sizes are missing.
static bool isUndetermined(const ConfigurationRanking &ranking) {
  return llvm::none_of(
             ranking.configurations,
             [](const TimedConfiguration &one) { return one.isTimed(); }) &&
         llvm::any_of(ranking.configurations,
                      [](const TimedConfiguration &configuration) {
                        StringRef reason = configuration.reason;
                        return reason.contains("do not determine") ||
                               reason.contains("has these sizes");
                      });
}

/// Reports that there is no predicted time.
static void reportDefaults(StringRef kernel, const Twine &reason) {
  llvm::WithColor::remark(llvm::errs(), "tilec")
      << "kernel '" << kernel << "' keeps its defaults: " << reason << "\n";
}

static bool isDefaultKnown(const ConfigurationRanking &ranking) {
  return ranking.configurations.front().state !=
         TimedConfiguration::State::Unknown;
}

int tools::applyConfiguration(llvm::SourceMgr &sourceMgr, MLIRContext &context,
                              const TilecOptions &options, const Goal &goal,
                              frontend::CompileOptions &compileOptions) {
  FailureOr<std::string> signatures =
      frontend::describeKernels(sourceMgr, &context);
  if (failed(signatures))
    return 1;
  json::Value file = llvm::cantFail(array::parseJson(*signatures));
  const json::Array &kernels = *file.getAsObject()->getArray("kernels");
  bool isExplained = !options.explain.empty();
  // Without a name, --explain is for all kernels of the file.
  bool isForAll = isExplained && options.tuning.shape.empty() &&
                  options.kernel.empty() && kernels.size() > 1;
  if (isForAll && !goal.configuration)
    return 0;
  llvm::Expected<const json::Object *> row =
      findKernel(kernels, options.kernel);
  if (!row)
    return reportUsageError("tilec", llvm::toString(row.takeError()));
  llvm::Expected<llvm::StringMap<int64_t>> sizes =
      options.tuning.shape.empty()
          ? readSizes("--explain", options.explain, *row)
          : readSizes("--shape", options.tuning.shape, *row);
  if (!sizes)
    return reportUsageError("tilec", llvm::toString(sizes.takeError()));
  StringRef name = *(*row)->getString("name");
  auto describeMissing = [&] {
    return describeMissingSizes(name, getSizeNames(**row), *sizes);
  };
  if (isExplained && sizes->empty())
    if (std::string missing = describeMissing(); !missing.empty())
      return reportUsageError("tilec", "--explain: " + missing);
  PhaseOptions phaseOptions = options.getPhaseOptions(goal.target);
  FailureOr<ConfigurationRanking> ranking = chooseConfiguration(
      sourceMgr, &context, compileOptions, *sizes, phaseOptions,
      goal.configuration ? RankingUse::Times
      : isExplained      ? RankingUse::Ranking
                         : RankingUse::Choice);
  if (failed(ranking))
    return 1;
  std::string missing =
      isUndetermined(*ranking) ? describeMissing() : std::string();
  if (isExplained && !missing.empty())
    return reportUsageError("tilec", "--explain: " + missing);
  if (goal.configuration) {
    // Callers have the sizes of their tensors, which may not be all.
    if (!missing.empty())
      reportDefaults(name, missing);
    llvm::Error error = array::writeFile(options.output, write(name, *ranking));
    return error ? reportUsageError("tilec", llvm::toString(std::move(error)))
                 : 0;
  }
  bool isKnown = isDefaultKnown(*ranking);
  // The explanation reports why there is no time.
  if (!isKnown && !isExplained)
    reportDefaults(name, ranking->configurations.front().reason);
  if (isKnown && isExplained && ranking->configurations.size() > 1)
    printRanking(name, *ranking,
                 goal.isForExplanation ? llvm::outs() : llvm::errs());
  llvm::append_range(compileOptions.defines, ranking->getChosen().values);
  return 0;
}

int tools::chooseForShapes(llvm::SourceMgr &sourceMgr, MLIRContext &context,
                           const TilecOptions &options, const Goal &goal,
                           const frontend::CompileOptions &compileOptions,
                           std::vector<TunedRow> &rows) {
  auto fail = [](const Twine &message) {
    return reportUsageError("tilec", message.str());
  };
  if (goal.configuration || !goal.output || goal.output->name != "package")
    return fail("--shape: several shapes are for a package; another output is "
                "for one shape");
  if (options.report || !options.savePhases.empty() || !options.html.empty() ||
      !options.explain.empty())
    return fail("--shape: several shapes have a variant each; --report, "
                "--explain, --save-phases and --html are for one shape");
  FailureOr<std::string> signatures =
      frontend::describeKernels(sourceMgr, &context);
  if (failed(signatures))
    return 1;
  json::Value file = llvm::cantFail(array::parseJson(*signatures));
  llvm::Expected<const json::Object *> row =
      findKernel(*file.getAsObject()->getArray("kernels"), options.kernel);
  if (!row)
    return fail(llvm::toString(row.takeError()));
  llvm::Expected<std::vector<Shape>> shapes =
      readShapes("--shape", options.tuning.shape, *row);
  if (!shapes)
    return fail(llvm::toString(shapes.takeError()));
  if (llvm::Error error = checkShapes(*shapes, **row))
    return fail(llvm::toString(std::move(error)));
  StringRef name = *(*row)->getString("name");
  int status = 1;
  auto choose = [&](const Shape &shape) -> FailureOr<TunedChoice> {
    FailureOr<ConfigurationRanking> ranking = chooseConfiguration(
        sourceMgr, &context, compileOptions, shape,
        options.getPhaseOptions(goal.target), RankingUse::Choice);
    if (failed(ranking))
      return failure();
    std::string missing;
    if (isUndetermined(*ranking))
      missing = describeMissingSizes(name, getSizeNames(**row), shape);
    if (!missing.empty()) {
      status = fail("--shape: " + missing);
      return failure();
    }
    if (!isDefaultKnown(*ranking))
      reportDefaults(name, ranking->configurations.front().reason);
    return ranking->getChosen().values;
  };
  FailureOr<std::vector<TunedRow>> found =
      chooseShapeRows(*shapes, **row, choose);
  if (failed(found))
    return status;
  rows = std::move(*found);
  return 0;
}
