/* Tessera, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The headers are C: this file is compiled as such. */

#include "tessera-c/Compiler.h"
#include "tessera-c/Runtime.h"

tessera_status launch_from_c(const tessera_kernel *kernel) {
  tessera_argument argument = {.kind = TESSERA_INTEGER, .integer = 3};
  return tessera_kernel_launch(kernel, &argument, 1, NULL, 0, 0);
}
