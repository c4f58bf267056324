// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Words and syncvars in the matrix of all waits: each operation that can wait, from everywhere.
#include "sync_matrix.hpp"

namespace weft::test {
namespace {

struct of_word {
  uint64_t at = 7;
  ~of_word() { EXPECT_EQ(weft_word_fill(&at), 0); }
  int empty() { return weft_word_empty(&at); }
  int fill() { return weft_word_fill(&at); }
  int read_ff() { return weft_word_read_ff(&at, nullptr); }
  int try_read_ff() { return weft_word_try_read_ff(&at, nullptr); }
  int read_ff_until(int64_t d) { return weft_word_read_ff_until(&at, nullptr, d); }
  int read_fe() { return weft_word_read_fe(&at, nullptr); }
  int try_read_fe() { return weft_word_try_read_fe(&at, nullptr); }
  int read_fe_until(int64_t d) { return weft_word_read_fe_until(&at, nullptr, d); }
  int write_ef() { return weft_word_write_ef(&at, 8); }
  int try_write_ef() { return weft_word_try_write_ef(&at, 8); }
  int write_ef_until(int64_t d) { return weft_word_write_ef_until(&at, 8, d); }
  int write_ff() { return weft_word_write_ff(&at, 9); }
  int try_write_ff() { return weft_word_try_write_ff(&at, 9); }
  int write_ff_until(int64_t d) { return weft_word_write_ff_until(&at, 9, d); }
};

struct of_syncvar {
  weft_syncvar_t at = WEFT_SYNCVAR_INIT_TO(7);
  int empty() { return weft_syncvar_empty(&at); }
  int fill() { return weft_syncvar_fill(&at); }
  int read_ff() { return weft_syncvar_read_ff(&at, nullptr); }
  int try_read_ff() { return weft_syncvar_try_read_ff(&at, nullptr); }
  int read_ff_until(int64_t d) { return weft_syncvar_read_ff_until(&at, nullptr, d); }
  int read_fe() { return weft_syncvar_read_fe(&at, nullptr); }
  int try_read_fe() { return weft_syncvar_try_read_fe(&at, nullptr); }
  int read_fe_until(int64_t d) { return weft_syncvar_read_fe_until(&at, nullptr, d); }
  int write_ef() { return weft_syncvar_write_ef(&at, 8); }
  int try_write_ef() { return weft_syncvar_try_write_ef(&at, 8); }
  int write_ef_until(int64_t d) { return weft_syncvar_write_ef_until(&at, 8, d); }
  int write_ff() { return weft_syncvar_write_ff(&at, 9); }
  int try_write_ff() { return weft_syncvar_try_write_ff(&at, 9); }
  int write_ff_until(int64_t d) { return weft_syncvar_write_ff_until(&at, 9, d); }
};

// Waits until it is full.
template <class Kind>
class full_kind : public primitive {
 public:
  void closed_during(const std::function<void()>& f) override {
    EXPECT_EQ(w_.empty(), 0);
    f();
    EXPECT_EQ(w_.fill(), 0);
  }

 protected:
  Kind w_;
};

template <class Kind>
class reads_ff : public full_kind<Kind> {
  int wait() override { return this->w_.read_ff(); }
  int try_wait() override { return this->w_.try_read_ff(); }
  int wait_until(int64_t d) override { return this->w_.read_ff_until(d); }
};
template <class Kind>
class writes_ff : public full_kind<Kind> {
  int wait() override { return this->w_.write_ff(); }
  int try_wait() override { return this->w_.try_write_ff(); }
  int wait_until(int64_t d) override { return this->w_.write_ff_until(d); }
};
template <class Kind>
class reads_fe : public full_kind<Kind> {
  int wait() override { return this->w_.read_fe(); }
  int try_wait() override { return this->w_.try_read_fe(); }
  int wait_until(int64_t d) override { return this->w_.read_fe_until(d); }
  void leave() override { EXPECT_EQ(this->w_.fill(), 0); }
};
template <class Kind>
class writes_ef : public primitive {
 public:
  writes_ef() { EXPECT_EQ(w_.empty(), 0); }
  void closed_during(const std::function<void()>& f) override {
    EXPECT_EQ(w_.fill(), 0);
    f();
    EXPECT_EQ(w_.empty(), 0);
  }
  int wait() override { return w_.write_ef(); }
  int try_wait() override { return w_.try_write_ef(); }
  int wait_until(int64_t d) override { return w_.write_ef_until(d); }
  void leave() override { EXPECT_EQ(w_.empty(), 0); }

 private:
  Kind w_;
};

INSTANTIATE_TEST_SUITE_P(word, waits,
                         testing::ValuesIn(matrix({
                             row<reads_ff<of_word>>("word_read_ff"),
                             row<reads_fe<of_word>>("word_read_fe"),
                             row<writes_ef<of_word>>("word_write_ef"),
                             row<writes_ff<of_word>>("word_write_ff"),
                             row<reads_ff<of_syncvar>>("syncvar_read_ff"),
                             row<reads_fe<of_syncvar>>("syncvar_read_fe"),
                             row<writes_ef<of_syncvar>>("syncvar_write_ef"),
                             row<writes_ff<of_syncvar>>("syncvar_write_ff"),
                         })),
                         name_of);

}  // namespace
}  // namespace weft::test
