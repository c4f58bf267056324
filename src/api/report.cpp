// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C entry point of weft/report.h.
#include "sched/report.hpp"

#include <weft/report.h>

using namespace weft;

int weft_report_waiting(int fd) { return rt::report_waiting(fd); }
