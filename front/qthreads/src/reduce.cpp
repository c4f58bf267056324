// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums, products and extremes of arrays: an even part for each worker, then the parts in order.
#include <algorithm>
#include <limits>
#include <qthread/qloop.h>
#include <qthread/qutil.h>

#include "loop.hpp"

namespace weft::qt {

namespace {

// Below that a task is not worth it, unless elements must be waited for.
constexpr std::size_t least_part = 8192;

struct sum {
  template <class T>
  static T neutral() noexcept {
    return 0;
  }
  template <class T>
  static T join(T a, T b) noexcept {
    return static_cast<T>(a + b);
  }
};
struct product {
  template <class T>
  static T neutral() noexcept {
    return 1;
  }
  template <class T>
  static T join(T a, T b) noexcept {
    return static_cast<T>(a * b);
  }
};
struct greatest {
  template <class T>
  static T neutral() noexcept {
    if constexpr (std::numeric_limits<T>::has_infinity) return -std::numeric_limits<T>::infinity();
    return std::numeric_limits<T>::lowest();
  }
  template <class T>
  static T join(T a, T b) noexcept {
    return a < b ? b : a;
  }
};
struct least {
  template <class T>
  static T neutral() noexcept {
    if constexpr (std::numeric_limits<T>::has_infinity) return std::numeric_limits<T>::infinity();
    return std::numeric_limits<T>::max();
  }
  template <class T>
  static T join(T a, T b) noexcept {
    return b < a ? b : a;
  }
};

template <class Op, class T>
T reduce_part(const T* array, std::size_t from, std::size_t to, bool wait) noexcept {
  T value = Op::template neutral<T>();
  for (std::size_t i = from; i < to; ++i) {
    if (wait) qthread_readFF(nullptr, reinterpret_cast<const aligned_t*>(&array[i]));
    value = Op::join(value, array[i]);
  }
  return value;
}

// Signed sums and products wrap: they are computed unsigned.
template <class Op, class T>
T reduce(const T* array, std::size_t length, int checkfeb) noexcept {
  constexpr std::size_t most_parts = 64;
  const bool wait = checkfeb != 0;
  std::size_t parts = std::min(parts_of(length), most_parts);
  if (!wait) parts = std::min(parts, length / least_part);
  if (parts <= 1) return reduce_part<Op>(array, 0, length, wait);
  struct alignas(64) {
    T value;
  } values[most_parts];
  for (std::size_t i = 0; i < parts; ++i) values[i].value = Op::template neutral<T>();
  for_parts(0, length, parts, [&](std::size_t part, std::size_t from, std::size_t to) {
    values[part].value = reduce_part<Op>(array, from, to, wait);
  });
  end_where_team_is_over();
  T value = values[0].value;
  for (std::size_t i = 1; i < parts; ++i) value = Op::join(value, values[i].value);
  return value;
}

template <class Op>
saligned_t reduce_wrapping(const saligned_t* array, std::size_t length, int checkfeb) noexcept {
  const auto* same = reinterpret_cast<const aligned_t*>(array);
  return static_cast<saligned_t>(reduce<Op>(same, length, checkfeb));
}

}  // namespace

}  // namespace weft::qt

using namespace weft::qt;

double qutil_double_sum(double const* a, size_t n, int feb) { return reduce<sum>(a, n, feb); }
double qutil_double_mult(double const* a, size_t n, int feb) { return reduce<product>(a, n, feb); }
double qutil_double_max(double const* a, size_t n, int feb) { return reduce<greatest>(a, n, feb); }
double qutil_double_min(double const* a, size_t n, int feb) { return reduce<least>(a, n, feb); }
aligned_t qutil_uint_sum(aligned_t const* a, size_t n, int feb) { return reduce<sum>(a, n, feb); }
aligned_t qutil_uint_mult(aligned_t const* a, size_t n, int feb) {
  return reduce<product>(a, n, feb);
}
aligned_t qutil_uint_max(aligned_t const* a, size_t n, int feb) {
  return reduce<greatest>(a, n, feb);
}
aligned_t qutil_uint_min(aligned_t const* a, size_t n, int feb) { return reduce<least>(a, n, feb); }
saligned_t qutil_int_sum(saligned_t const* a, size_t n, int feb) {
  return reduce_wrapping<sum>(a, n, feb);
}
saligned_t qutil_int_mult(saligned_t const* a, size_t n, int feb) {
  return reduce_wrapping<product>(a, n, feb);
}
saligned_t qutil_int_max(saligned_t const* a, size_t n, int feb) {
  return reduce<greatest>(a, n, feb);
}
saligned_t qutil_int_min(saligned_t const* a, size_t n, int feb) {
  return reduce<least>(a, n, feb);
}

double qt_double_sum(double* a, size_t n, int feb) { return qutil_double_sum(a, n, feb); }
double qt_double_prod(double* a, size_t n, int feb) { return qutil_double_mult(a, n, feb); }
double qt_double_max(double* a, size_t n, int feb) { return qutil_double_max(a, n, feb); }
double qt_double_min(double* a, size_t n, int feb) { return qutil_double_min(a, n, feb); }
saligned_t qt_int_sum(saligned_t* a, size_t n, int feb) { return qutil_int_sum(a, n, feb); }
saligned_t qt_int_prod(saligned_t* a, size_t n, int feb) { return qutil_int_mult(a, n, feb); }
saligned_t qt_int_max(saligned_t* a, size_t n, int feb) { return qutil_int_max(a, n, feb); }
saligned_t qt_int_min(saligned_t* a, size_t n, int feb) { return qutil_int_min(a, n, feb); }
aligned_t qt_uint_sum(aligned_t* a, size_t n, int feb) { return qutil_uint_sum(a, n, feb); }
aligned_t qt_uint_prod(aligned_t* a, size_t n, int feb) { return qutil_uint_mult(a, n, feb); }
aligned_t qt_uint_max(aligned_t* a, size_t n, int feb) { return qutil_uint_max(a, n, feb); }
aligned_t qt_uint_min(aligned_t* a, size_t n, int feb) { return qutil_uint_min(a, n, feb); }
