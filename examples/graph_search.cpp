// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Search in a graph that is found while it is searched: the eight puzzle, solved in the fewest
// moves.
//
//   graph_search BOARD         nine digits, row by row; 0 is the gap: 867254301
//
// prints how many moves it takes to 123456780, and the boards on the way. Nobody knows beforehand
// which boards can be reached, so tasks are spawned as the search goes: all boards that are one
// move further than the last ones are looked at by tasks of some hundred each, which return what
// they found beyond.
//
// Two tasks may come to the same board. A byte for each board says from where it was reached first;
// who writes it first, by one compare-and-swap, has the board.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <weft/weft.hpp>

namespace {

using board = std::array<std::uint8_t, 9>;

constexpr board goal = {1, 2, 3, 4, 5, 6, 7, 8, 0};
constexpr std::size_t boards = 362880;  // 9!
constexpr std::size_t few = 256;        // boards that one task looks at

// How the gap moves. 0 in the table means that nobody has been there.
enum move : std::uint8_t { nowhere, up, down, left, right, start };

std::vector<std::atomic<std::uint8_t>> reached_by(boards);

// The place of a board in the order of all permutations.
std::size_t rank(const board& b) {
  std::size_t r = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const auto smaller = std::count_if(b.begin() + static_cast<std::ptrdiff_t>(i), b.end(),
                                       [&](std::uint8_t x) { return x < b[i]; });
    r = r * (b.size() - i) + static_cast<std::size_t>(smaller);
  }
  return r;
}

// Moves the gap; false if there is an edge.
bool apply(move m, board& b) {
  const auto gap = static_cast<std::size_t>(std::find(b.begin(), b.end(), 0) - b.begin());
  std::size_t to = gap;
  if (m == up && gap >= 3) to = gap - 3;
  if (m == down && gap < 6) to = gap + 3;
  if (m == left && gap % 3 != 0) to = gap - 1;
  if (m == right && gap % 3 != 2) to = gap + 1;
  std::swap(b[gap], b[to]);
  return to != gap;
}

move opposite(move m) {
  constexpr std::array<move, 6> table = {nowhere, down, up, right, left, start};
  return table[m];
}

// What is one move beyond these boards and was not reached before.
std::vector<board> beyond(std::span<const board> from) {
  std::vector<board> found;
  for (const board& b : from) {
    for (const move m : {up, down, left, right}) {
      board next = b;
      std::uint8_t nobody = nowhere;
      // Relaxed: the byte says all there is; the boards themselves come through the join.
      if (apply(m, next) &&
          reached_by[rank(next)].compare_exchange_strong(nobody, m, std::memory_order_relaxed))
        found.push_back(next);
    }
  }
  return found;
}

// The same for any number of boards: in halves, one of them by a new task.
std::vector<board> beyond_all(std::span<const board> from) {
  if (from.size() <= few) return beyond(from);
  auto other = weft::spawn(beyond_all, from.first(from.size() / 2));
  std::vector<board> mine = beyond_all(from.subspan(from.size() / 2));
  std::vector<board> found = other.join();
  found.insert(found.end(), mine.begin(), mine.end());
  return found;
}

void print_way(board b) {
  std::vector<board> way = {b};
  for (move m; (m = static_cast<move>(reached_by[rank(b)].load())) != start;) {
    apply(opposite(m), b);
    way.push_back(b);
  }
  std::reverse(way.begin(), way.end());
  for (const board& step : way) {
    for (const std::uint8_t digit : step) std::putchar('0' + digit);
    std::putchar('\n');
  }
}

bool read(std::string_view text, board& into) {
  std::string sorted(text);
  std::sort(sorted.begin(), sorted.end());
  if (sorted != "012345678") return false;
  std::transform(text.begin(), text.end(), into.begin(),
                 [](char c) { return static_cast<std::uint8_t>(c - '0'); });
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  board first{};
  if (argc != 2 || !read(argv[1], first)) {
    std::fputs("usage: graph_search BOARD     (the digits 0 to 8, each once)\n", stderr);
    return 2;
  }
  reached_by[rank(first)] = start;
  std::vector<board> edge = {first};
  std::size_t looked_at = 0;
  for (int moves = 0; !edge.empty(); ++moves) {
    looked_at += edge.size();
    if (reached_by[rank(goal)] != nowhere) {
      std::printf("%d moves\n", moves);
      print_way(goal);
      break;
    }
    edge = beyond_all(edge);
  }
  if (edge.empty()) std::printf("no way: %zu boards can be reached\n", looked_at);
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    std::fputs("graph_search: cannot write the way\n", stderr);
    return 1;
  }
  return weft_worker_count() != 0 && weft_stop() != 0;
}
