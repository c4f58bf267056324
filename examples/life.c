// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conway's game of life on a torus: one task for each band of rows, a barrier for each generation.
//
//   life SIZE GENERATIONS < pattern
//
// SIZE is the side of the torus, a multiple of 64. The pattern has a line for each row, `O` for a
// living cell, and is put into the middle. The program prints how many cells live in the end, and
// what the part of the torus around them looks like.
//
// Bands read their neighbours' edges, so nobody may begin a generation before all have ended the
// one before. There are two boards, one that all read and one that each writes its band of, and
// after the barrier they change places: one barrier a generation is enough.
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

static size_t size;   // rows, and cells in a row
static size_t words;  // of 64 cells, in a row
static uint64_t* boards[2];
static weft_barrier_t generation_ends;

static void fail(const char* what, int error) {
  fprintf(stderr, "life: %s: %s\n", what, strerror(error));
  exit(1);
}

// Three cells in a column of bits: how many live, as two bits.
typedef struct {
  uint64_t ones;
  uint64_t twos;
} sum_t;

static sum_t sum3(uint64_t a, uint64_t b, uint64_t c) {
  return (sum_t){a ^ b ^ c, (a & b) | (c & (a ^ b))};
}

// The 64 cells to the left, and to the right, of those in a word of a row.
static uint64_t left_of(const uint64_t* row, size_t w) {
  return row[w] << 1 | row[(w + words - 1) % words] >> 63;
}
static uint64_t right_of(const uint64_t* row, size_t w) {
  return row[w] >> 1 | row[(w + 1) % words] << 63;
}

// 64 cells at once: a cell lives if 3 neighbours do, or if it lives and 2 do.
static uint64_t next(const uint64_t* above, const uint64_t* here, const uint64_t* below, size_t w) {
  const sum_t a = sum3(left_of(above, w), above[w], right_of(above, w));
  const sum_t b = sum3(left_of(below, w), below[w], right_of(below, w));
  const sum_t c = sum3(left_of(here, w), 0, right_of(here, w));
  const sum_t ones = sum3(a.ones, b.ones, c.ones);
  // Of four twos exactly one: 2 or 3 neighbours.
  const uint64_t one_pair =
      ((a.twos ^ b.twos) & ~(c.twos | ones.twos)) | ((c.twos ^ ones.twos) & ~(a.twos | b.twos));
  return one_pair & (ones.ones | here[w]);
}

typedef struct {
  size_t first, last;  // rows
  size_t generations;
} band_t;

static void* run_band(void* arg) {
  const band_t* band = arg;
  for (size_t g = 0; g < band->generations; ++g) {
    const uint64_t* from = boards[g % 2];
    uint64_t* to = boards[(g + 1) % 2];
    for (size_t r = band->first; r < band->last; ++r)
      for (size_t w = 0; w < words; ++w)
        to[r * words + w] = next(&from[(r + size - 1) % size * words], &from[r * words],
                                 &from[(r + 1) % size * words], w);
    const int status = weft_barrier_wait(&generation_ends);
    if (status < 0) fail("barrier", -status);
  }
  return NULL;
}

static void read_pattern(uint64_t* board) {
  char* line = NULL;
  size_t room = 0;
  for (size_t r = size / 2; getline(&line, &room, stdin) >= 0; ++r)
    for (size_t i = 0; line[i] != '\0' && line[i] != '\n'; ++i) {
      const size_t c = (size / 2 + i) % size;
      if (line[i] == 'O') board[r % size * words + c / 64] |= UINT64_C(1) << c % 64;
    }
  if (ferror(stdin)) fail("input", EIO);
  free(line);
}

static bool lives(const uint64_t* board, size_t r, size_t c) {
  return (board[r * words + c / 64] >> c % 64 & 1) != 0;
}

static void print(const uint64_t* board) {
  size_t alive = 0, top = size, bottom = 0, left = size, right = 0;
  for (size_t r = 0; r < size; ++r)
    for (size_t c = 0; c < size; ++c)
      if (lives(board, r, c)) {
        ++alive;
        if (r < top) top = r;
        if (r >= bottom) bottom = r + 1;
        if (c < left) left = c;
        if (c >= right) right = c + 1;
      }
  printf("%zu cells live\n", alive);
  for (size_t r = top; r < bottom; ++r) {
    for (size_t c = left; c < right; ++c) putchar(lives(board, r, c) ? 'O' : '.');
    putchar('\n');
  }
}

// Whether text is a number in this range, and nothing beside it.
static bool number(const char* text, size_t least, size_t most, size_t* out) {
  char* end = NULL;
  *out = strtoul(text, &end, 10);
  return text[0] >= '0' && text[0] <= '9' && *end == '\0' && *out >= least && *out <= most;
}

int main(int argc, char** argv) {
  size_t generations = 0;
  if (argc != 3 || !number(argv[1], 64, 65536, &size) || size % 64 != 0 ||
      !number(argv[2], 0, 1000000000, &generations)) {
    fputs("usage: life SIZE GENERATIONS < pattern     (SIZE: a multiple of 64 to 65536)\n", stderr);
    return 2;
  }
  words = size / 64;
  for (int i = 0; i < 2; ++i) {
    boards[i] = calloc(size * words, sizeof(uint64_t));
    if (boards[i] == NULL) fail("board", ENOMEM);
  }
  read_pattern(boards[0]);

  int status = weft_start(NULL);
  if (status != 0) fail("start", -status);
  // All bands meet at the barrier, so all must be under way at once. Tasks are: one that waits
  // gives its worker to the next. More bands than workers would only mean more waiting.
  const uint32_t bands = weft_worker_count();
  band_t* band = malloc(bands * sizeof *band);
  weft_task_t* tasks = malloc(bands * sizeof *tasks);
  if (band == NULL || tasks == NULL) fail("bands", ENOMEM);
  weft_barrier_init(&generation_ends, bands);
  for (uint32_t i = 0; i < bands; ++i)
    band[i] = (band_t){size * i / bands, size * (i + 1) / bands, generations};
  status = weft_task_spawn_many(run_band, band, sizeof *band, bands, tasks);
  if (status != 0) fail("spawn", -status);
  status = weft_task_join_many(tasks, bands, NULL);
  if (status != 0) fail("join", -status);
  print(boards[generations % 2]);
  free(tasks);
  free(band);
  free(boards[0]);
  free(boards[1]);
  if (fflush(stdout) != 0 || ferror(stdout)) fail("output", EIO);
  return weft_stop() != 0;
}
