// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where in the program an API function was called from, for reports of who waits where.
#pragma once

// In a function that is not inlined into a caller even under LTO.
#define WEFT_CALL_SITE __builtin_extract_return_addr(__builtin_return_address(0))
