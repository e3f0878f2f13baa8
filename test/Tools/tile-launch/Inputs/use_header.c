/* Tessera, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A caller of the generated launchers: all.h and words.h of header.test. The
 * memory of the fake driver is that of the host. */

#include "all.h"
#include "words.h"

#include <stdio.h>

#define CHECK(call)                                                            \
  if (call) {                                                                  \
    printf("%s\n", tessera_last_error());                                      \
    return 1;                                                                  \
  }

int main(int argc, char **argv) {
  tessera_device *device;
  tessera_package *all, *words;
  tessera_kernel *scale, *matmul, *word;
  tessera_prepared *prepared;
  float x[5] = {0, 1, 2, 3, 4}, y[5] = {0, 0, 0, 0, 0};
  uint16_t bf16[128], sums[32];
  int64_t strides[2] = {24, 1};
  scale_args scale_it;
  matmul_args product;
  new__args word_args;
  memset(&scale_it, 0, sizeof(scale_it));
  memset(&product, 0, sizeof(product));
  memset(&word_args, 0, sizeof(word_args));

  if (argc != 3)
    return 1;
  CHECK(tessera_device_open(NULL, 0, &device));
  CHECK(tessera_package_open(argv[1], &all));
  CHECK(tessera_package_open(argv[2], &words));
  CHECK(scale_load(device, all, &scale));
  CHECK(matmul_load(device, all, &matmul));
  CHECK(new__load(device, words, &word));

  scale_it.x = x;
  scale_it.y = y;
  scale_it.by = 2;
  scale_it.N = 5;
  CHECK(scale_prepare(scale, &scale_it, &prepared));
  CHECK(tessera_prepared_launch(prepared, 0));
  printf("%g %g %g %g %g\n", y[0], y[1], y[2], y[3], y[4]);

  product.a = product.b = bf16;
  product.c = sums;
  product.M = product.N = 4;
  product.K = 9;
  if (matmul_launch(matmul, NULL, &product))
    printf("%s\n", tessera_last_error());
  product.K = 8;
  product.a_strides = strides;
  CHECK(matmul_launch(matmul, NULL, &product));
  printf("strides: success\n");
  product.c = (char *)sums + 1;
  if (matmul_launch(matmul, NULL, &product))
    printf("%s\n", tessera_last_error());

  word_args.int_ = word_args.___x = bf16;
  word_args.n = 4;
  word_args.class_ = 1;
  CHECK(new__launch(word, NULL, &word_args));
  printf("words: success\n");

  tessera_prepared_free(prepared);
  tessera_kernel_free(scale);
  tessera_kernel_free(matmul);
  tessera_kernel_free(word);
  tessera_package_free(all);
  tessera_package_free(words);
  tessera_device_free(device);
  return 0;
}
