// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A first-in first-out queue of pointers without locks; and the C functions of qlfqueue.h.
#include "qlfqueue.hpp"

#include <bit>
#include <new>
#include <qthread/qlfqueue.h>
#include <qthread/qthread.h>

namespace weft::qt {

namespace {

// Node n (from 1) is in chunk k at place i.
struct place {
  uint32_t k, i;
};

place place_of(uint32_t n, uint32_t first_chunk) noexcept {
  const uint32_t scaled = (n - 1) / first_chunk + 1;
  const auto k = static_cast<uint32_t>(std::bit_width(scaled)) - 1;
  return {k, n - 1 - first_chunk * ((1u << k) - 1)};
}

}  // namespace

lf_queue::~lf_queue() {
  for (std::atomic<node*>& c : chunk_) delete[] c.load(std::memory_order_relaxed);
}

lf_queue::node& lf_queue::at(uint32_t n) const noexcept {
  const place p = place_of(n, first_chunk);
  return chunk_[p.k].load(std::memory_order_acquire)[p.i];
}

uint32_t lf_queue::fresh_node() noexcept {
  const uint32_t n = fresh_.fetch_add(1, std::memory_order_relaxed) + 1;
  const place p = place_of(n, first_chunk);
  if (n == 0 || p.k >= chunks) return 0;
  node* have = chunk_[p.k].load(std::memory_order_acquire);
  if (have != nullptr) return n;
  auto* made = new (std::nothrow) node[std::size_t{first_chunk} << p.k];
  if (made == nullptr) return 0;  // the number is lost, others of its chunk are tried again
  if (!chunk_[p.k].compare_exchange_strong(have, made, std::memory_order_acq_rel)) delete[] made;
  return n;
}

uint32_t lf_queue::new_node() noexcept {
  word top = free_.load(std::memory_order_acquire);
  while (number(top) != 0) {
    const word below = at(number(top)).next.load(std::memory_order_relaxed);
    if (free_.compare_exchange_weak(top, retag(top, number(below)), std::memory_order_acq_rel))
      return number(top);
  }
  return fresh_node();
}

void lf_queue::free_node(uint32_t n) noexcept {
  node& x = at(n);
  word top = free_.load(std::memory_order_relaxed);
  word next = x.next.load(std::memory_order_relaxed);
  do {
    next = retag(next, number(top));
    x.next.store(next, std::memory_order_relaxed);
  } while (!free_.compare_exchange_weak(top, retag(top, n), std::memory_order_acq_rel));
}

bool lf_queue::begin() noexcept {
  const uint32_t dummy = new_node();
  head_.store(dummy, std::memory_order_relaxed);
  tail_.store(dummy, std::memory_order_relaxed);
  return dummy != 0;
}

bool lf_queue::put(void* elem) noexcept {
  const uint32_t n = new_node();
  if (n == 0) return false;
  node& x = at(n);
  x.value.store(elem, std::memory_order_relaxed);
  // Released by the swap of the last node's word; a late reader of the node's old life sees a new tag.
  x.next.store(retag(x.next.load(std::memory_order_relaxed), 0), std::memory_order_relaxed);
  for (;;) {
    word tail = tail_.load(std::memory_order_acquire);
    node& last = at(number(tail));
    word next = last.next.load(std::memory_order_acquire);
    if (tail != tail_.load(std::memory_order_acquire)) continue;
    if (number(next) != 0) {
      tail_.compare_exchange_weak(tail, retag(tail, number(next)), std::memory_order_acq_rel);
    } else if (last.next.compare_exchange_weak(next, retag(next, n), std::memory_order_acq_rel)) {
      tail_.compare_exchange_strong(tail, retag(tail, n), std::memory_order_acq_rel);
      return true;
    }
  }
}

void* lf_queue::take() noexcept {
  for (;;) {
    word head = head_.load(std::memory_order_acquire);
    word tail = tail_.load(std::memory_order_acquire);
    const word next = at(number(head)).next.load(std::memory_order_acquire);
    if (head != head_.load(std::memory_order_acquire)) continue;
    if (number(next) == 0) return nullptr;
    if (number(head) == number(tail)) {
      tail_.compare_exchange_weak(tail, retag(tail, number(next)), std::memory_order_acq_rel);
      continue;
    }
    // Before the swap: then the node may be taken and used for another value.
    void* value = at(number(next)).value.load(std::memory_order_relaxed);
    if (head_.compare_exchange_weak(head, retag(head, number(next)), std::memory_order_acq_rel)) {
      free_node(number(head));
      return value;
    }
  }
}

bool lf_queue::empty() const noexcept {
  const word head = head_.load(std::memory_order_acquire);
  return number(at(number(head)).next.load(std::memory_order_acquire)) == 0;
}

}  // namespace weft::qt

struct qlfqueue_s {
  weft::qt::lf_queue queue;
};

qlfqueue_t* qlfqueue_create(void) {
  auto* q = new (std::nothrow) qlfqueue_s;
  if (q != nullptr && q->queue.begin()) return q;
  delete q;
  return nullptr;
}

int qlfqueue_destroy(qlfqueue_t* q) {
  delete q;
  return q != nullptr ? QTHREAD_SUCCESS : QTHREAD_BADARGS;
}

int qlfqueue_enqueue(qlfqueue_t* q, void* elem) {
  if (q == nullptr || elem == nullptr) return QTHREAD_BADARGS;
  return q->queue.put(elem) ? QTHREAD_SUCCESS : QTHREAD_MALLOC_ERROR;
}

void* qlfqueue_dequeue(qlfqueue_t* q) { return q != nullptr ? q->queue.take() : nullptr; }

int qlfqueue_empty(qlfqueue_t* q) { return q == nullptr || q->queue.empty() ? 1 : 0; }
