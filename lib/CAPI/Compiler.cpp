//===- Compiler.cpp - Kernels without a GPU, for callers in C ---*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C interface over HostKernel.
//
//===----------------------------------------------------------------------===//

#include "tessera-c/Compiler.h"

#include "CallArguments.h"
#include "LastError.h"

#include "tessera/Tools/host/HostKernel.h"

#include "llvm/Support/FormatVariadic.h"

using namespace tessera;
using namespace tessera::capi;
using namespace tessera::tools;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

struct tessera_host_kernel {
  std::unique_ptr<HostKernel> kernel;
  std::string metadata;
  std::string warnings;
};

/// Stores the error with the status of its kind.
static tessera_status fail(Error error) {
  int status = TESSERA_ERROR_ARGUMENTS;
  std::string text;
  llvm::handleAllErrors(
      std::move(error),
      [&](const HostCompileError &compile) {
        status = TESSERA_ERROR_COMPILE;
        text = compile.message();
      },
      [&](const HostDefectError &defect) {
        status = defect.getKind() == HostDefectError::Kind::Unwritten
                     ? TESSERA_ERROR_UNWRITTEN
                     : TESSERA_ERROR_DEFECT;
        text = defect.message();
      },
      [&](const HostInterruptError &interrupted) {
        status = TESSERA_ERROR_INTERRUPTED;
        text = interrupted.message();
      },
      [&](const llvm::ErrorInfoBase &other) { text = other.message(); });
  return fail(static_cast<tessera_status>(status), text);
}

int32_t tessera_compiler_abi(void) { return TESSERA_COMPILER_ABI; }

const char *tessera_compiler_last_error(void) { return lastError().pointer; }

/// Returns the part of a source that is null and must not be; null if none is.
static const char *findNull(const tessera_source *source) {
  if (!source || !source->text || !source->file)
    return "source";
  if (source->num_defines > 0 && !source->defines)
    return "defines";
  if (source->num_files > 0 && !source->files)
    return "files";
  return nullptr;
}

static Expected<HostSource> readSource(const tessera_source &from) {
  HostSource source;
  source.text.assign(from.text, from.length);
  source.file = from.file;
  source.kernel = from.kernel ? from.kernel : "";
  for (size_t i = 0; i < from.num_defines; ++i) {
    auto [name, value] = StringRef(from.defines[i]).split('=');
    if (name.empty() || name.size() == StringRef(from.defines[i]).size())
      return llvm::createStringError("expected NAME=VALUE, got '%s'",
                                     from.defines[i]);
    source.defines.emplace_back(name.str(), value.str());
  }
  for (const tessera_file &file : llvm::ArrayRef(from.files, from.num_files)) {
    if (!file.path || !file.text)
      return llvm::createStringError("a used file has no path or no text");
    source.files.emplace_back(file.path, std::string(file.text, file.length));
  }
  return source;
}

tessera_status tessera_compiler_describe(const tessera_source *source,
                                         const char **json) {
  return contain([&] {
    if (!json)
      return refuseNull("json");
    *json = nullptr;
    if (const char *part = findNull(source))
      return refuseNull(part);
    thread_local std::string text;
    Expected<HostSource> read = readSource(*source);
    if (!read)
      return fail(TESSERA_ERROR_USAGE, llvm::toString(read.takeError()));
    Expected<std::string> described = describeSource(*read);
    if (!described)
      return ::fail(described.takeError());
    text = std::move(*described);
    *json = text.c_str();
    return TESSERA_SUCCESS;
  });
}

tessera_status tessera_host_kernel_compile(const char *device,
                                           const tessera_source *source,
                                           const char *const *options,
                                           size_t num_options,
                                           tessera_host_kernel **kernel) {
  return contain([&] {
    if (!kernel)
      return refuseNull("kernel");
    *kernel = nullptr;
    if (!device)
      return refuseNull("device");
    if (const char *part = findNull(source))
      return refuseNull(part);
    if (num_options > 0 && !options)
      return refuseNull("options");
    llvm::SmallVector<StringRef> texts(options, options + num_options);
    Expected<HostOptions> parsed = HostOptions::parse(device, texts);
    if (!parsed)
      return fail(TESSERA_ERROR_USAGE, llvm::toString(parsed.takeError()));
    Expected<HostSource> text = readSource(*source);
    if (!text)
      return fail(TESSERA_ERROR_USAGE, llvm::toString(text.takeError()));
    Expected<std::unique_ptr<HostKernel>> compiled =
        HostKernel::compile(device, *text, *parsed);
    if (!compiled)
      return ::fail(compiled.takeError());
    std::string metadata =
        llvm::formatv("{0}", rt::toJSON((*compiled)->getMetadata()));
    std::string warnings = (*compiled)->getWarnings().str();
    *kernel = new tessera_host_kernel{std::move(*compiled), std::move(metadata),
                                      std::move(warnings)};
    return TESSERA_SUCCESS;
  });
}

void tessera_host_kernel_free(tessera_host_kernel *kernel) { delete kernel; }

const char *tessera_host_kernel_metadata(const tessera_host_kernel *kernel) {
  return kernel ? kernel->metadata.c_str() : "";
}

const char *tessera_host_kernel_warnings(const tessera_host_kernel *kernel) {
  return kernel ? kernel->warnings.c_str() : "";
}

tessera_status tessera_host_kernel_run(tessera_host_kernel *kernel,
                                       const tessera_argument *arguments,
                                       size_t num_arguments,
                                       const tessera_size *sizes,
                                       size_t num_sizes,
                                       tessera_interrupt interrupt) {
  return contain([&] {
    if (!kernel)
      return refuseNull("kernel");
    HostKernel &host = *kernel->kernel;
    if (Error error =
            checkLengths(host.getMetadata(), num_arguments, num_sizes))
      return ::fail(std::move(error));
    Expected<CallArguments> call =
        readArguments(arguments, num_arguments, sizes, num_sizes);
    if (!call)
      return fail(TESSERA_ERROR_USAGE, llvm::toString(call.takeError()));
    StepLimit::Interrupt poll;
    if (interrupt)
      poll = [interrupt] { return interrupt() != 0; };
    if (Error error = host.run(call->arguments, call->sizes, std::move(poll)))
      return ::fail(std::move(error));
    return TESSERA_SUCCESS;
  });
}
