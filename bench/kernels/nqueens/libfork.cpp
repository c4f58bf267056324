// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// N-Queens with one coroutine of libfork per queen placed.
#include "adapters/libfork.hpp"

#include "queens.hpp"

using namespace weft::bench;

namespace {

constexpr auto visit = [](auto self, board me) -> lf::task<int64_t> {
  if (me.full()) co_return 1;
  board next[n_max];
  int64_t found[n_max];
  const int count = me.expand(next);
  if (count == 0) co_return 0;
  for (int i = 1; i < count; ++i) co_await lf::fork(&found[i], self)(next[i]);
  co_await lf::call(&found[0], self)(next[0]);
  co_await lf::join;
  int64_t total = 0;
  for (int i = 0; i < count; ++i) total += found[i];
  co_return total;
};

}  // namespace

int main(int argc, char** argv) {
  return nqueens_main(argc, argv, [](board empty) { return lf::sync_wait(*pool, visit, empty); });
}
