#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Facts about what the tools read of headers (doc_blocks) and of pages (pages)."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))

import doc_blocks  # noqa: E402
import pages  # noqa: E402

HEADER = """/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Doors: open and shut. */
#ifndef WEFT_DOOR_H
#define WEFT_DOOR_H

#include "weft/types.h"

/* Doors

 *   a table   of
 *   two       lines
 *
 * A second paragraph
 * of two lines. */

/* What a door is. */
typedef struct weft_door {
  int open;

  int locked; /* between empty lines */
} weft_door_t;

#define WEFT_DOOR_INIT {0, 0}

/// Open a door: wide. Or not.
/// @param door  the door, which may
///              be open
/// @return 0, -EPERM (locked)
/// Context: any thread.   Blocks: until it is unlocked,
///          or for ever.
/// Order:   none.
/// Owns:    nothing.
/// Source:  as open(2).
WEFT_API int weft_door_open(weft_door_t *door) WEFT_MAY_PARK;

/// The same until a deadline.
/// @param door  the door
/// @param then  called after that
/// @return as weft_door_open
/// Context: any thread.   Blocks: until the deadline.
/// Order:   none.
/// Owns:    nothing.
/// Source:  as open(2).
WEFT_API int weft_door_open_until(weft_door_t *door, void (*then)(int a, int b));

/* Internal. */
#define WEFT_DOOR_CAST(value) ((int)(value))

/* Internal: what the others use. */
static inline int weft_door_make(int open) {
  return WEFT_DOOR_CAST(open);
}

/// Whether a door is open.
/// @param door  the door
/// @return 1 or 0
/// Context: any thread.   Blocks: never.
/// Order:   none.
/// Owns:    nothing.
/// Source:  none.
static inline int weft_door_is_open(const weft_door_t *door) {
  if (door == NULL) {
    return 0;
  }
  return weft_door_make(door->open);
}

#undef WEFT_DOOR_CAST

#endif /* WEFT_DOOR_H */
"""

PAGE = """# A title

```c file=a.c
int main(void) { return 0; }
```
```text
out
```

<!-- snippet: c
int hidden;
-->

```c
int shown;
```

A word between.

```text
no output of anything
```

## A `coded` heading, here
"""


class headers(unittest.TestCase):
    def setUp(self):
        with tempfile.TemporaryDirectory() as tmp:
            path = pathlib.Path(tmp, "door.h")
            path.write_text(HEADER)
            self.header = doc_blocks.read_header(path, "weft/door.h")

    def test_a_function_has_its_parts(self):
        door = self.header.functions[0]
        self.assertEqual((door.name, door.returns, door.parameters),
                         ("weft_door_open", "int", ["door"]))
        self.assertEqual(door.declaration, "int weft_door_open(weft_door_t *door);")
        self.assertTrue(door.may_park)
        self.assertEqual(door.sentences, "Open a door: wide. Or not.")
        self.assertEqual(door.summary, "Open a door")
        self.assertEqual(door.documented, [("door", "the door, which may be open")])
        self.assertEqual(door.result, "0, -EPERM (locked)")
        self.assertEqual(door.fields["Blocks"], "until it is unlocked, or for ever.")
        self.assertEqual(door.fields["Source"], "as open(2).")

    def test_the_same_names_what_it_repeats(self):
        until = self.header.functions[1]
        self.assertEqual(until.sentences, "As weft_door_open until a deadline.")
        self.assertEqual(until.parameters, ["door", "then"])
        self.assertFalse(until.may_park)

    def test_one_that_is_defined_there_is_a_function_like_the_others(self):
        self.assertEqual([f.name for f in self.header.functions],
                         ["weft_door_open", "weft_door_open_until", "weft_door_is_open"])
        is_open = self.header.functions[2]
        self.assertEqual(is_open.declaration, "int weft_door_is_open(const weft_door_t *door);")
        self.assertEqual((is_open.parameters, is_open.result), (["door"], "1 or 0"))

    def test_what_is_said_of_all_is_apart_from_what_is_declared(self):
        self.assertEqual(self.header.title, "Doors: open and shut")
        self.assertEqual(self.header.prose,
                         ["Doors", "  a table   of\n  two       lines",
                          "A second paragraph of two lines."])
        self.assertEqual(len(self.header.declarations), 2)
        self.assertTrue(self.header.declarations[0].startswith("/* What a door is. */"))
        self.assertTrue(self.header.declarations[0].endswith("} weft_door_t;"))
        self.assertEqual(self.header.declarations[1], "#define WEFT_DOOR_INIT {0, 0}")


class markdown(unittest.TestCase):
    def test_a_block_has_its_output_only_if_that_follows_at_once(self):
        program, output, shown, other = pages.blocks(PAGE)
        self.assertEqual((program.language, program.words, program.output),
                         ("c", ["c", "file=a.c"], "out\n"))
        self.assertEqual((shown.text, shown.output), ("int shown;\n", None))
        self.assertEqual((output.language, other.language), ("text", "text"))
        self.assertEqual(program.line, 3)

    def test_what_is_declared_unseen_is_for_the_blocks_below(self):
        program, _, shown, _ = pages.blocks(PAGE)
        self.assertEqual((program.unseen, shown.unseen), ("", "int hidden;\n"))

    def test_headings_have_the_anchors_that_others_give_them(self):
        self.assertEqual(pages.headings(PAGE), {"a-title", "a-coded-heading-here"})


class Locale(unittest.TestCase):
    def test_pages_are_read_and_written_in_utf_8_in_every_locale(self):
        plain = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
        with tempfile.TemporaryDirectory() as folder:
            for command in (["man_pages.py", "0.1.0", folder],
                            ["installed_pages.py", folder, "include", "CHANGELOG.md", "docs/benchmarks.md"],
                            ["check_links.py"], ["check_columns.py"]):
                with self.subTest(command[0]):
                    done = subprocess.run([sys.executable, ROOT / "tools" / command[0], *command[1:]], env=plain,
                                          capture_output=True, encoding="utf-8", errors="replace", timeout=50)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("50 \N{MICRO SIGN}s", pathlib.Path(folder, "docs/benchmarks.md").read_text(encoding="utf-8"))


unittest.main()
