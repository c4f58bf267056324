// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pipeline of channels: lines are read, checked by several tasks at once, and printed in order.
//
//   pipeline < text
//
// prints the CRC-32 of each line before it. Three stages:
//
//   reader --lines--> CHECKERS tasks --checked--> printer
//
// Channels carry pointers; who receives one owns what it points at. The stage in the middle mixes
// the order up, so each line has a number, and the printer keeps what comes early until its turn. A
// semaphore limits how many lines are under way, else one slow line would let the printer keep all
// of the others. The end of the text is the close of a channel, stage after stage.
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

enum { CHECKERS = 4, UNDER_WAY = 64 };

typedef struct {
  uint64_t number;
  size_t length;
  uint32_t crc;
  char text[];
} line_t;

static weft_channel_t lines;    // of line_t *
static weft_channel_t checked;  // of line_t *
static weft_semaphore_t places = WEFT_SEMAPHORE_INIT(UNDER_WAY);

static void must(int status, const char* what) {
  if (status >= 0) return;
  fprintf(stderr, "pipeline: %s: %s\n", what, strerror(-status));
  exit(1);
}

static void* read_lines(void* unused) {
  char* buffer = NULL;
  size_t room = 0;
  ssize_t got;
  for (uint64_t number = 0; (got = getline(&buffer, &room, stdin)) >= 0; ++number) {
    const size_t length = (size_t)got - (got > 0 && buffer[got - 1] == '\n');
    line_t* line = malloc(sizeof *line + length);
    if (line == NULL) must(-ENOMEM, "line");
    *line = (line_t){.number = number, .length = length};
    memcpy(line->text, buffer, length);
    must(weft_semaphore_wait(&places), "wait");
    must(weft_channel_send(lines, &line), "send");
  }
  if (ferror(stdin)) must(-EIO, "input");
  free(buffer);
  must(weft_channel_close(lines), "close");
  return unused;
}

static uint32_t crc32(const char* text, size_t length) {
  uint32_t crc = ~UINT32_C(0);
  for (size_t i = 0; i < length; ++i) {
    crc ^= (unsigned char)text[i];
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xEDB88320) : 0);
  }
  return ~crc;
}

static void* check_lines(void* unused) {
  line_t* line;
  while (weft_channel_receive(lines, &line) == 0) {  // until it is closed and empty
    line->crc = crc32(line->text, line->length);
    must(weft_channel_send(checked, &line), "send");
  }
  return unused;
}

static void* print_in_order(void* unused) {
  line_t* early[UNDER_WAY] = {NULL};  // by number modulo its size: no two under way share a place
  uint64_t next = 0;
  line_t* line;
  while (weft_channel_receive(checked, &line) == 0) {
    early[line->number % UNDER_WAY] = line;
    while ((line = early[next % UNDER_WAY]) != NULL) {
      printf("%08jx ", (uintmax_t)line->crc);
      fwrite(line->text, 1, line->length, stdout);  // a line may hold any byte
      putchar('\n');
      early[next++ % UNDER_WAY] = NULL;
      free(line);
      must(weft_semaphore_post(&places, 1), "post");
    }
  }
  return unused;
}

int main(void) {
  must(weft_channel_create(sizeof(line_t*), 16, &lines), "channel");
  must(weft_channel_create(sizeof(line_t*), 16, &checked), "channel");
  weft_task_t reader, printer, checkers[CHECKERS];
  must(weft_task_spawn(print_in_order, NULL, &printer), "spawn");
  must(weft_task_spawn_many(check_lines, NULL, 0, CHECKERS, checkers), "spawn");
  must(weft_task_spawn(read_lines, NULL, &reader), "spawn");
  must(weft_task_join(reader, NULL), "join");
  must(weft_task_join_many(checkers, CHECKERS, NULL), "join");
  must(weft_channel_close(checked), "close");  // nobody is left who would send
  must(weft_task_join(printer, NULL), "join");
  if (fflush(stdout) != 0 || ferror(stdout)) must(-EIO, "output");
  weft_channel_destroy(lines);
  weft_channel_destroy(checked);
  return weft_stop() != 0;
}
