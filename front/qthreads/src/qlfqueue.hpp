// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The queue of lf_queue.hpp as it is used here: standard atomics, nodes of the C++ heap.
#pragma once

#include <cstddef>
#include <new>

#include "lf_queue.hpp"
#include "ordered_atomic.hpp"

namespace weft::qt {

struct node_memory {
  template <class Node>
  static Node* make(std::size_t count) noexcept {
    return new (std::nothrow) Node[count];
  }
  template <class Node>
  static void drop(Node* nodes, std::size_t /*count*/) noexcept {
    delete[] nodes;
  }
};

using lf_queue = basic_lf_queue<ordered_atomic, node_memory>;

}  // namespace weft::qt
