// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A C++11 program on an installed Weft, through the C API: a word that is filled ten times.
#include <cstdint>
#include <cstdio>

#include <weft/weft.h>

int main() {
  static std::uint64_t word;
  if (weft_word_empty(&word) != 0) return 1;
  const weft_fn_t produce = [](void*) -> void* {
    for (std::uint64_t n = 1; n <= 10; ++n)
      if (weft_word_write_ef(&word, n * n) != 0) return nullptr;
    return &word;
  };
  weft_task_t producer;
  if (weft_task_spawn(produce, nullptr, &producer) != 0) return 1;
  std::uint64_t sum = 0;
  for (int i = 0; i < 10; ++i) {
    std::uint64_t value = 0;
    if (weft_word_read_fe(&word, &value) != 0) return 1;
    sum += value;
  }
  if (weft_task_join(producer, nullptr) != 0 || weft_word_fill(&word) != 0) return 1;
  std::printf("%d\n", static_cast<int>(sum));
  return weft_stop() != 0;
}
