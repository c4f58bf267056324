// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unbalanced Tree Search with one coroutine of libfork per node.
#include "adapters/libfork.hpp"

#include "tree.hpp"

using namespace weft::bench;

namespace {

constexpr auto visit = [](auto self, const node& me) -> lf::task<int64_t> {
  const uint32_t count = child_count(me);
  if (count == 0) co_return 1;
  const family<int64_t> children(me, count);
  for (uint32_t i = 1; i < count; ++i)
    co_await lf::fork(&children.extra[i], self)(children.nodes[i]);
  co_await lf::call(&children.extra[0], self)(children.nodes[0]);
  co_await lf::join;
  int64_t total = 1;
  for (uint32_t i = 0; i < count; ++i) total += children.extra[i];
  co_return total;
};

}  // namespace

int main(int argc, char** argv) {
  return uts_main(argc, argv, [](const node& root) { return lf::sync_wait(*pool, visit, root); });
}
