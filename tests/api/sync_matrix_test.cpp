// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every lock and its like x caller x form: WEFT_TEST_AT_WORKERS.
#include "sync_matrix.hpp"

namespace weft::test {
namespace {

template <uint32_t Flags>
class a_mutex : public primitive {
 public:
  a_mutex() { EXPECT_EQ(weft_mutex_init(&m_, Flags), 0); }
  void closed_during(const std::function<void()>& f) override {
    EXPECT_EQ(weft_mutex_lock(&m_), 0);
    f();
    EXPECT_EQ(weft_mutex_unlock(&m_), 0);
  }
  int wait() override { return weft_mutex_lock(&m_); }
  int try_wait() override { return weft_mutex_try_lock(&m_); }
  int wait_until(int64_t deadline_ns) override { return weft_mutex_lock_until(&m_, deadline_ns); }
  void leave() override { EXPECT_EQ(weft_mutex_unlock(&m_), 0); }

 private:
  weft_mutex_t m_;
};

// Waits for a flag under a mutex.
template <bool Broadcast>
class a_condition : public primitive {
 public:
  void closed_during(const std::function<void()>& f) override {
    f();
    EXPECT_EQ(weft_mutex_lock(&m_), 0);
    open_ = true;
    EXPECT_EQ(Broadcast ? weft_condition_broadcast(&c_) : weft_condition_signal(&c_), 0);
    EXPECT_EQ(weft_mutex_unlock(&m_), 0);
  }
  int wait() override { return wait_until(INT64_MAX); }
  int wait_until(int64_t deadline_ns) override {
    int failed = weft_mutex_lock(&m_);
    if (failed != 0) return failed;
    while (!open_ && failed == 0)
      failed = deadline_ns == INT64_MAX ? weft_condition_wait(&c_, &m_)
                                        : weft_condition_wait_until(&c_, &m_, deadline_ns);
    if (!Broadcast) {
      EXPECT_EQ(weft_condition_signal(&c_), 0);
    }
    EXPECT_EQ(weft_mutex_unlock(&m_), 0);
    return failed;
  }
  bool has_try() const override { return false; }

 private:
  weft_mutex_t m_ = WEFT_MUTEX_INIT;
  weft_condition_t c_ = WEFT_CONDITION_INIT;
  bool open_ = false;
};

class rwlock_to_read : public primitive {
 public:
  void closed_during(const std::function<void()>& f) override {
    EXPECT_EQ(weft_rwlock_write_lock(&l_), 0);
    f();
    EXPECT_EQ(weft_rwlock_write_unlock(&l_), 0);
  }
  int wait() override { return weft_rwlock_read_lock(&l_); }
  int try_wait() override { return weft_rwlock_try_read_lock(&l_); }
  int wait_until(int64_t deadline_ns) override {
    return weft_rwlock_read_lock_until(&l_, deadline_ns);
  }
  void leave() override { EXPECT_EQ(weft_rwlock_read_unlock(&l_), 0); }

 private:
  weft_rwlock_t l_ = WEFT_RWLOCK_INIT;
};

template <bool HeldToWrite>
class rwlock_to_write : public primitive {
 public:
  void closed_during(const std::function<void()>& f) override {
    EXPECT_EQ(HeldToWrite ? weft_rwlock_write_lock(&l_) : weft_rwlock_read_lock(&l_), 0);
    f();
    EXPECT_EQ(HeldToWrite ? weft_rwlock_write_unlock(&l_) : weft_rwlock_read_unlock(&l_), 0);
  }
  int wait() override { return weft_rwlock_write_lock(&l_); }
  int try_wait() override { return weft_rwlock_try_write_lock(&l_); }
  int wait_until(int64_t deadline_ns) override {
    return weft_rwlock_write_lock_until(&l_, deadline_ns);
  }
  void leave() override { EXPECT_EQ(weft_rwlock_write_unlock(&l_), 0); }

 private:
  weft_rwlock_t l_ = WEFT_RWLOCK_INIT;
};

class a_semaphore : public primitive {
 public:
  void closed_during(const std::function<void()>& f) override {
    f();
    EXPECT_EQ(weft_semaphore_post(&s_, 1), 0);
  }
  int wait() override { return weft_semaphore_wait(&s_); }
  int try_wait() override { return weft_semaphore_try_wait(&s_); }
  int wait_until(int64_t deadline_ns) override {
    return weft_semaphore_wait_until(&s_, deadline_ns);
  }
  void leave() override { EXPECT_EQ(weft_semaphore_post(&s_, 1), 0); }

 private:
  weft_semaphore_t s_ = WEFT_SEMAPHORE_INIT(0);
};

class a_barrier : public primitive {
 public:
  a_barrier() { EXPECT_EQ(weft_barrier_init(&b_, 2), 0); }
  void closed_during(const std::function<void()>& f) override {
    f();
    EXPECT_GE(weft_barrier_wait(&b_), 0);
  }
  int wait() override { return weft_barrier_wait(&b_); }
  int try_wait() override { return weft_barrier_try_wait(&b_); }
  int wait_until(int64_t deadline_ns) override { return weft_barrier_wait_until(&b_, deadline_ns); }
  bool stays_open() const override { return false; }

 private:
  weft_barrier_t b_;
};

class a_latch : public primitive {
 public:
  void closed_during(const std::function<void()>& f) override {
    EXPECT_EQ(weft_latch_count_down(&l_, 2), 0);
    f();
    EXPECT_EQ(weft_latch_count_down(&l_, 1), 0);
  }
  int wait() override { return weft_latch_wait(&l_); }
  int try_wait() override { return weft_latch_try_wait(&l_); }
  int wait_until(int64_t deadline_ns) override { return weft_latch_wait_until(&l_, deadline_ns); }

 private:
  weft_latch_t l_ = WEFT_LATCH_INIT(3);
};

class a_once : public primitive {
 public:
  void closed_during(const std::function<void()>& f) override {
    const auto body = [](void* arg) { (*static_cast<const std::function<void()>*>(arg))(); };
    EXPECT_EQ(weft_once_call(&o_, body, const_cast<std::function<void()>*>(&f)), 0);
  }
  int wait() override { return weft_once_call(&o_, never, nullptr); }
  int try_wait() override { return weft_once_try_call(&o_, never, nullptr); }
  int wait_until(int64_t deadline_ns) override {
    return weft_once_call_until(&o_, never, nullptr, deadline_ns);
  }

 private:
  static void never(void*) { ADD_FAILURE() << "ran twice"; }
  weft_once_t o_ = WEFT_ONCE_INIT;
};

class a_future : public primitive {
 public:
  void closed_during(const std::function<void()>& f) override {
    f();
    EXPECT_EQ(weft_future_set(&f_, this), 0);
  }
  int wait() override {
    return got([&](void** v) { return weft_future_get(&f_, v); });
  }
  int try_wait() override {
    return got([&](void** v) { return weft_future_try_get(&f_, v); });
  }
  int wait_until(int64_t deadline_ns) override {
    return got([&](void** v) { return weft_future_get_until(&f_, v, deadline_ns); });
  }

 private:
  template <class Get>
  int got(Get get) {
    void* value = nullptr;
    const int failed = get(&value);
    EXPECT_EQ(value, failed == 0 ? this : nullptr);
    return failed;
  }
  weft_future_t f_ = WEFT_FUTURE_INIT;
};

class a_sinc : public primitive {
 public:
  a_sinc() {
    const int initial = 1000;
    EXPECT_EQ(weft_sinc_init(
                  &s_, &initial, sizeof initial,
                  [](void* into, const void* v) {
                    *static_cast<int*>(into) += *static_cast<const int*>(v);
                  },
                  3),
              0);
  }
  ~a_sinc() override { EXPECT_EQ(weft_sinc_destroy(&s_), 0); }
  void closed_during(const std::function<void()>& f) override {
    for (int i = 1; i < 3; ++i) EXPECT_EQ(weft_sinc_submit(&s_, &i), 0);
    f();
    const int last = 3;
    EXPECT_EQ(weft_sinc_submit(&s_, &last), 0);
  }
  int wait() override {
    return got([&](int* v) { return weft_sinc_wait(&s_, v); });
  }
  int try_wait() override {
    return got([&](int* v) { return weft_sinc_try_wait(&s_, v); });
  }
  int wait_until(int64_t deadline_ns) override {
    return got([&](int* v) { return weft_sinc_wait_until(&s_, v, deadline_ns); });
  }

 private:
  template <class Get>
  int got(Get get) {
    int value = 0;
    const int failed = get(&value);
    EXPECT_EQ(value, failed == 0 ? 1006 : 0);
    return failed;
  }
  weft_sinc_t s_;
};

INSTANTIATE_TEST_SUITE_P(sync, waits,
                         testing::ValuesIn(matrix({
                             row<a_mutex<0>>("mutex"),
                             row<a_mutex<WEFT_MUTEX_RECURSIVE>>("recursive_mutex"),
                             row<a_mutex<WEFT_MUTEX_HAND_OVER>>("hand_over_mutex"),
                             row<a_condition<false>>("condition_signalled"),
                             row<a_condition<true>>("condition_broadcast"),
                             row<rwlock_to_read>("rwlock_to_read"),
                             row<rwlock_to_write<false>>("rwlock_read_to_write"),
                             row<rwlock_to_write<true>>("rwlock_written_to_write"),
                             row<a_semaphore>("semaphore"),
                             row<a_barrier>("barrier"),
                             row<a_latch>("latch"),
                             row<a_once>("once"),
                             row<a_future>("future"),
                             row<a_sinc>("sinc"),
                         })),
                         name_of);

}  // namespace
}  // namespace weft::test
