// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stands for libweft.so in self_word_test: defines the word in a shared library.
#include "arch/self_word.hpp"

extern "C" {
__thread void* weft_self_word __attribute__((tls_model("initial-exec"), visibility("default"))) =
    nullptr;
}
