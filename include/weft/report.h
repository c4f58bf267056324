/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What waits: for the question why a program does not go on. */
#ifndef WEFT_REPORT_H
#define WEFT_REPORT_H

#include "weft/types.h"

/// Write a line for each task and each OS thread that waits in a call of Weft: who, where it was
/// spawned (but for forks, whose descriptors may be gone), for what kind of thing at which address,
/// for how many ms, and where it called. Others run on meanwhile, so a wait that ends just now may
/// still be shown. The form of a line is for people and may change.
/// @param fd  an open file, for example 2
/// @return the number of waits found, or a negative errno of the first write that failed (the rest
///         is not written then)
/// Context: any thread, also before start and after stop (then OS threads alone are shown); not
///          from a signal handler, nor while another thread starts or stops Weft.   Blocks: as
///          write(2) and dladdr(3) do (a thread in dlopen has the loader's lock), with no lock of
///          Weft's held; not for other tasks.
/// Order:   none.
/// Owns:    nothing.
/// Source:  as the goroutine list of a Go traceback.
WEFT_API int weft_report_waiting(int fd);

#endif /* WEFT_REPORT_H */
