// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Skynet with one coroutine of libfork per node.
#include "adapters/libfork.hpp"

#include "leaves.hpp"

using namespace weft::bench;

namespace {

constexpr auto visit = [](auto self, range me) -> lf::task<int64_t> {
  if (me.leaves == 1) co_return me.first;
  int64_t value[children];
  for (int64_t i = 1; i < children; ++i) co_await lf::fork(&value[i], self)(me.child(i));
  co_await lf::call(&value[0], self)(me.child(0));
  co_await lf::join;
  int64_t sum = 0;
  for (const int64_t v : value) sum += v;
  co_return sum;
};

}  // namespace

int main(int argc, char** argv) {
  return skynet_main(argc, argv, [](range all) { return lf::sync_wait(*pool, visit, all); });
}
