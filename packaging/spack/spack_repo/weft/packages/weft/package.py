# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Spack recipe, for Spack 0.23 or later; no Spack 1.x has run it yet. In a source tree:
`spack repo add packaging/spack/spack_repo/weft`, then `spack dev-build weft@0.1.0` builds and
installs that tree, and in an environment `spack develop --path TREE weft@0.1.0` does for
`spack install`. `spack test run weft` tries what was installed."""

from spack.package import *

try:
    from spack_repo.builtin.build_systems.cmake import CMakePackage
except ImportError:  # before Spack 1.0, spack.package has it
    pass

CONSUMER = "tests/install/consumer"  # programs that use an installed Weft


class Weft(CMakePackage):
    """Stackful user-level threads at the price of a function call."""

    license("Apache-2.0 WITH LLVM-exception")

    version("0.1.0")

    variant("lto", default=False, description="Optimise across files at link time")
    variant(
        "portable", default=False, description="Switch contexts without assembly of Weft's own"
    )
    variant(
        "hwloc",
        default=False,
        description="Find this hwloc where hwloc shall describe the machine",
    )

    # What it installs has the names of what the package qthreads does: no view can have both.
    variant("qthreads", default=True, description="Install the interface of Qthreads, too")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("python@3.11:", type=("build", "run"))  # manual pages; the weft command
    depends_on("boost+context", when="+portable")
    # Loaded at run time, from where a library's own path leads.
    depends_on("hwloc@2", type="link", when="+hwloc")

    requires("platform=linux", msg="Weft runs on Linux")
    conflicts("%gcc@:11", msg="Weft needs gcc 12 or later")
    conflicts("%clang@:15", msg="Weft needs clang 16 or later")

    test_requires_compiler = True

    def cmake_args(self):
        return [
            self.define("WEFT_BUILD_TESTS", False),
            self.define("WEFT_BUILD_BENCH", False),
            self.define("WEFT_BUILD_EXAMPLES", False),
            self.define_from_variant("WEFT_LTO", "lto"),
            self.define_from_variant("WEFT_BUILD_QTHREADS", "qthreads"),
            self.define_from_variant("WEFT_PORTABLE_SWITCH", "portable"),
        ]

    @run_after("install")
    def keep_programs_for_tests(self):
        cache_extra_test_sources(self, [CONSUMER])

    def test_programs(self):
        """build programs in C11, C++11 and C++20 on it, shared and static, and run them"""
        # PATH does not lead to what only a build depends on: a test's environment is like a run's.
        cmake = which(self.spec["cmake"].prefix.bin.cmake, required=True)
        if self.spec.satisfies("generator=ninja"):
            generator, make = "Ninja", self.spec["ninja"].prefix.bin.ninja
        else:
            generator, make = "Unix Makefiles", self.spec["gmake"].prefix.bin.make
        source = self.test_suite.current_test_cache_dir.join(CONSUMER)
        cmake(
            *("-S", source, "-B", "build", "-G", generator),
            self.define("CMAKE_MAKE_PROGRAM", make),
            self.define("CMAKE_PREFIX_PATH", self.prefix),
            self.define_from_variant("QTHREADS", "qthreads"),
        )
        cmake("--build", "build")
        programs = ["c11", "cxx11", "cxx20"]
        if self.spec.satisfies("+qthreads"):
            programs.append("qthreads")
        for program in programs:
            for kind in ("shared", "static"):
                name = f"{program}_{kind}"
                with test_part(self, f"test_programs_{name}", purpose=f"run {name}"):
                    said = Executable(f"build/{name}")(output=str, error=str)
                    check_outputs("385", said)
