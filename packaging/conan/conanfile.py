# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conan recipe: `conan create packaging/conan` packages the source tree that it stands in, and tries the package."""
import os

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import stdcpp_library
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, rmdir


class Weft(ConanFile):
    name = "weft"
    version = "0.1.0"
    description = "Stackful user-level threads at the price of a function call"
    license = "Apache-2.0 WITH LLVM-exception"
    topics = ("threads", "tasks", "concurrency", "parallel")
    settings = "os", "arch", "compiler", "build_type"
    package_type = "library"
    options = {"shared": [True, False]}
    default_options = {"shared": False}

    def export_sources(self):
        tree = os.path.join(self.recipe_folder, "..", "..")
        copy(self, "*", tree, self.export_sources_folder, excludes=("build/*", ".git/*"))

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("Weft runs on Linux")
        least = {"gcc": 12, "clang": 16}.get(str(self.settings.compiler))
        if least and int(str(self.settings.compiler.version).split(".")[0]) < least:
            raise ConanInvalidConfiguration(
                f"Weft needs {self.settings.compiler} {least} or later")

    def build_requirements(self):
        self.tool_requires("cmake/[>=3.25]")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        for name in ("WEFT_BUILD_TESTS", "WEFT_BUILD_BENCH", "WEFT_BUILD_EXAMPLES",
                     "WEFT_BUILD_QTHREADS"):
            toolchain.cache_variables[name] = False
        # Of the system's, which a package does not name: where there is no assembly, ucontext does.
        toolchain.cache_variables["WEFT_HAVE_BOOST_CONTEXT"] = False
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        for name in ("LICENSE", "NOTICE"):
            copy(self, name, self.source_folder, os.path.join(self.package_folder, "licenses"))
        for component in ("library", "dev"):
            CMake(self).install(component=component)
        # Conan writes the files for CMake and pkg-config itself. Of the two libraries one is
        # chosen.
        rmdir(self, os.path.join(self.package_folder, "lib", "cmake"))
        rmdir(self, os.path.join(self.package_folder, "lib", "pkgconfig"))
        if not self.options.shared:
            folder = os.path.join(self.package_folder, "lib")
            for name in os.listdir(folder):
                if ".so" in name:
                    os.unlink(os.path.join(folder, name))
            # The command asks libweft.so.
            for path in (("bin",), ("share", "weft"), ("share", "man", "man1")):
                rmdir(self, os.path.join(self.package_folder, *path))
        else:
            os.unlink(os.path.join(self.package_folder, "lib", "libweft.a"))

    def package_info(self):
        self.cpp_info.libs = ["weft"]
        self.cpp_info.set_property("cmake_file_name", "weft")
        self.cpp_info.set_property(
            "cmake_target_name", "weft::weft" if self.options.shared else "weft::static")
        self.cpp_info.set_property("pkg_config_name", "weft" if self.options.shared else "weft-static")
        if not self.options.shared:
            # As cmake/library.cmake has it for other users of the static library.
            self.cpp_info.exelinkflags = ["-Wl,--undefined=weft_self_word"]
            # A program that names the shared one, as most do, need not know what the option says.
            self.cpp_info.set_property("cmake_target_aliases", ["weft::weft"])
            self.cpp_info.set_property("pkg_config_aliases", ["weft"])
            self.cpp_info.system_libs = ["pthread", *filter(None, [stdcpp_library(self)])]
