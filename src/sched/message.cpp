// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages to workers. A worker has a post once somebody has sent anything: what has arrived, what
// waits in order, and a pinned, stackless task, the reader, that runs one message and is queued
// again while there are more.
//
// Each message counts as bound to its worker until it has run, so a worker that has one does not
// go.
//
// Orders
//   post_A1 -> post_A2   the posts are made and shown to who sends
//   post_C1 -> post_C2   who sends: leaves the message, counts it; the worker: takes one, then
//                        counts it off. Who counts the first queues the reader, so each time it
//                        runs there is a message.
//   post_C2 -> post_C1   the reader may be queued again before the last message is counted off
#include "sched/message.hpp"

#include <cerrno>
#include <memory>
#include <mutex>
#include <new>

#include "base/atomic.hpp"
#include "base/build.hpp"
#include "lockfree/inbox.hpp"
#include "mem/raw.hpp"
#include "sched/extra.hpp"
#include "sched/finish.hpp"
#include "sched/presence.hpp"
#include "sched/ready.hpp"
#include "sched/scheduler.hpp"
#include "sched/self.hpp"
#include "sched/spin_lock.hpp"

namespace weft::rt {

namespace {

struct alignas(line_bytes) post {
  explicit post(worker& w) noexcept;

  // Any thread.
  void leave(worker* here, message* m) noexcept;
  message* take() noexcept;
  // The reader may be queued again.
  void prepare() noexcept;
  void run_next() noexcept;

  inbox<message, member_link<&message::next>> arrived;
  atomic<uint32_t> count{0};

  // The worker's. A thread sanitizer takes each task for a thread of its own: there the lock says
  // that they take turns.
  alignas(line_bytes) worker& of;
  spin_lock lock;
  message_queue waiting;
  task reader;
  struct ended : end_listener {
    post* at;
  } at_end;
};

constinit std::mutex making;
constinit atomic<post*> posts{nullptr};  // one for each worker

void* run_one(void* argument) {
  auto* p = static_cast<post*>(argument);
  message* m = p->take();
  m->fn(reinterpret_cast<weft_message_t*>(m));  // last use of *m
  return nullptr;
}

void when_reader_ended(end_listener& me) noexcept { static_cast<post::ended&>(me).at->run_next(); }

post::post(worker& w) noexcept : of(w) {
  at_end.heard = when_reader_ended;
  at_end.at = this;
  prepare();
}

void post::prepare() noexcept {
  if (reader.extra.load_acquire() != nullptr) release_extra(reader);  // E2 <- E1
  reader.fn.set(run_one);
  reader.value.set(this);
  reader.state.reset();
  reader.state.raise(flag_pinned | flag_sticky | flag_stackless);
  reader.state.set_home(of.index);
  reader.join.reset();
  (void)reader.join.wait_for(reinterpret_cast<uint64_t>(static_cast<end_listener*>(&at_end)) |
                             listener_tag);
}

void post::leave(worker* here, message* m) noexcept {
  if (here == &of) {
    if (build::tsan) lock.lock();
    waiting.push(m);
    if (build::tsan) lock.unlock();
  } else {
    arrived.push(m);  // last use of *m
  }
  if (count.add_acq_rel(1) == 0)
    send_pinned(here, &reader, of.index);  // post_C1 -> post_C2; post_C1 <- post_C2
}

message* post::take() noexcept {
  if (build::tsan) lock.lock();
  for (message* m = arrived.take_all(); m != nullptr;) {
    message* after = m->next;
    waiting.push(m);
    m = after;
  }
  message* m = waiting.pop();
  if (build::tsan) lock.unlock();
  return m;
}

void post::run_next() noexcept {
  prepare();
  if (count.add_acq_rel(UINT32_MAX) != 1)
    send_pinned(&of, &reader, of.index);  // post_C2 <- post_C1; post_C2 -> post_C1
}

std::size_t bytes_of_posts() noexcept { return the().count * sizeof(post); }

post* all_posts() noexcept {
  post* all = posts.load_acquire();  // post_A2 <- post_A1
  if (all != nullptr) return all;
  const std::lock_guard lock(making);
  all = posts.load_relaxed();  // via: the lock
  if (all != nullptr) return all;
  void* memory = raw_alloc(bytes_of_posts());
  if (memory == nullptr) return nullptr;
  all = static_cast<post*>(memory);
  for (uint32_t i = 0; i < the().count; ++i) new (all + i) post(the().workers[i]);
  posts.store_release(all);  // post_A1 -> post_A2
  return all;
}

}  // namespace

int send_message(worker& to, message* m) noexcept {
  post* all = all_posts();
  if (all == nullptr) return -ENOMEM;
  worker* here = self();
  if (!try_bind_to(to, here)) return -ERANGE;
  if (here != nullptr) here->poll.begin();
  all[to.index].leave(here, m);
  return 0;
}

void forget_messages() noexcept {
  const std::lock_guard lock(making);
  post* all = posts.load_relaxed();  // via: the lock
  if (all == nullptr) return;
  posts.store_relaxed(nullptr);  // via: the lock
  for (uint32_t i = 0; i < the().count; ++i) all[i].~post();
  raw_free(all, bytes_of_posts());
}

void abandon_messages() noexcept {
  std::construct_at(&making);    // perhaps somebody held it
  posts.store_relaxed(nullptr);  // own: one thread
}

}  // namespace weft::rt
