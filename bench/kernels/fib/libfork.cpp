// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fibonacci without a cut-off, one coroutine of libfork per spawn.
#include "adapters/libfork.hpp"

#include "timed.hpp"

using namespace weft::bench;

namespace {

constexpr auto fib = [](auto self, int64_t n) -> lf::task<int64_t> {
  if (n < 2) co_return n;
  int64_t a = 0;
  int64_t b = 0;
  co_await lf::fork(&a, self)(n - 1);
  co_await lf::call(&b, self)(n - 2);
  co_await lf::join;
  co_return a + b;
};

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "ns/op");
  measure(out, timed(out, [](int64_t n) { return lf::sync_wait(*pool, fib, n); }));
  return out.finish();
}
