# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Spack recipe, for Spack 0.23 or later. In a source tree: `spack repo add packaging/spack/spack_repo/weft`,
then `spack dev-build weft@0.1.0` builds and installs that tree."""
from spack.package import *

try:
    from spack_repo.builtin.build_systems.cmake import CMakePackage
except ImportError:  # before Spack 1.0, spack.package has it
    pass


class Weft(CMakePackage):
    """Stackful user-level threads at the price of a function call."""

    license("Apache-2.0 WITH LLVM-exception")

    version("0.1.0")

    variant("lto", default=False, description="Optimise across files at link time")
    variant("portable", default=False, description="Switch contexts without assembly of Weft's own")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("python@3.11:", type=("build", "run"))  # manual pages; the weft command
    depends_on("boost+context", when="+portable")

    requires("platform=linux", msg="Weft runs on Linux")
    conflicts("%gcc@:11", msg="Weft needs gcc 12 or later")
    conflicts("%clang@:15", msg="Weft needs clang 16 or later")

    def cmake_args(self):
        return [
            self.define("WEFT_BUILD_TESTS", False),
            self.define("WEFT_BUILD_BENCH", False),
            self.define("WEFT_BUILD_EXAMPLES", False),
            self.define_from_variant("WEFT_LTO", "lto"),
            self.define_from_variant("WEFT_PORTABLE_SWITCH", "portable"),
        ]
