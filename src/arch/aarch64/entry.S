// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the first switch to a context lands on AArch64: calls entry at the base of a stack.
//
// make_context (aarch64/context.hpp) leaves the stack untouched and the entry function in x29:
//
//   at weft_context_start            in the entry function
//
//   stack_top, 16-aligned <- sp      stack_top, 16-aligned <- sp, x30: the brk, x29: 0

        .text
        .p2align 4                      // one fetch for the whole of it
        .globl  weft_context_base       // what a backtrace prints below the entry function
        .hidden weft_context_base       // of this library alone
        .type   weft_context_base, %function
        .globl  weft_context_start      // where a fresh context goes on
        .hidden weft_context_start      // of this library alone
weft_context_base:
        .cfi_startproc
        .cfi_def_cfa sp, 0              // nothing lies above: the frame begins at stack_top
        .cfi_undefined x30              // and nobody called it: unwinding ends here
        brk     #1                      // an unwinder in the switch looks up weft_context_start - 1
weft_context_start:
        hint    #36                     // bti j: the switch arrives by an indirect br
        mov     x9, x29                 // the entry function
        mov     x29, xzr                // the end of the chain of frame records
        blr     x9                      // entry()
        brk     #1                      // entry never returns
        .cfi_endproc
        .size   weft_context_base, . - weft_context_base

        // This file has its landing pads (BTI), and saves no return address that PAC could sign.
        .section .note.gnu.property,"a"
        .p2align 3                      // notes of ELF64 are 8-aligned
        .word   4                       // size of the name
        .word   16                      // size of the descriptor
        .word   5                       // NT_GNU_PROPERTY_TYPE_0
        .asciz  "GNU"                   // the name
        .word   0xc0000000              // GNU_PROPERTY_AARCH64_FEATURE_1_AND
        .word   4                       // size of its data
        .word   3                       // BTI and PAC
        .word   0                       // padding to 8

        .section .note.GNU-stack,"",%progbits   // the stack need not be executable
