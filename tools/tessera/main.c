/*===- main.c - The program tessera -------------------------------*- C -*-===*\
|*                                                                            *|
|* Tessera, under the Apache License v2.0 with LLVM Exceptions.               *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

int tessera_main(int argc, char **argv);

int main(int argc, char **argv) { return tessera_main(argc, argv); }
