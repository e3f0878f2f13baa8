/*===- Runtime.h - The runtime for callers in C -------------------*- C -*-===*\
|*                                                                            *|
|* Tessera, under the Apache License v2.0 with LLVM Exceptions.               *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* The interface of libtessera_runtime.so. It launches kernels of a package   *|
|* on streams and memory of the caller. The library needs libc and, from the  *|
|* first tessera_device_open on, the CUDA driver.                             *|
|*                                                                            *|
|*   tessera_device *device;                                                  *|
|*   tessera_package *package;                                                *|
|*   tessera_kernel *kernel;                                                  *|
|*   if (tessera_device_open(NULL, 0, &device) ||                             *|
|*       tessera_package_open("matmul.tpk", &package) ||                      *|
|*       tessera_kernel_load(device, package, NULL, &kernel) ||               *|
|*       tessera_kernel_launch(kernel, arguments, 3, NULL, 0, stream))        *|
|*     puts(tessera_last_error());                                            *|
|*                                                                            *|
|* Errors are values: a function returns a status, 0 for success, and stores  *|
|* the text for the thread. The handle that a function creates is NULL if the *|
|* function fails. No exception leaves the library.                           *|
|*                                                                            *|
|* Handles may be freed in any order: a kernel keeps its device alive, and a  *|
|* prepared launch keeps its kernel alive. Freeing NULL does nothing. Every   *|
|* function preserves the thread's current context.                           *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef TESSERA_C_RUNTIME_H
#define TESSERA_C_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TESSERA_EXPORT __attribute__((visibility("default")))
#else
#define TESSERA_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Incremented when a function is added, or when a signature or a struct below
 * changes. */
#define TESSERA_RUNTIME_ABI 3

typedef enum tessera_status {
  TESSERA_SUCCESS = 0,
  /* An invalid call: NULL, an unknown kind. */
  TESSERA_ERROR_USAGE = 1,
  /* A package that is unreadable or damaged, or lacks the kernel. */
  TESSERA_ERROR_PACKAGE = 2,
  /* No driver, no such device, or a device that cannot run the kernel. */
  TESSERA_ERROR_DEVICE = 3,
  /* Arguments that the kernel does not accept. */
  TESSERA_ERROR_ARGUMENTS = 4,
  /* An error of the driver; see tessera_last_driver_code. */
  TESSERA_ERROR_DRIVER = 5,
  TESSERA_ERROR_MEMORY = 6,
  /* A `check` of the kernel did not hold, in a launch of a kernel that was
   * compiled with --checks. */
  TESSERA_ERROR_CHECK = 7
} tessera_status;

typedef struct tessera_device tessera_device;
typedef struct tessera_package tessera_package;
typedef struct tessera_kernel tessera_kernel;
typedef struct tessera_prepared tessera_prepared;

typedef enum tessera_argument_kind {
  TESSERA_TENSOR = 0,
  TESSERA_INTEGER = 1,
  TESSERA_FLOAT = 2
} tessera_argument_kind;

/* The argument for one parameter; fields of other kinds are not read. */
typedef struct tessera_argument {
  int32_t kind; /* tessera_argument_kind */
  int32_t rank;
  int64_t integer;
  double number;
  /* Address in device memory; may be 0 if the tensor is empty. */
  uint64_t address;
  /* In the spelling of metadata: "bf16", "f32", "f8E4M3FN", "i32". */
  const char *dtype;
  const int64_t *shape;
  /* In elements; NULL for dense and row-major. */
  const int64_t *strides;
} tessera_argument;

/* The value of a size that no argument binds. */
typedef struct tessera_size {
  const char *name;
  int64_t value;
} tessera_size;

/* Returns TESSERA_RUNTIME_ABI of the library. */
TESSERA_EXPORT int32_t tessera_runtime_abi(void);

/* Returns the error of the last call of this thread that failed; never NULL. */
TESSERA_EXPORT const char *tessera_last_error(void);
/* Returns the CUresult of that call if its status is TESSERA_ERROR_DRIVER,
 * otherwise 0. */
TESSERA_EXPORT int32_t tessera_last_driver_code(void);

/* Retains the primary context of a device, which the CUDA runtime also uses.
 * `driver` is the path of the driver library, NULL for that of the system. */
TESSERA_EXPORT tessera_status tessera_device_open(const char *driver,
                                                  int32_t ordinal,
                                                  tessera_device **device);
TESSERA_EXPORT void tessera_device_free(tessera_device *device);
/* Returns a name that is valid until the device is freed. */
TESSERA_EXPORT const char *tessera_device_name(const tessera_device *device);

/* Waits for all work that is queued on `stream`, a CUstream of the device's
 * primary context or 0. */
TESSERA_EXPORT tessera_status tessera_stream_wait(const tessera_device *device,
                                                  uint64_t stream);

/* Makes work that is queued on `stream` after this call wait, on the device,
 * for all work that is already queued on `other`. Both streams are of the
 * device's primary context or 0. The host does not wait. */
TESSERA_EXPORT tessera_status tessera_stream_follow(
    const tessera_device *device, uint64_t stream, uint64_t other);

/* Reads and checks a package; needs no device. */
TESSERA_EXPORT tessera_status tessera_package_open(const char *path,
                                                   tessera_package **package);
TESSERA_EXPORT void tessera_package_free(tessera_package *package);
/* Returns JSON, as in docs/target.md: {"target": ..., "kernels": [...]}. It is
 * valid until the package is freed. */
TESSERA_EXPORT const char *
tessera_package_metadata(const tessera_package *package);
TESSERA_EXPORT size_t
tessera_package_num_kernels(const tessera_package *package);
/* Returns a name that is valid until the package is freed, or NULL if there is
 * no such kernel. */
TESSERA_EXPORT const char *
tessera_package_kernel_name(const tessera_package *package, size_t index);

/* Loads a kernel onto a device; the name may be NULL if there is only one. */
TESSERA_EXPORT tessera_status tessera_kernel_load(
    const tessera_device *device, const tessera_package *package,
    const char *name, tessera_kernel **kernel);
/* Releases a handle. The last handle unloads the kernel, after all work that is
 * queued in its context. */
TESSERA_EXPORT void tessera_kernel_free(tessera_kernel *kernel);

/* Checks the arguments, one per parameter and in order, and queues the kernel
 * on `stream`, a CUstream of the device's primary context or 0. Tensors with
 * elements must be in memory that the device can access. A tensor that is
 * written must not overlap another tensor, and its elements must not overlap
 * each other. */
TESSERA_EXPORT tessera_status tessera_kernel_launch(
    const tessera_kernel *kernel, const tessera_argument *arguments,
    size_t num_arguments, const tessera_size *sizes, size_t num_sizes,
    uint64_t stream);

/* Checks the arguments once, for many launches with the same arguments. The
 * memory of the tensors must outlive the last launch. */
TESSERA_EXPORT tessera_status tessera_kernel_prepare(
    const tessera_kernel *kernel, const tessera_argument *arguments,
    size_t num_arguments, const tessera_size *sizes, size_t num_sizes,
    tessera_prepared **prepared);
TESSERA_EXPORT tessera_status
tessera_prepared_launch(const tessera_prepared *prepared, uint64_t stream);
/* Launches with the tensors at other addresses, one for each, in order. Shapes,
 * strides and numbers stay. Conditions on the addresses are checked, except
 * whether the device can access them. For callers that look up prepared
 * launches by shapes, strides and numbers. */
TESSERA_EXPORT tessera_status tessera_prepared_launch_at(
    const tessera_prepared *prepared, const uint64_t *addresses,
    size_t num_addresses, uint64_t stream);
TESSERA_EXPORT void tessera_prepared_free(tessera_prepared *prepared);

#ifdef __cplusplus
}
#endif

#endif /* TESSERA_C_RUNTIME_H */
