// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Channels and select x caller x form: WEFT_TEST_AT_WORKERS.
#include "sync_matrix.hpp"

namespace weft::test {
namespace {

// How the wait is ended: by one partner, or by a close, after which nobody waits any more.
enum class end { partner, close };

// A channel in which sends wait (Sends; a buffer is full), or receives.
template <bool Sends, int Capacity, end By>
class a_channel : public primitive {
 public:
  a_channel() {
    EXPECT_EQ(weft_channel_create(sizeof(int), Capacity, &c_), 0);
    for (int i = 0; Sends && i < Capacity; ++i) EXPECT_EQ(weft_channel_send(c_, &i), 0);
  }
  ~a_channel() override { EXPECT_EQ(weft_channel_destroy(c_), 0); }

  void closed_during(const std::function<void()>& f) override {
    f();
    int v = 7;
    if (By == end::close) {
      EXPECT_EQ(weft_channel_close(c_), 0);
    } else if (Sends) {
      EXPECT_EQ(weft_channel_receive(c_, &v), 0);
    } else {
      EXPECT_EQ(weft_channel_send(c_, &v), 0);
    }
  }
  int wait() override {
    return judged(
        [&](int& v) { return Sends ? weft_channel_send(c_, &v) : weft_channel_receive(c_, &v); });
  }
  int try_wait() override {
    return judged([&](int& v) {
      return Sends ? weft_channel_try_send(c_, &v) : weft_channel_try_receive(c_, &v);
    });
  }
  int wait_until(int64_t deadline_ns) override {
    return judged([&](int& v) {
      return Sends ? weft_channel_send_until(c_, &v, deadline_ns)
                   : weft_channel_receive_until(c_, &v, deadline_ns);
    });
  }
  bool stays_open() const override { return By == end::close; }

 protected:
  // A closed channel ends the wait too.
  template <class Call>
  int judged(Call call) {
    int v = 5;
    const int result = call(v);
    EXPECT_EQ(v, result == 0 && !Sends ? 7 : 5);
    if (result == -EPIPE) {
      EXPECT_EQ(By, end::close);
      return 0;
    }
    EXPECT_FALSE(result == 0 && By == end::close);
    return result;
  }

  weft_channel_t c_ = nullptr;
};

// The same by a select that names a channel besides in which nobody sends.
template <bool Sends, int Capacity, end By>
class a_select : public a_channel<Sends, Capacity, By> {
 public:
  a_select() { EXPECT_EQ(weft_channel_create(sizeof(int), 0, &quiet_), 0); }
  ~a_select() override { EXPECT_EQ(weft_channel_destroy(quiet_), 0); }

  int wait() override {
    return selected([](weft_case_t* cases) { return weft_case_select(cases, 3); });
  }
  int try_wait() override {
    return selected([](weft_case_t* cases) { return weft_case_try_select(cases, 3); });
  }
  int wait_until(int64_t deadline_ns) override {
    return selected(
        [=](weft_case_t* cases) { return weft_case_select_until(cases, 3, deadline_ns); });
  }

 private:
  template <class Select>
  int selected(Select select) {
    return this->judged([&](int& v) {
      int other = 0;
      weft_case_t cases[] = {weft_case_receive(quiet_, &other),
                             Sends ? weft_case_send(this->c_, &v) : weft_case_receive(this->c_, &v),
                             weft_case_receive(quiet_, &other)};
      const int taken = select(cases);
      EXPECT_TRUE(taken == 1 || taken < 0) << taken;
      return taken == 1 ? cases[1].result : taken;
    });
  }
  weft_channel_t quiet_ = nullptr;
};

INSTANTIATE_TEST_SUITE_P(
    channels, waits,
    testing::ValuesIn(matrix({row<a_channel<false, 0, end::partner>>("receive"),
                              row<a_channel<false, 4, end::partner>>("receive_buffered"),
                              row<a_channel<false, 0, end::close>>("receive_closed"),
                              row<a_channel<true, 0, end::partner>>("send"),
                              row<a_channel<true, 3, end::partner>>("send_buffered"),
                              row<a_channel<true, 0, end::close>>("send_closed"),
                              row<a_select<false, 0, end::partner>>("select_receive"),
                              row<a_select<false, 1, end::close>>("select_receive_closed"),
                              row<a_select<true, 0, end::partner>>("select_send"),
                              row<a_select<true, 2, end::close>>("select_send_closed")})),
    name_of);

}  // namespace
}  // namespace weft::test
