/*===- Runtime.h - The runtime for callers in C ---------------------*- C
-*-===*\
|*                                                                            *|
|* Tessera, under the Apache License v2.0 with LLVM Exceptions.               *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* What libtessera_runtime.so exports: kernels of a package, launched on      *|
|* streams and memory that somebody else made. The library needs libc and,    *|
|* from the first tessera_device_open on, the CUDA driver.                    *|
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
|* Errors are values: a function returns a status, 0 for success, and leaves  *|
|* the text with the thread. What a function makes is NULL if it fails. No    *|
|* exception leaves the library.                                              *|
|*                                                                            *|
|* Handles may be freed in any order: a kernel keeps its device, a prepared   *|
|* launch its kernel. Freeing NULL does nothing. Every function leaves the    *|
|* thread's current context as it found it.                                   *|
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

/* Grows when a function is added, or a signature or a struct below changes. */
#define TESSERA_RUNTIME_ABI 3

typedef enum tessera_status {
  TESSERA_SUCCESS = 0,
  /* The call itself makes no sense: NULL, an unknown kind. */
  TESSERA_ERROR_USAGE = 1,
  /* A package that cannot be read or is damaged, a kernel that it lacks. */
  TESSERA_ERROR_PACKAGE = 2,
  /* No driver, no such device, or one that cannot run the kernel. */
  TESSERA_ERROR_DEVICE = 3,
  /* Arguments that do not fit the kernel. */
  TESSERA_ERROR_ARGUMENTS = 4,
  /* The driver refused; see tessera_last_driver_code. */
  TESSERA_ERROR_DRIVER = 5,
  TESSERA_ERROR_MEMORY = 6
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
  /* In device memory; may be 0 if the tensor is empty. */
  uint64_t address;
  /* As metadata spells it: "bf16", "f32", "f8E4M3FN", "i32". */
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

/* TESSERA_RUNTIME_ABI of the library. */
TESSERA_EXPORT int32_t tessera_runtime_abi(void);

/* What went wrong in the last call of this thread that failed; never NULL. */
TESSERA_EXPORT const char *tessera_last_error(void);
/* The CUresult of that call if its status is TESSERA_ERROR_DRIVER, else 0. */
TESSERA_EXPORT int32_t tessera_last_driver_code(void);

/* Retains the primary context of a device, the one that the CUDA runtime uses
 * too. `driver` is the path of the driver library, NULL for the system's. */
TESSERA_EXPORT tessera_status tessera_device_open(const char *driver,
                                                  int32_t ordinal,
                                                  tessera_device **device);
TESSERA_EXPORT void tessera_device_free(tessera_device *device);
/* Valid until the device is freed. */
TESSERA_EXPORT const char *tessera_device_name(const tessera_device *device);

/* Waits for all work that is queued on `stream`, a CUstream of the device's
 * primary context or 0. */
TESSERA_EXPORT tessera_status tessera_stream_wait(const tessera_device *device,
                                                  uint64_t stream);

/* Lets what is queued on `stream` from now on wait, on the device, for all work
 * that is queued on `other` by now. Both are of the device's primary context or
 * 0, and the host goes on. */
TESSERA_EXPORT tessera_status tessera_stream_follow(
    const tessera_device *device, uint64_t stream, uint64_t other);

/* Reads and checks a package; needs no device. */
TESSERA_EXPORT tessera_status tessera_package_open(const char *path,
                                                   tessera_package **package);
TESSERA_EXPORT void tessera_package_free(tessera_package *package);
/* JSON, as docs/target.md shows: {"target": ..., "kernels": [...]}. Valid until
 * the package is freed. */
TESSERA_EXPORT const char *
tessera_package_metadata(const tessera_package *package);
TESSERA_EXPORT size_t
tessera_package_num_kernels(const tessera_package *package);
/* NULL if there is no such kernel; else valid until the package is freed. */
TESSERA_EXPORT const char *
tessera_package_kernel_name(const tessera_package *package, size_t index);

/* Loads a kernel onto a device; the name may be NULL if there is only one. */
TESSERA_EXPORT tessera_status tessera_kernel_load(
    const tessera_device *device, const tessera_package *package,
    const char *name, tessera_kernel **kernel);
/* With the last handle on it the kernel is unloaded, after all work that is
 * queued in its context. */
TESSERA_EXPORT void tessera_kernel_free(tessera_kernel *kernel);

/* Checks the arguments, one per parameter and in order, and queues the kernel
 * on `stream`, a CUstream of the device's primary context or 0. Tensors with
 * elements must lie in memory that the device can reach. What is written must
 * not overlap another tensor, and its elements must lie apart. */
TESSERA_EXPORT tessera_status tessera_kernel_launch(
    const tessera_kernel *kernel, const tessera_argument *arguments,
    size_t num_arguments, const tessera_size *sizes, size_t num_sizes,
    uint64_t stream);

/* Checks the arguments once, for many launches with the same ones. The memory
 * of the tensors must outlive the last of them. */
TESSERA_EXPORT tessera_status tessera_kernel_prepare(
    const tessera_kernel *kernel, const tessera_argument *arguments,
    size_t num_arguments, const tessera_size *sizes, size_t num_sizes,
    tessera_prepared **prepared);
TESSERA_EXPORT tessera_status
tessera_prepared_launch(const tessera_prepared *prepared, uint64_t stream);
/* The same with the tensors at other addresses, one for each, in order; shapes,
 * strides and numbers stay. What depends on the addresses is checked, but for
 * whether the device can reach them. For callers that find what they have
 * prepared by shapes, strides and numbers. */
TESSERA_EXPORT tessera_status tessera_prepared_launch_at(
    const tessera_prepared *prepared, const uint64_t *addresses,
    size_t num_addresses, uint64_t stream);
TESSERA_EXPORT void tessera_prepared_free(tessera_prepared *prepared);

#ifdef __cplusplus
}
#endif

#endif /* TESSERA_C_RUNTIME_H */
