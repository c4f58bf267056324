// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unbalanced Tree Search with one coroutine of libfork per node; the children of a node are on
// libfork's own stack.
#include "adapters/libfork.hpp"

#include "tree.hpp"

using namespace weft::bench;

namespace {

struct child {
  node at;
  int64_t below;
};

constexpr auto visit = [](auto self, const node& me) -> lf::task<int64_t> {
  const uint32_t count = child_count(me);
  if (count == 0) co_return 1;
  auto [children] = co_await lf::co_new<child>(count);
  for (uint32_t i = 0; i < count; ++i) {
    children[i].at = child_node(me, i);
    if (i + 1 < count) co_await lf::fork(&children[i].below, self)(children[i].at);
  }
  co_await lf::call(&children[count - 1].below, self)(children[count - 1].at);
  co_await lf::join;
  int64_t total = 1;
  for (const child& c : children) total += c.below;
  co_return total;
};

}  // namespace

int main(int argc, char** argv) {
  return uts_main(argc, argv, [](const node& root) { return lf::sync_wait(*pool, visit, root); });
}
