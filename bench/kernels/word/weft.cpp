// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// readFE + writeEF of words that are full, readFF of such, and the pair on syncvars.
#include "harness/weft.hpp"

#include "config.hpp"

using namespace weft::bench;

int main(int argc, char** argv) {
  report out(argc, argv, "ns/op");
  const int64_t rounds = out.opt().quick ? rounds_quick : rounds_full;
  static uint64_t cells[words];
  static weft_syncvar_t vars[words];
  static uint64_t elsewhere = 0;  // empty, so that there is a table to look at
  must(weft_word_empty(&elsewhere), "weft_word_empty");
  measure_both(out, [&] {
    for (int64_t i = 0; i < words; ++i) {
      cells[i] = static_cast<uint64_t>(i);
      vars[i] = WEFT_SYNCVAR_INIT_TO(i);
    }
    uint64_t sum = 0;
    const stopwatch watch;
    for (int64_t r = 0; r < rounds; ++r) {
      if constexpr (kernel_name == "word_pair") {
        for (uint64_t& cell : cells) {
          uint64_t v = 0;
          must(weft_word_read_fe(&cell, &v), "weft_word_read_fe");
          must(weft_word_write_ef(&cell, v + 1), "weft_word_write_ef");
        }
      } else if constexpr (kernel_name == "word_read_full") {
        for (const uint64_t& cell : cells) {
          uint64_t v = 0;
          must(weft_word_read_ff(&cell, &v), "weft_word_read_ff");
          sum += v;
        }
      } else {
        for (weft_syncvar_t& var : vars) {
          uint64_t v = 0;
          must(weft_syncvar_read_fe(&var, &v), "weft_syncvar_read_fe");
          must(weft_syncvar_write_ef(&var, v + 1), "weft_syncvar_write_ef");
        }
      }
    }
    const double sample = watch.ns() / static_cast<double>(rounds * words);
    const auto first = static_cast<uint64_t>(words * (words - 1) / 2);
    const auto added = static_cast<uint64_t>(rounds * words);
    if constexpr (kernel_name == "word_pair") {
      for (const uint64_t cell : cells) sum += cell;
      out.check("sum", sum, first + added);
    } else if constexpr (kernel_name == "word_read_full") {
      out.check("sum", sum, first * static_cast<uint64_t>(rounds));
    } else {
      for (weft_syncvar_t& var : vars) {
        uint64_t v = 0;
        must(weft_syncvar_read_ff(&var, &v), "weft_syncvar_read_ff");
        sum += v;
      }
      out.check("sum", sum, first + added);
    }
    return sample;
  });
  return out.finish();
}
