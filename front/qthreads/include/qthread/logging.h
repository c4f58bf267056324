/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lines on standard output that a group's macro switches. */
#ifndef LOGGING_H
#define LOGGING_H

#include <stdio.h>

#define INNERSTRING(x) #x
#define STRING(x) INNERSTRING(x)

#ifndef LOGERR
#define LOGERR 1
#endif
#ifndef LOGWARN
#define LOGWARN 1
#endif

#define qtlogargs(group, s, ...)                                                               \
  do {                                                                                         \
    if (group) printf("(" #group ") " __FILE__ ":" STRING(__LINE__) ": " s "\n", __VA_ARGS__); \
  } while (0)

#define qtlog(group, s)                                                           \
  do {                                                                            \
    if (group) printf("(" #group ") " __FILE__ ":" STRING(__LINE__) ": " s "\n"); \
  } while (0)

#endif /* LOGGING_H */
