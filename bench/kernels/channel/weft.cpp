// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers through a channel of Weft: a send and a receive each.
#include "harness/weft.hpp"

#include "config.hpp"

using namespace weft::bench;

namespace {

int64_t send_and_receive(weft_channel_t c, int64_t count) {
  int64_t sum = 0;
  both(
      [&] {
        for (int64_t i = 1; i <= count; ++i) must(weft_channel_send(c, &i), "weft_channel_send");
      },
      [&] {
        for (int64_t i = 0; i < count; ++i) {
          int64_t value = 0;
          must(weft_channel_receive(c, &value), "weft_channel_receive");
          sum += value;
        }
      });
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "ns/op");
  const int64_t count = out.opt().quick ? values_quick : values_full;
  measure(out, [&] {
    weft_channel_t c = nullptr;
    must(weft_channel_create(sizeof(int64_t), static_cast<size_t>(capacity), &c),
         "weft_channel_create");
    const stopwatch watch;
    const int64_t sum = send_and_receive(c, count);
    const double sample = watch.ns() / static_cast<double>(count);
    must(weft_channel_destroy(c), "weft_channel_destroy");
    out.check("sum", sum, sum_of(count));
    return sample;
  });
  return out.finish();
}
