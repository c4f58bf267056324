/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A syncvar as a class. */
#ifndef QTHREAD_SYNCVAR_HPP
#define QTHREAD_SYNCVAR_HPP

#include <assert.h>

#include "qthread.h"

class syncvar {
 public:
  syncvar() noexcept { the_syncvar_t.u.w = 0; }
  syncvar(uint64_t const &val) noexcept { set(val); }
  syncvar(syncvar const &val) noexcept { the_syncvar_t.u.w = val.the_syncvar_t.u.w; }
  syncvar(syncvar_t const &val) noexcept { the_syncvar_t.u.w = val.u.w; }
  syncvar &operator=(syncvar const &) = default;

  int empty() { return qthread_syncvar_empty(&the_syncvar_t); }
  int fill() { return qthread_syncvar_fill(&the_syncvar_t); }

  uint64_t readFF() {
    uint64_t value = 0;
    readFF(&value);
    return value;
  }
  int readFF(uint64_t *const dest) { return qthread_syncvar_readFF(dest, &the_syncvar_t); }

  uint64_t readFE() {
    uint64_t value = 0;
    readFE(&value);
    return value;
  }
  int readFE(uint64_t *const dest) { return qthread_syncvar_readFE(dest, &the_syncvar_t); }

  int writeF(uint64_t src) { return qthread_syncvar_writeF_const(&the_syncvar_t, src); }
  int writeEF(uint64_t const src) { return qthread_syncvar_writeEF_const(&the_syncvar_t, src); }
  uint64_t incr(int64_t inc = 1) {
    return qthread_syncvar_incrF(&the_syncvar_t, static_cast<uint64_t>(inc));
  }

  int status() { return qthread_syncvar_status(&the_syncvar_t); }
  uint64_t read() const { return the_syncvar_t.u.w >> 4; }
  /* The state stays; nobody else uses the variable meanwhile. */
  void write(uint64_t const src) { the_syncvar_t.u.w = src << 4 | (the_syncvar_t.u.w & 15); }

 protected:
  syncvar_t the_syncvar_t;

 private:
  void set(uint64_t value) noexcept {
    assert(value >> 60 == 0);
    the_syncvar_t.u.w = value << 4;
  }
};

#endif /* QTHREAD_SYNCVAR_HPP */
