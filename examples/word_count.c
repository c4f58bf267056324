// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts the words of files, such as a web server's logs: fork and join over halves of the text.
//
//   word_count [-n TOP] FILE...
//
// A word is what stands between blanks, quotes and brackets. A text is cut in the middle, at the
// next gap between words, until a piece is small; each piece is counted into a table of its own,
// and two tables become one on the way back up. So no two tasks ever write the same memory, and
// nothing here is locked: a join is all the order that is needed.
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <weft/weft.h>

enum { PIECE = 64 * 1024 };  // bytes that one task counts: some 100 us, long beside a spawn

typedef struct {
  const char* text;  // in the mapped file
  size_t length;
  uint64_t count;  // 0: the entry is free
} entry_t;

typedef struct {
  entry_t* entries;
  size_t size;  // a power of 2
  size_t used;
} table_t;

static void fail(const char* what, int error) {
  fprintf(stderr, "word_count: %s: %s\n", what, strerror(error));
  exit(1);
}

static table_t make_table(size_t size) {
  const table_t table = {calloc(size, sizeof(entry_t)), size, 0};
  if (table.entries == NULL) fail("table", ENOMEM);
  return table;
}

static void add(table_t* table, const char* text, size_t length, uint64_t count);

static void grow(table_t* table) {
  table_t larger = make_table(2 * table->size);
  for (size_t i = 0; i < table->size; ++i) {
    const entry_t* e = &table->entries[i];
    if (e->count != 0) add(&larger, e->text, e->length, e->count);
  }
  free(table->entries);
  *table = larger;
}

static void add(table_t* table, const char* text, size_t length, uint64_t count) {
  uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (size_t i = 0; i < length; ++i) hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
  for (size_t i = hash;; ++i) {
    entry_t* e = &table->entries[i & (table->size - 1)];
    if (e->count == 0) {
      *e = (entry_t){text, length, count};
      if (++table->used * 2 > table->size) grow(table);
      return;
    }
    if (e->length == length && memcmp(e->text, text, length) == 0) {
      e->count += count;
      return;
    }
  }
}

// Adds the smaller table to the larger one.
static table_t merge(table_t a, table_t b) {
  if (a.used < b.used) {
    const table_t other = a;
    a = b;
    b = other;
  }
  for (size_t i = 0; i < b.size; ++i)
    if (b.entries[i].count != 0)
      add(&a, b.entries[i].text, b.entries[i].length, b.entries[i].count);
  free(b.entries);
  return a;
}

static bool is_gap(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r') || c == '"' || c == '[' || c == ']';
}

static table_t count_here(const char* at, const char* end) {
  table_t table = make_table(1024);
  while (at < end) {
    while (at < end && is_gap(*at)) ++at;
    const char* begin = at;
    while (at < end && !is_gap(*at)) ++at;
    if (at > begin) add(&table, begin, (size_t)(at - begin), 1);
  }
  return table;
}

typedef struct {
  const char* begin;
  const char* end;
  table_t table;  // out
} part_t;

static void* count(void* arg) {
  part_t* part = arg;
  const char* middle = part->begin + (part->end - part->begin) / 2;
  while (middle < part->end && !is_gap(*middle)) ++middle;
  if (part->end - part->begin <= PIECE || middle == part->end) {
    part->table = count_here(part->begin, part->end);
    return NULL;
  }
  part_t left = {part->begin, middle, {0}};
  part_t right = {middle, part->end, {0}};
  weft_task_t task;
  int status = weft_task_spawn(count, &left, &task);
  if (status != 0) fail("spawn", -status);
  count(&right);
  status = weft_task_join(task, NULL);
  if (status != 0) fail("join", -status);
  part->table = merge(left.table, right.table);
  return NULL;
}

// Maps a file and counts it. The mapping stays: the words of the table lie in it.
static void* count_file(void* arg) {
  const char* name = arg;
  const int fd = open(name, O_RDONLY);
  struct stat about;
  if (fd < 0 || fstat(fd, &about) != 0) fail(name, errno);
  const size_t bytes = (size_t)about.st_size;
  // A pipe's size is 0, and so is that of a file the kernel makes up, as those in /proc.
  char byte;
  if (!S_ISREG(about.st_mode) || (bytes == 0 && read(fd, &byte, 1) != 0)) {
    fprintf(stderr, "word_count: %s: not a regular file that can be mapped\n", name);
    exit(1);
  }
  const char* text = "";
  if (bytes != 0) {
    text = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    if (text == MAP_FAILED) fail(name, errno);
  }
  close(fd);
  part_t all = {text, text + bytes, {0}};
  count(&all);
  table_t* table = malloc(sizeof *table);
  if (table == NULL) fail(name, ENOMEM);
  *table = all.table;
  return table;
}

static int by_count_then_word(const void* a, const void* b) {
  const entry_t* x = a;
  const entry_t* y = b;
  if (x->count != y->count) return x->count < y->count ? 1 : -1;
  const size_t shorter = x->length < y->length ? x->length : y->length;
  const int order = memcmp(x->text, y->text, shorter);
  return order != 0 ? order : (x->length > y->length) - (x->length < y->length);
}

static void print(table_t table, size_t top) {
  size_t kept = 0;
  uint64_t words = 0;
  for (size_t i = 0; i < table.size; ++i) {
    const entry_t e = table.entries[i];
    if (e.count == 0) continue;
    words += e.count;
    table.entries[kept++] = e;
  }
  qsort(table.entries, kept, sizeof(entry_t), by_count_then_word);
  printf("%ju words, %zu different\n", (uintmax_t)words, kept);
  for (size_t i = 0; i < kept && i < top; ++i) {
    printf("%8ju ", (uintmax_t)table.entries[i].count);
    fwrite(table.entries[i].text, 1, table.entries[i].length, stdout);  // any bytes
    putchar('\n');
  }
}

int main(int argc, char** argv) {
  size_t top = 10;
  int option;
  bool good = true;
  while ((option = getopt(argc, argv, "n:")) == 'n') {
    char* end;
    top = strtoul(optarg, &end, 10);
    if (optarg[0] < '0' || optarg[0] > '9' || *end != '\0') good = false;
  }
  const size_t files = (size_t)(argc - optind);
  if (option != -1 || !good || files == 0) {
    fputs("usage: word_count [-n TOP] FILE...\n", stderr);
    return 2;
  }
  weft_task_t* tasks = malloc(files * sizeof *tasks);
  if (tasks == NULL) fail("files", ENOMEM);
  for (size_t i = 0; i < files; ++i) {
    const int status = weft_task_spawn(count_file, argv[optind + (int)i], &tasks[i]);
    if (status != 0) fail("spawn", -status);
  }
  table_t all = make_table(1024);
  for (size_t i = 0; i < files; ++i) {
    void* table;
    const int status = weft_task_join(tasks[i], &table);
    if (status != 0) fail("join", -status);
    all = merge(all, *(table_t*)table);
    free(table);
  }
  print(all, top);
  if (fflush(stdout) != 0 || ferror(stdout)) fail("output", EIO);
  free(all.entries);
  free(tasks);
  return weft_stop() != 0;
}
