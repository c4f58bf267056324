#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compares the ABI of libweft.so with that of the last tag, or of a commit: abi.sh [COMMIT].
#
# Fails where programs that were built with the other would not run with this one: something that
# was offered is gone or has another shape. What is new is listed and is no failure.
# As long as there is no tag it compares with src/api/weft.abi, which `abi.sh --keep` writes: a
# change is seen in review.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

kept=src/api/weft.abi
# An archive of the sources may lie in the repository of something else, which has other tags.
git_here() {
  [[ -z $(git rev-parse --show-cdup 2>/dev/null || echo none) ]] && git "$@"
}

base=${1:-$(git_here describe --tags --abbrev=0 2>/dev/null || true)}
base=${base:-$kept}

# build SOURCES FOLDER: libweft.so of other sources, with the debug information that abidiff reads
build() {
  cmake -G Ninja -S "$1" -B "$2" --log-level=WARNING -DCMAKE_BUILD_TYPE=Debug \
    -DCMAKE_CXX_FLAGS_DEBUG="-O1 -g" -DWEFT_BUILD_TESTS=OFF -DWEFT_BUILD_BENCH=OFF >/dev/null
  cmake --build "$2" --target weft -j "${JOBS:-$(nproc)}" >/dev/null
}

folder=build/abi
# The preset's library has the debug information, too, and is most often there already.
cmake --preset dev --log-level=WARNING >/dev/null
cmake --build --preset dev --target weft -j "${JOBS:-$(nproc)}" >/dev/null
here=build/dev/libweft.so

if [[ $base == --keep ]]; then
  abidw --headers-dir include --drop-private-types --exported-interfaces-only --no-show-locs \
    --no-comp-dir-path --no-corpus-path --out-file "$kept" "$here"
  sed -i "s|path='$PWD/|path='|" "$kept"
  exit
fi
if [[ $base == "$kept" ]]; then
  with=$kept
else
  commit=$(git_here rev-parse --verify --quiet "$base^{commit}") || {
    echo "abi: there is no commit $base" >&2
    exit 2
  }
  rm -rf "$folder/base"
  mkdir -p "$folder/base"
  git archive "$commit" | tar -x -C "$folder/base"
  build "$folder/base" "$folder/base/build"
  with=$folder/base/build/libweft.so
fi
# compare [OPTION...]
compare() {
  if [[ $with == *.so ]]; then set -- --headers-dir1 "$folder/base/include" "$@"; fi
  abidiff "$@" --headers-dir2 include --drop-private-types "$with" "$here"
}

status=0
compare || status=$?
# Bits of abidiff's status: 1 and 2 an error of its own or of its use, 4 a change, 8 one that
# breaks.
if ((status & 8)); then
  echo "abi: programs built with $base would not run with this libweft.so: give it another soname," \
    "which is its minor version (the major one from 1.0 on)" >&2
elif ((status & 3)); then
  echo "abi: abidiff failed" >&2
elif ((status & 4)); then
  # It leaves to people whether a shape that changed breaks programs; for us it does.
  compare --no-added-syms >/dev/null &&
    status=0 || echo "abi: what $base offered has another shape here" >&2
fi
((status == 0)) && echo "abi: programs built with $base run with this libweft.so"
exit $((status != 0))
