// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function of every pair: tiles of the two arrays, taken by workers as they come.
#include <algorithm>
#include <qthread/allpairs.h>

namespace {

constexpr std::size_t tile = 64;

// One tile of pairs is one iteration.
struct pairs {
  const qarray* first;
  const qarray* second;
  dist_f only;
  dist_out_f with_output;
  void* const* output;
  std::size_t out_bytes;

  static std::size_t tiles_of(const qarray& a) noexcept { return (a.count + tile - 1) / tile; }

  void run(std::size_t number) const noexcept {
    const std::size_t columns = tiles_of(*second);
    const std::size_t i0 = number / columns * tile, j0 = number % columns * tile;
    const std::size_t i1 = std::min(i0 + tile, first->count);
    const std::size_t j1 = std::min(j0 + tile, second->count);
    for (std::size_t i = i0; i < i1; ++i)
      for (std::size_t j = j0; j < j1; ++j) {
        const void* a = qarray_elem_nomigrate(first, i);
        const void* b = qarray_elem_nomigrate(second, j);
        if (only != nullptr)
          only(a, b);
        else
          with_output(a, b, static_cast<char*>(output[i]) + j * out_bytes);
      }
  }
};

void run_all(pairs what) noexcept {
  if (what.first == nullptr || what.second == nullptr) return;
  const auto blocks = [](size_t from, size_t to, void* arg) {
    for (; from < to; ++from) static_cast<pairs*>(arg)->run(from);
  };
  const std::size_t tiles = pairs::tiles_of(*what.first) * pairs::tiles_of(*what.second);
  qqloop_handle_t* loop = qt_loop_queue_create(CHUNK, 0, tiles, 1, blocks, &what);
  if (loop != nullptr)
    qt_loop_queue_run(loop);
  else
    blocks(0, tiles, &what);
}

}  // namespace

void qt_allpairs(qarray const* array1, qarray const* array2, dist_f distfunc) {
  if (distfunc != nullptr) run_all({array1, array2, distfunc, nullptr, nullptr, 0});
}

void qt_allpairs_output(qarray const* array1, qarray const* array2, dist_out_f distfunc,
                        void* QT_RESTRICT* QT_RESTRICT output, size_t outsize) {
  if (distfunc != nullptr && output != nullptr)
    run_all({array1, array2, nullptr, distfunc, const_cast<void* const*>(output), outsize});
}
