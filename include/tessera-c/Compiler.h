/*===- Compiler.h - Kernels without a GPU, for callers in C -------*- C -*-===*\
|*                                                                            *|
|* Tessera, under the Apache License v2.0 with LLVM Exceptions.               *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* The interface of libtessera_compiler.so. It compiles kernels in the        *|
|* process and runs them on memory of the host, without a GPU and without     *|
|* other programs.                                                            *|
|*                                                                            *|
|*   tessera_host_kernel *kernel;                                             *|
|*   tessera_source source = {text, strlen(text), "k.tile", "add", NULL, 0};  *|
|*   if (tessera_host_kernel_compile("sim", &source, NULL, 0, &kernel) ||     *|
|*       tessera_host_kernel_run(kernel, arguments, 3, NULL, 0))              *|
|*     puts(tessera_compiler_last_error());                                   *|
|*                                                                            *|
|* Errors are values, as in Runtime.h: a function returns a status and stores *|
|* the text for the thread. Kernels may be used from any thread.              *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef TESSERA_C_COMPILER_H
#define TESSERA_C_COMPILER_H

#include "tessera-c/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Incremented when a function is added, or when a signature or a struct below
 * changes. */
#define TESSERA_COMPILER_ABI 2

/* Further values of tessera_status. */
enum {
  /* The compiler rejected the source; the text has the diagnostics. */
  TESSERA_ERROR_COMPILE = 16,
  /* A run found a defect of the kernel: a race, a deadlock, an access out of
   * bounds. The text has the diagnostics. */
  TESSERA_ERROR_DEFECT = 17,
  /* No program wrote some elements of an output. */
  TESSERA_ERROR_UNWRITTEN = 18,
  /* The caller interrupted a run. */
  TESSERA_ERROR_INTERRUPTED = 19
};

typedef struct tessera_host_kernel tessera_host_kernel;

/* Returns a nonzero number to interrupt a run. */
typedef int32_t (*tessera_interrupt)(void);

/* A file that a .tile file uses. */
typedef struct tessera_file {
  /* Relative to the same folder as the name of the file that uses it. */
  const char *path;
  const char *text;
  size_t length;
} tessera_file;

/* The text of a .tile file. */
typedef struct tessera_source {
  const char *text;
  size_t length;
  /* The name of the file in messages. The file uses others relative to the
   * folder of this name. */
  const char *file;
  const char *kernel;
  /* Values of compile-time parameters, as after -D: "T=f32". */
  const char *const *defines;
  size_t num_defines;
  /* The files that it uses; others are read when the source is compiled. */
  const tessera_file *files;
  size_t num_files;
} tessera_source;

/* Returns TESSERA_COMPILER_ABI of the library. */
TESSERA_EXPORT int32_t tessera_compiler_abi(void);

/* Returns the error of the last call of this thread that failed; never NULL. */
TESSERA_EXPORT const char *tessera_compiler_last_error(void);

/* Describes the kernels of a source as JSON, as tilec --emit=signatures. Fails
 * if a kernel has an error that no compile-time value avoids. The text is valid
 * until the next call of this function by this thread. */
TESSERA_EXPORT tessera_status
tessera_compiler_describe(const tessera_source *source, const char **json);

/* Compiles a kernel for a device: "cpu", "interpreter", "sim" or "ptx".
 * `options` are those of tile-run: "--order=late", "--step-limit=1000". */
TESSERA_EXPORT tessera_status
tessera_host_kernel_compile(const char *device, const tessera_source *source,
                            const char *const *options, size_t num_options,
                            tessera_host_kernel **kernel);
TESSERA_EXPORT void tessera_host_kernel_free(tessera_host_kernel *kernel);

/* Returns JSON with the fields "name", "parameters" and "sizes" of a kernel of
 * a package (docs/target.md). It is valid until the kernel is freed. */
TESSERA_EXPORT const char *
tessera_host_kernel_metadata(const tessera_host_kernel *kernel);
/* Returns the warnings of the compiler, or an empty text. */
TESSERA_EXPORT const char *
tessera_host_kernel_warnings(const tessera_host_kernel *kernel);

/* Checks the arguments, one per parameter and in order, and runs the kernel.
 * Addresses are those of host memory. A run that fails writes nothing. During
 * a long run, `interrupt`, which may be NULL, is called by this thread about
 * ten times a second. */
TESSERA_EXPORT tessera_status tessera_host_kernel_run(
    tessera_host_kernel *kernel, const tessera_argument *arguments,
    size_t num_arguments, const tessera_size *sizes, size_t num_sizes,
    tessera_interrupt interrupt);

#ifdef __cplusplus
}
#endif

#endif /* TESSERA_C_COMPILER_H */
