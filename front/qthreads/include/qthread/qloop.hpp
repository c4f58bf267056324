/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops over function objects. */
#ifndef QLOOP_HPP
#define QLOOP_HPP

#include "qloop.h"

template <typename T>
void qloop_cpp_wrapper(size_t startat, size_t stopat, void *arg) {
  (*static_cast<T *>(arg))(startat, stopat);
}

template <typename T>
void qt_loop(size_t start, size_t stop, T const &obj) {
  qt_loop(start, stop, qloop_cpp_wrapper<T>, &const_cast<T &>(obj));
}

template <typename T>
void qt_loop_future(size_t start, size_t stop, T const &obj) {
  qt_loop_future(start, stop, qloop_cpp_wrapper<T>, &const_cast<T &>(obj));
}

template <typename T>
void qt_loop_balance(size_t start, size_t stop, T const &obj) {
  qt_loop_balance(start, stop, qloop_cpp_wrapper<T>, &const_cast<T &>(obj));
}

template <typename T>
void qt_loop_balance_simple(size_t start, size_t stop, T const &obj) {
  qt_loop_balance_simple(start, stop, qloop_cpp_wrapper<T>, &const_cast<T &>(obj));
}

template <typename T>
void qt_loop_balance_future(size_t start, size_t stop, T const &obj) {
  qt_loop_balance_future(start, stop, qloop_cpp_wrapper<T>, &const_cast<T &>(obj));
}

template <typename T>
void qloop_accum_cpp_wrapper(size_t startat, size_t stopat, void *arg, void *ret) {
  *static_cast<typename T::acctype *>(ret) = (*static_cast<T *>(arg))(startat, stopat);
}

/* accumulate(into, value), whether it takes pointers or references, constant or not. */
template <typename R, typename A, typename B>
void qloop_accum_cpp_call(R (*accumulate)(A *, B *), void *into, void const *value) {
  accumulate(static_cast<A *>(into), static_cast<B *>(const_cast<void *>(value)));
}
template <typename R, typename A, typename B>
void qloop_accum_cpp_call(R (*accumulate)(A &, B &), void *into, void const *value) {
  accumulate(*static_cast<A *>(into), *static_cast<B *>(const_cast<void *>(value)));
}

template <typename T>
void qloop_accum_cpp_join(void *into, void const *value) {
  qloop_accum_cpp_call(T::accumulate, into, value);
}

/* T::accumulate(acctype *into, acctype const *value) joins two, by pointers or by references;
 * T::identity changes nothing. */
template <typename T>
typename T::acctype qt_loopaccum_balance(size_t start, size_t stop, T const &obj) {
  typename T::acctype accumulated(T::identity);
  qt_loopaccum_balance(start, stop, sizeof accumulated, &accumulated, qloop_accum_cpp_wrapper<T>,
                       &const_cast<T &>(obj), qloop_accum_cpp_join<T>);
  return accumulated;
}

#endif /* QLOOP_HPP */
