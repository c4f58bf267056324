// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the first switch to a context lands on x86-64: calls entry at the base of a stack.
//
// make_context (x86_64/context.hpp) leaves the stack untouched and the entry function in rbp:
//
//   at weft_context_start            in the entry function
//
//   stack_top, 16-aligned <- rsp     stack_top      not ours
//                                    stack_top -  8 return address: the ud2 <- rsp
//
// so rsp + 8 is a multiple of 16 when the entry function starts, as at every call.

        .text
        .p2align 4                      // one fetch for the whole of it
        .globl  weft_context_base       // what a backtrace prints below the entry function
        .hidden weft_context_base       // of this library alone
        .type   weft_context_base, @function
        .globl  weft_context_start      // where a fresh context goes on
        .hidden weft_context_start      // of this library alone
weft_context_base:
        .cfi_startproc
        .cfi_def_cfa rsp, 0             // nothing lies above: the frame begins at stack_top
        .cfi_undefined rip              // and nobody called it: unwinding ends here
        int3                            // an unwinder in the switch looks up weft_context_start - 1
weft_context_start:
#if defined(__CET__) && (__CET__ & 1)
        endbr64                         // the switch arrives by an indirect jmp
#endif
        movq    %rbp, %rax              // the entry function
        xorl    %ebp, %ebp              // the outermost frame has no frame pointer (psABI 3.4.1)
        // As if entry() were called; but a call that never returns would put the predictions of
        // the returns of who started this flow, and soon goes on on this processor, out of step.
        leaq    1f(%rip), %rcx
        pushq   %rcx
        jmp     *%rax
1:      ud2                             // entry never returns
        .cfi_endproc
        .size   weft_context_base, . - weft_context_base

#if defined(__CET__) && (__CET__ & 1)
        // This file has its landing pads (IBT). It must not claim SHSTK: a shadow stack would have
        // to be switched too; one file without the claim turns it off for the whole program.
        .section .note.gnu.property,"a"
        .p2align 3                      // notes of ELF64 are 8-aligned
        .long   4                       // size of the name
        .long   16                      // size of the descriptor
        .long   5                       // NT_GNU_PROPERTY_TYPE_0
        .asciz  "GNU"                   // the name
        .long   0xc0000002              // GNU_PROPERTY_X86_FEATURE_1_AND
        .long   4                       // size of its data
        .long   1                       // IBT
        .long   0                       // padding to 8
#endif

        .section .note.GNU-stack,"",%progbits   // the stack need not be executable
