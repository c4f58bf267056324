#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Facts about Weft's tree within another project. Most of its time goes into compiling the libraries.

usage: added_test.py BUILD_DIRECTORY
"""
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from install_test import ANSWER, cache, run  # noqa: E402

PARENT = pathlib.Path(__file__).parent / "parent"


class added(unittest.TestCase):
    """The tree within another project, by add_subdirectory."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.build = pathlib.Path(temporary.name)

    def configure(self, *options):
        # What is looked at are the names: each file is compiled once, with little optimisation.
        run("cmake", "-G", "Ninja", "-S", PARENT, "-B", self.build, "-DCMAKE_BUILD_TYPE=Release",
            "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG", "-DWEFT_SHARE_OBJECTS=ON",
            "-DWEFT_PRECOMPILE_LIBRARIES=ON",
            f"-DCMAKE_C_COMPILER={cache('CMAKE_C_COMPILER')}",
            f"-DCMAKE_CXX_COMPILER={cache('CMAKE_CXX_COMPILER')}", *options)

    def test_programs_link_the_targets_that_an_installed_weft_has(self):
        self.configure()
        programs = [f"{name}_{kind}" for name in ("c11", "cxx11") for kind in ("weft", "static")]
        programs += ["qthreads_shared", "qthreads_static"]
        run("cmake", "--build", self.build, "-j2", "--target", *programs)
        for program in programs:
            self.assertEqual(run(self.build / program), ANSWER, program)

    def test_without_the_front_end_its_names_are_free(self):
        self.configure("-DWEFT_BUILD_QTHREADS=OFF", "-DWEFT_INSTALL=ON")
        run("cmake", "--build", self.build, "--target", "qthread")
        self.assertTrue((self.build / "libqthread.a").exists())
        self.assertNotIn("libqthread", (self.build / "weft/cmake_install.cmake").read_text())
        # What is packaged, and how, is the other project's affair.
        self.assertEqual(list(self.build.rglob("CPackConfig.cmake")), [])


if __name__ == "__main__":
    unittest.main()
