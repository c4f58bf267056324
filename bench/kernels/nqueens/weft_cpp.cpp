// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// N-Queens with one fork of weft.hpp per queen placed.
#include "harness/weft_cpp.hpp"

#include "queens.hpp"

using namespace weft::bench;

namespace {

int64_t visit(const board& me);

// The boards from `at` on: the first of them as a fork, the others here.
int64_t visit_all(const board* at, const board* end) {
  if (at == end) return 0;
  if (at + 1 == end) return visit(*at);
  const auto [first, others] =
      weft::fork_join([at] { return visit(*at); }, [=] { return visit_all(at + 1, end); });
  return first + others;
}

int64_t visit(const board& me) {
  if (me.full()) return 1;
  board next[n_max];
  return visit_all(next, next + me.expand(next));
}

}  // namespace

int main(int argc, char** argv) {
  return nqueens_main(argc, argv, [](board empty) { return visit(empty); });
}
