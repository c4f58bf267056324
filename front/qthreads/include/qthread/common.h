/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the compiler and the processor are. */
#ifndef QTHREAD_COMMON_H
#define QTHREAD_COMMON_H

#include "macros.h"

/* Programs use the word in C++, too, once they have included this. */
#if defined(__cplusplus) && !defined(restrict)
#define restrict __restrict
#endif

#define QTHREAD_TRAP() __builtin_trap()

/* Values of QTHREAD_ASSEMBLY_ARCH */
#define QTHREAD_UNSUPPORTED 0
#define QTHREAD_IA32 1
#define QTHREAD_AMD64 2
#define QTHREAD_POWERPC32 6
#define QTHREAD_POWERPC64 7
#define QTHREAD_ARM 12
#define QTHREAD_ARMV8_A64 13
#define QTHREAD_RISCV 14

#if defined(__x86_64__)
#define QTHREAD_ASSEMBLY_ARCH QTHREAD_AMD64
#elif defined(__aarch64__)
#define QTHREAD_ASSEMBLY_ARCH QTHREAD_ARMV8_A64
#elif defined(__powerpc64__)
#define QTHREAD_ASSEMBLY_ARCH QTHREAD_POWERPC64
#elif defined(__riscv)
#define QTHREAD_ASSEMBLY_ARCH QTHREAD_RISCV
#else
#define QTHREAD_ASSEMBLY_ARCH QTHREAD_UNSUPPORTED
#endif

#endif /* QTHREAD_COMMON_H */
