// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What models have for src/sync/cancel_scope.hpp: no flow of theirs is in a scope.
#pragma once

namespace weft::rt {

class cancel_shield {
 public:
  cancel_shield() noexcept {}
  cancel_shield(const cancel_shield&) = delete;
  cancel_shield& operator=(const cancel_shield&) = delete;
};

}  // namespace weft::rt
