// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of a blocked thread of the operating system on a stack of 64 KiB; the kernel's own part is
// not in it.
#include <atomic>
#include <pthread.h>
#include <semaphore.h>
#include <vector>

#include "config.hpp"
#include "harness/memory.hpp"

using namespace weft::bench;

namespace {

sem_t blocking;
pthread_barrier_t gate;
std::atomic<int64_t> woke{0};

template <bool Deep>
void* run(void*) {
  if (Deep) go_deep();
  sem_post(&blocking);
  pthread_barrier_wait(&gate);
  if (Deep) go_deep();
  woke.fetch_add(1, std::memory_order_relaxed);
  return nullptr;
}

int64_t bytes_while_blocked(void* (*fn)(void*), std::vector<pthread_t>& ids) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, block_stack_bytes);
  for (pthread_t& id : ids) {
    if (pthread_create(&id, &attributes, fn, nullptr) != 0) die("pthread_create failed");
  }
  pthread_attr_destroy(&attributes);
  for (size_t i = 0; i < ids.size(); ++i) sem_wait(&blocking);
  const int64_t bytes = resident_bytes();
  pthread_barrier_wait(&gate);
  for (const pthread_t id : ids) pthread_join(id, nullptr);
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  report out(argc, argv, "bytes/task");
  const int64_t count = out.opt().quick ? os_threads / quick_divisor : os_threads;
  std::vector<pthread_t> ids(static_cast<size_t>(count), 0);
  sem_init(&blocking, 0, 0);
  pthread_barrier_init(&gate, nullptr, static_cast<unsigned>(count) + 1);
  const int64_t before = resident_bytes();
  if (warm) bytes_while_blocked(run<true>, ids);
  const int64_t blocked = bytes_while_blocked(run<false>, ids);
  out.check("woken threads", woke.load(), warm ? 2 * count : count);
  out.add(static_cast<double>(blocked - before) / static_cast<double>(count));
  out.note(std::to_string(count) + " blocked at once, without the kernel's part");
  return out.finish();
}
