#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Facts about an installed Weft: programs build on it, pages read well, packages are complete.

usage: install_test.py BUILD_DIRECTORY
"""
import contextlib
import functools
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))
sys.path.insert(0, str(ROOT / "tests/tools"))
import bench_folder  # noqa: E402
import pages  # noqa: E402
import spack_stand_in  # noqa: E402

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
CONSUMER = pathlib.Path(__file__).parent / "consumer"
SPACK = ROOT / "packaging/spack/spack_repo/weft"
SPACK_RECIPE = SPACK / "packages/weft/package.py"
ANSWER = "385\n"  # the sum of the squares from 1 to 10
LISTS = (ROOT / "CMakeLists.txt").read_text()
VERSION = re.search(r"project\(weft VERSION ((0\.\d+|\d+)\.[\d.]+)", LISTS)  # whole; as the soname has it
LIBRARY, DEV = f"libweft{VERSION[2]}", "libweft-dev"
QTHREADS, QTHREADS_DEV = "libqthread1-weft", "libweft-qthreads-dev"
PACKAGES = {LIBRARY, DEV, QTHREADS, QTHREADS_DEV}


def cache(name):
    return re.search(rf"^{name}:\w+=(.*)$", (BUILD / "CMakeCache.txt").read_text(), re.M)[1]


def run(*command, **more):
    """The output of a command that must succeed."""
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **more)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: {done.returncode}\n"
                             f"{done.stdout}{done.stderr}")
    return done.stdout


CXX_ALONE = """cmake_minimum_required(VERSION 3.25)
project(cxx_alone LANGUAGES CXX)
find_package(weft 0.1 REQUIRED)
foreach(kind weft static)
  add_executable(${kind} ${SOURCE})
  target_compile_features(${kind} PRIVATE cxx_std_20)
  target_link_libraries(${kind} PRIVATE weft::${kind})
endforeach()
"""


@functools.cache
def packed():
    """The folder with the packages, made once."""
    folder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(folder.cleanup)
    run("cpack", "--config", BUILD / "CPackConfig.cmake", "-B", folder.name, cwd=folder.name)
    return pathlib.Path(folder.name)


class consumers:
    """Programs that build and run on the Weft below cls.prefix, whose libraries lie in cls.libdir."""

    def runs(self, program, **environment):
        self.assertEqual(run(program, env=os.environ | environment), ANSWER, program)

    def test_programs_in_c11_cxx11_and_cxx20_build_through_cmake(self):
        build = self.tmp / "cmake"
        run("cmake", "-G", "Ninja", "-S", CONSUMER, "-B", build,
            f"-DCMAKE_PREFIX_PATH={self.prefix}", "-DCMAKE_BUILD_TYPE=Debug",
            f"-DCMAKE_C_COMPILER={cache('CMAKE_C_COMPILER')}",
            f"-DCMAKE_CXX_COMPILER={cache('CMAKE_CXX_COMPILER')}",
            "-DCMAKE_C_FLAGS_DEBUG=", "-DCMAKE_CXX_FLAGS_DEBUG=")
        run("cmake", "--build", build, "-j1")
        for source in ("c11", "cxx11", "cxx20", "qthreads"):
            for kind in ("shared", "static"):
                program = build / f"{source}_{kind}"
                self.runs(program)
                needed = run("readelf", "-d", program)
                library = "libqthread.so" if source == "qthreads" else "libweft.so"
                self.assertEqual(library in needed, kind == "shared", program)
        self.runs(build / "qthreads_named")

    def test_programs_of_a_project_in_cxx_alone_build_through_cmake(self):
        project = self.tmp / "cxx alone"
        project.mkdir()
        (project / "CMakeLists.txt").write_text(CXX_ALONE)
        run("cmake", "-G", "Ninja", "-S", project, "-B", project / "build", f"-DSOURCE={CONSUMER / 'cxx20.cpp'}",
            f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_CXX_COMPILER={cache('CMAKE_CXX_COMPILER')}")
        run("cmake", "--build", project / "build", "-j1")
        for program in ("weft", "static"):
            self.runs(project / "build" / program)

    def test_a_project_of_an_old_cmake_finds_it(self):
        project = self.tmp / "old"
        project.mkdir()
        (project / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.1)\nproject(old LANGUAGES C)\n"
                                                "find_package(weft 0.1 REQUIRED)\n")
        run("cmake", "-Wno-dev", "-G", "Ninja", "-S", project, "-B", project / "build",
            f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_C_COMPILER={cache('CMAKE_C_COMPILER')}")

    def test_programs_in_c11_cxx11_and_cxx20_build_through_pkg_config(self):
        pkg_config = shutil.which("pkg-config")
        if pkg_config is None:
            self.skipTest("there is no pkg-config")
        environment = os.environ | {"PKG_CONFIG_PATH": str(self.libdir / "pkgconfig")}

        def flags(what, *packages):
            return shlex.split(run(pkg_config, what, *packages, env=environment))

        for source, compiler, standard in (("c11.c", "C", "-std=c11"),
                                           ("cxx11.cpp", "CXX", "-std=c++11"),
                                           ("cxx20.cpp", "CXX", "-std=c++20")):
            compiler = cache(f"CMAKE_{compiler}_COMPILER")
            thing = self.tmp / f"{source}.o"
            run(compiler, standard, "-pedantic-errors", "-Wall", "-Wextra", "-Werror", "-c",
                CONSUMER / source, "-o", thing, *flags("--cflags", "weft"))
            for package in ("weft", "weft-static"):
                program = self.tmp / f"{source}.{package}"
                run(compiler, thing, "-o", program, *flags("--libs", package))
                self.runs(program, LD_LIBRARY_PATH=str(self.libdir) if package == "weft" else "")
        for packages in (("weft-qthreads", "weft"), ("qthread",)):
            program = self.tmp / f"{packages[0]}.program"
            run(cache("CMAKE_C_COMPILER"), CONSUMER / "qthreads.c", "-o", program,
                *flags("--cflags", "--libs", *packages))
            self.runs(program, LD_LIBRARY_PATH=str(self.libdir))
        found = flags("--static", "--libs", "weft-qthreads")
        self.assertLess(found.index("-lqthread"), found.index("-lweft"))
        version = run(pkg_config, "--modversion", "weft", env=environment)
        self.assertEqual(version, VERSION[1] + "\n")


class installed(consumers, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.tmp = pathlib.Path(cls.temporary.name)
        # Installed at one place, used at another: the tree can be moved.
        run("cmake", "--install", BUILD, "--prefix", cls.tmp / "first")
        cls.prefix = cls.tmp / "moved here"
        (cls.tmp / "first").rename(cls.prefix)
        cls.libdir = next(cls.prefix.rglob("libweft.a")).parent

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_the_spack_recipe_tries_it_with_the_tools_of_its_build(self):
        tools = {"cmake": "cmake", "gmake": "make", "ninja": "ninja"}
        astray = self.tmp / "astray"  # what PATH leads to, and what the programs need not
        astray.mkdir()
        prefixes = {}
        for name, tool in tools.items():
            prefixes[name] = self.tmp / name
            (prefixes[name] / "bin").mkdir(parents=True)
            real = shutil.which(tool)
            if real is None:
                self.skipTest(f"there is no {tool}")
            (prefixes[name] / "bin" / tool).symlink_to(real)
            (astray / tool).write_text("#!/bin/sh\necho this one is not of the build >&2; exit 1\n")
            (astray / tool).chmod(0o755)
        environment = {"CC": cache("CMAKE_C_COMPILER"), "CXX": cache("CMAKE_CXX_COMPILER"),
                       "PATH": f"{astray}:{os.environ['PATH']}"}
        for generator, qthreads in (("make", True), ("ninja", False)):
            recipe = spack_stand_in.Recipe(SPACK_RECIPE)
            package = recipe.package(self.prefix, prefixes, generator=generator, qthreads=qthreads)
            package.keep_programs_for_tests()
            stage = self.tmp / f"stage of {generator}"
            for source in recipe.sources:
                shutil.copytree(ROOT / source, stage / "cache" / source)
            package.test_suite = types.SimpleNamespace(
                current_test_cache_dir=spack_stand_in.Prefix(stage / "cache"))
            with self.subTest(generator), unittest.mock.patch.dict(os.environ, environment), \
                    contextlib.chdir(stage):
                package.test_programs()
            self.assertEqual(len(recipe.parts), 8 if qthreads else 6)
            self.assertEqual(len(set(recipe.parts)), len(recipe.parts))
            programs = {program.stem for program in (stage / "build").glob("*_shared")}
            self.assertEqual("qthreads_shared" in programs, qthreads)

    def test_the_first_program_of_the_guide_builds_as_the_guide_says(self):
        project = self.tmp / "first program"
        project.mkdir()
        output = None
        for block in pages.blocks((ROOT / "docs/guide/start.md").read_text()):
            for word in block.words:
                if word.startswith("file="):
                    (project / word.removeprefix("file=")).write_text(block.text)
                    output = block.output or output
        run("cmake", "-G", "Ninja", "-S", project, "-B", project / "build",
            f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_C_COMPILER={cache('CMAKE_C_COMPILER')}")
        run("cmake", "--build", project / "build")
        self.assertEqual(run(project / "build/hello"), output)
        if shutil.which("pkg-config"):
            home = self.tmp / "home"
            home.mkdir()
            (home / "weft").symlink_to(self.prefix)
            environment = os.environ | {"HOME": str(home)}
            environment.pop("LD_LIBRARY_PATH", None)
            script = next(b.text for b in pages.blocks((ROOT / "docs/guide/start.md").read_text())
                          if "pkg-config" in b.text)
            self.assertEqual(run("sh", "-ec", script, cwd=project, env=environment), output)

    def test_the_examples_for_qthreads_build_and_give_right_answers(self):
        build = self.tmp / "qthreads examples"
        run("cmake", "-G", "Ninja", "-S", ROOT / "examples/qthreads", "-B", build,
            f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_C_COMPILER={cache('CMAKE_C_COMPILER')}",
            "-DCMAKE_C_FLAGS=-Werror", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_C_FLAGS_DEBUG=")
        run("cmake", "--build", build, "-j1")
        answers = {
            ("greetings", "Ada", "Grace"): "Hello Ada, your name has 3 bytes\n"
                                           "Hello Grace, your name has 5 bytes\n",
            ("fibonacci", "20"): "fibonacci(20) = 6765\n",
            ("dataflow", "15"): "fibonacci(15) = 610\n",
            ("meeting", "50"): "50 of 50 tasks saw 50\n",
            ("average", "10001"): "10001 numbers, average 5001.0\n",
            ("leaves", "6"): "729 leaves\n",
        }
        sources = {f.stem for f in (ROOT / "examples/qthreads").glob("*.c")}
        self.assertEqual(sources, {name for name, *_ in answers} | {"server"})
        for shepherds in ("1", "2", "7"):
            environment = os.environ | {"QT_NUM_SHEPHERDS": shepherds}
            for (name, *arguments), answer in answers.items():
                done = subprocess.run([build / name, *arguments], env=environment, capture_output=True, text=True)
                self.assertEqual((done.stdout, done.stderr, done.returncode), (answer, "", 0),
                                 f"{name} with {shepherds} shepherds")
            self.echoes(build / "server", environment)
            self.outlives_a_client(build / "server", environment)
        for name, *arguments in (*answers, ("server", "1")):
            with self.subTest(name=name), open("/dev/full", "w") as full:
                done = subprocess.run([build / name, *arguments], stdout=full, stderr=subprocess.PIPE, text=True,
                                      timeout=50)
                self.assertEqual((done.returncode, done.stderr), (1, f"{name}: the output cannot be written\n"))

    def echoes(self, server, environment):
        with subprocess.Popen([server, "3"], stdout=subprocess.PIPE, text=True,
                              env=environment) as process:
            port = int(process.stdout.readline().split()[1])
            clients = [socket.create_connection(("127.0.0.1", port), 20) for _ in range(3)]
            for number, client in reversed(list(enumerate(clients))):
                client.sendall(b"x" * (number + 1))
                self.assertEqual(client.recv(1), b"x")
            for client in clients:
                client.close()
            self.assertEqual(process.stdout.read(), "6 bytes\n")
        self.assertEqual(process.returncode, 0)

    def outlives_a_client(self, server, environment):
        with subprocess.Popen([server, "1"], stdout=subprocess.PIPE, text=True,
                              env=environment) as process:
            port = int(process.stdout.readline().split()[1])
            process.send_signal(signal.SIGSTOP)  # until the client has gone
            with socket.create_connection(("127.0.0.1", port), 20) as client:
                client.sendall(b"x" * 4096)
            process.send_signal(signal.SIGCONT)
            self.assertRegex(process.stdout.read(), r"^\d+ bytes\n$")
        self.assertEqual(process.returncode, 0)

    def test_the_library_has_a_soname_and_versioned_symbols(self):
        library = self.libdir / f"libweft.so.{VERSION[2]}"
        self.assertIn(f"Library soname: [libweft.so.{VERSION[2]}]", run("readelf", "-d", library))
        symbols = run("readelf", "--wide", "--dyn-syms", library)
        self.assertIn("weft_task_spawn@@WEFT_0.1", symbols)

    def test_nothing_installed_names_where_it_was_built_or_installed(self):
        for path in self.prefix.rglob("*"):
            texts = (".cmake", ".pc", ".json", ".py", ".h", ".hpp", ".3", ".7")
            if path.is_file() and path.suffix in texts:
                text = path.read_text()
                for place in (BUILD, ROOT, self.tmp / "first"):
                    self.assertNotIn(str(place), text, path)

    def test_no_link_of_an_installed_page_is_dead(self):
        docs = self.prefix / "share/doc" / DEV
        found = {page: list(pages.dead_links(page)) for page in docs.rglob("*.md")}
        self.assertIn(docs / "docs/design/0015-installed-tree.md", found)
        dead = [f"{page.relative_to(docs)}: {said}" for page, all in found.items() for said in all]
        self.assertEqual(dead, [])
        self.assertIn("(../../../../../include/weft/task.h)", (docs / "docs/guide/concepts.md").read_text())

    def test_the_licence_and_the_notice_are_there_for_each_component(self):
        for package in PACKAGES:
            for name, source in (("copyright", "LICENSE"), ("NOTICE", "NOTICE")):
                text = (self.prefix / "share/doc" / package / name).read_text()
                self.assertEqual(text, (ROOT / source).read_text(), package)

    def test_libtool_is_told_which_libraries_were_installed_where(self):
        text = (self.libdir / "libqthread.la").read_text()
        self.assertRegex(text, r"(?m)\A(.*\n){0,3}# Generated by .*libtool")
        said = dict(re.findall(r"(?m)^(\w+)='(.*)'$", text))
        place = self.tmp / "first" / self.libdir.relative_to(self.prefix)
        self.assertEqual(said["libdir"], str(place))
        self.assertIn(f"-L{place} -lweft", said["dependency_libs"])
        for name in (said["dlname"], said["old_library"], *said["library_names"].split()):
            self.assertTrue((self.libdir / name).exists(), name)
        soname = run("readelf", "-d", self.libdir / "libqthread.so")
        self.assertIn(f"[{said['dlname']}]", soname)

    def refusal(self, name, language, find):
        """What CMake says, in one line, where it refuses what a project looks for."""
        project = self.tmp / name
        project.mkdir()
        (project / "CMakeLists.txt").write_text(
            f"cmake_minimum_required(VERSION 3.25)\nproject({name} LANGUAGES {language})\n{find}\n")
        done = subprocess.run(["cmake", "-G", "Ninja", "-S", project, "-B", project / "build",
                               f"-DCMAKE_PREFIX_PATH={self.prefix}"], capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        return " ".join(done.stderr.split())

    def test_another_minor_version_is_refused(self):
        self.assertIn('compatible with requested version "0.999"',
                      self.refusal("newer", "NONE", "find_package(weft 0.999 REQUIRED)"))

    def test_a_component_that_is_not_there_is_named(self):
        self.assertIn("There is no component looms of Weft in",
                      self.refusal("component", "C", "find_package(weft REQUIRED COMPONENTS looms)"))

    def test_every_function_has_a_manual_page_that_reads_without_complaint(self):
        pages = self.prefix / "share/man/man3"
        declared = set()
        for header in (self.prefix / "include/weft").glob("*.h"):
            declared |= set(re.findall(r"^(?:WEFT_API|static inline)[^;{]*?\b(weft_\w+)\(", header.read_text(), re.M))
        self.assertGreater(len(declared), 100)
        self.assertEqual(declared - {p.stem for p in pages.glob("*.3")}, {"weft_case_make"})  # the header's own
        every = sorted(self.prefix.glob("share/man/man*/*"))
        for page in every:  # what a page refers to is there
            for name, section in re.findall(r"^\.BR (\S+) \((\d)\)", page.read_text(), re.M):
                self.assertTrue((self.prefix / f"share/man/man{section}/{name}.{section}").exists(),
                                f"{page.name}: {name}({section})")
        if shutil.which("mandoc"):
            done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", *every],
                                  capture_output=True, text=True)
            odd = [line for line in done.stdout.splitlines() if "missing date" not in line]
            self.assertEqual(odd, [])
        if shutil.which("man"):
            text = run("man", "-l", pages / "weft_task_spawn.3",
                       env=os.environ | {"MANWIDTH": "80", "PAGER": "cat"})
            for part in ("int weft_task_spawn(weft_fn_t fn, void *arg, weft_task_t *out);",
                         "-EINVAL (fn is NULL", "not async-signal-safe", "weft_task_detach(3)"):
                self.assertIn(part, text)

    def command(self, *arguments):
        program = self.prefix / "bin/weft"
        return subprocess.run([program, *arguments], capture_output=True, text=True)

    def test_the_command_says_what_this_machine_gets(self):
        done = self.command("info")
        self.assertEqual((done.returncode, done.stdout.count("\n")), (0, 1), done.stderr)
        self.assertIn(f"Weft {VERSION[1]}, {self.libdir}", done.stdout)
        self.assertIn("weft: WEFT_WORKERS=", done.stderr)
        self.assertEqual(self.command("--version").stdout, f"weft {VERSION[1]}\n")

    def test_the_command_draws_a_report_away_from_the_source_tree(self):
        file, page = self.tmp / "a.json", self.tmp / "a.html"
        file.write_text(json.dumps(bench_folder.results(
            [bench_folder.kernel()], {("fib", "weft", 1): [8.0], ("fib", "tbb", 1): [80.0]})))
        done = self.command("report", file, "--html", page)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("prefers-color-scheme", page.read_text())

    def test_the_command_says_in_one_sentence_what_needs_the_source_tree(self):
        for name in ("bench", "run"):
            done = self.command(name)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", (
                "weft: the benchmarks are not installed: name a build directory of Weft's source "
                "tree by --build\n")))


@unittest.skipUnless(shutil.which("dpkg-deb"), "there is no dpkg-deb")
class packaged(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.tmp = pathlib.Path(cls.temporary.name)
        cls.packages = {p.name.partition("_")[0]: p for p in packed().glob("*.deb")}

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def field(self, package, name):
        return run("dpkg-deb", "--field", self.packages[package], name).strip()

    def files(self, package):
        listing = run("dpkg-deb", "--contents", self.packages[package])
        names = [line.split()[5] for line in listing.splitlines()]
        return {re.sub(r"^\./usr/(lib/(x86_64|aarch64)-linux-gnu(?=/))?",
                       lambda m: "lib" if m[1] else "", name)
                for name in names if not name.endswith("/")}

    def test_there_is_a_package_to_run_programs_and_one_to_build_them(self):
        self.assertEqual(set(self.packages), PACKAGES)
        self.assertEqual(self.files(LIBRARY), {
            f"lib/libweft.so.{VERSION[2]}", f"lib/libweft.so.{VERSION[1]}",
            f"share/doc/{LIBRARY}/copyright", f"share/doc/{LIBRARY}/NOTICE"})
        built = self.files(DEV)
        wanted = {"lib/libweft.so", "lib/libweft.a", "lib/pkgconfig/weft.pc",
                  "lib/cmake/weft/weft-config.cmake", "include/weft/weft.h", "bin/weft",
                  "share/man/man3/weft_task_spawn.3.gz", "share/man/man1/weft.1.gz",
                  f"share/doc/{DEV}/copyright", f"share/doc/{DEV}/docs/guide/start.md"}
        self.assertEqual(wanted - built, set())
        headers = {f"include/weft/{p.relative_to(ROOT / 'include/weft')}"
                   for p in (ROOT / "include/weft").rglob("*.h*")}
        self.assertEqual(headers, {f for f in built if f.startswith("include/")})

    def test_the_front_end_has_two_with_the_names_of_what_it_stands_in_for(self):
        self.assertEqual(self.files(QTHREADS), {
            "lib/libqthread.so.1", "lib/libqthread.so.1.23",
            f"share/doc/{QTHREADS}/copyright", f"share/doc/{QTHREADS}/NOTICE"})
        self.assertEqual({"lib/libqthread.so", "lib/libqthread.a", "lib/libqthread.la",
                          "lib/pkgconfig/qthread.pc", "lib/cmake/qthread/qthread-config.cmake",
                          "lib/cmake/weft/weft-qthreads-targets.cmake",
                          "include/qthread.h", "include/qthread/qthread.h"} -
                         self.files(QTHREADS_DEV), set())
        self.assertEqual([self.field(p, "Section") for p in (QTHREADS, QTHREADS_DEV)],
                         ["libs", "libdevel"])

    def test_the_packages_name_what_they_need(self):
        for package, others in ((DEV, [LIBRARY]), (QTHREADS, [LIBRARY]), (QTHREADS_DEV, [QTHREADS, DEV])):
            for other in others:
                self.assertIn(f"{other} (= {VERSION[1]})", self.field(package, "Depends"))
        self.assertNotIn("-dev", self.field(QTHREADS, "Depends"))
        for package in (LIBRARY, QTHREADS):
            for library in ("libc6", "libstdc++6"):
                self.assertRegex(self.field(package, "Depends"), rf"{re.escape(library)} \(>= ")
        for package in self.packages:
            self.assertEqual(self.field(package, "Version"), VERSION[1])

    def test_the_licence_is_in_each(self):
        wanted = (ROOT / "packaging/debian/copyright").read_text()
        for package, path in self.packages.items():
            there = self.tmp / package
            run("dpkg-deb", "--extract", path, there)
            self.assertEqual((there / f"usr/share/doc/{package}/copyright").read_text(), wanted)

    def test_other_packages_learn_which_one_has_the_library(self):
        for package, soname in ((LIBRARY, ["libweft", VERSION[2]]), (QTHREADS, ["libqthread", "1"])):
            told = run("dpkg-deb", "--info", self.packages[package], "shlibs").split(maxsplit=2)
            self.assertEqual(told[:2], soname)
            self.assertRegex(told[2], rf"^{re.escape(package)} \(>= {re.escape(VERSION[1])}\)")
            self.assertIn("ldconfig", run("dpkg-deb", "--info", self.packages[package], "triggers"))

    def test_the_archive_of_the_sources_has_them_in_one_folder(self):
        run("cpack", "--config", BUILD / "CPackSourceConfig.cmake", "-B", self.tmp, cwd=self.tmp)
        names = run("tar", "--list", "--file", self.tmp / f"weft-{VERSION[1]}.tar.gz").splitlines()
        folder = f"weft-{VERSION[1]}/"
        self.assertEqual([n for n in names if not n.startswith(folder)], [])
        for name in ("CMakeLists.txt", "LICENSE", "NOTICE", "src/api/weft.map", "include/weft/weft.h"):
            self.assertIn(folder + name, names)
        self.assertEqual([n for n in names if "/build/" in n or "/.git/" in n], [])


@unittest.skipUnless(shutil.which("dpkg"), "there is no dpkg")
class unpacked(consumers, unittest.TestCase):
    """The packages as dpkg puts them into a system: one of its own, in which nothing else is installed."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.tmp = pathlib.Path(cls.temporary.name)
        cls.root = cls.tmp / "root"
        for folder in ("info", "updates", "triggers"):
            (cls.root / "var/lib/dpkg" / folder).mkdir(parents=True)
        (cls.root / "var/lib/dpkg/status").touch()
        # Of what they depend on the tests use the surrounding system's.
        cls.dpkg("--force-depends", "--force-script-chrootless", "--install", *packed().glob("*.deb"))
        cls.prefix = cls.root / "usr"
        cls.libdir = next(cls.prefix.rglob("libweft.a")).parent

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def dpkg(cls, *arguments):
        path = os.environ["PATH"] + ":/usr/sbin:/sbin"  # dpkg wants ldconfig there
        return run("dpkg", f"--root={cls.root}", "--log=/dev/null", "--force-not-root", *arguments,
                   env=os.environ | {"PATH": path})

    def test_dpkg_has_installed_all_of_them_as_they_were_packed(self):
        listed = self.dpkg("--list")
        for package in PACKAGES:
            self.assertRegex(listed, rf"(?m)^ii +{re.escape(package)}[ :]")
            sums = self.root / "var/lib/dpkg/info" / f"{package}.md5sums"
            files = [self.root / name[1:] for name in self.dpkg("--listfiles", package).split()]
            plain = {str(f.relative_to(self.root)) for f in files
                     if f.is_file() and not f.is_symlink()}
            self.assertEqual({line.split()[1] for line in sums.read_text().splitlines()}, plain)
        self.assertEqual(self.dpkg("--verify"), "")  # compares the sums with the files


class sources(unittest.TestCase):
    def test_what_they_cannot_be_built_by_is_named(self):
        for system, compiler, version, said in (
                ("Linux", "GNU", "11.4", "c++ is GNU 11.4. Name another by CMAKE_CXX_COMPILER."),
                ("Linux", "Clang", "15.0", "Weft needs gcc 12 or clang 16, or later ones;"),
                ("Darwin", "Clang", "17.0", "Weft runs on Linux; this build is for Darwin."),
                ("Linux", "GNU", "12.2", None), ("Linux", "IntelLLVM", "1.0", None)):
            with self.subTest(f"{system} {compiler} {version}"):
                done = subprocess.run(
                    ["cmake", f"-DCMAKE_SYSTEM_NAME={system}", "-DCMAKE_CXX_COMPILER=c++",
                     f"-DCMAKE_CXX_COMPILER_ID={compiler}", f"-DCMAKE_CXX_COMPILER_VERSION={version}",
                     "-P", ROOT / "cmake/supported.cmake"], capture_output=True, text=True)
                self.assertEqual(done.returncode == 0, said is None)
                self.assertIn(said or "", " ".join(done.stderr.split()))


class licence(unittest.TestCase):
    def test_debian_is_given_the_whole_text_of_the_licence(self):
        head, _, text = (ROOT / "packaging/debian/copyright").read_text().rpartition("License: ")
        lines = text.splitlines()[1:]
        self.assertEqual([line for line in lines if line[:1] != " "], [])
        self.assertEqual([line[1:].removeprefix(".") for line in lines],
                         (ROOT / "LICENSE").read_text().splitlines())
        notice = (ROOT / "NOTICE").read_text()
        self.assertEqual(re.search(r"Copyright:? (.*)", head)[1], re.search(r"Copyright (.*)", notice)[1])


class without_assembly(unittest.TestCase):
    def configured(self, folder, *options):
        """A build with the portable switch, and whether that is Boost.Context's."""
        off = [f"-DWEFT_BUILD_{part}=OFF" for part in ("TESTS", "BENCH", "EXAMPLES")]
        run("cmake", "-G", "Ninja", "-S", ROOT, "-B", folder, "-DWEFT_PORTABLE_SWITCH=ON", *off, *options,
            *(f"-D{name}={cache(name)}" for name in ("CMAKE_C_COMPILER", "CMAKE_CXX_COMPILER")))
        build = pathlib.Path(folder)
        told = re.search(r"^WEFT_HAVE_BOOST_CONTEXT:\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.M)
        return build, told[1] in ("1", "ON", "TRUE")

    def test_what_libweft_a_switches_contexts_by_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            portable, by_boost = self.configured(folder)
            for made, named in ((portable, by_boost), (BUILD, False)):
                texts = {f.name: f.read_text() for f in (made / "install").iterdir() if f.is_file()}
                for name in ("weft.pc", "weft-static.pc"):
                    self.assertEqual("-lboost_context" in texts[name], named, (made, name))
                    self.assertNotIn("-L/", texts[name], (made, name))
                self.assertEqual("if(ON)" in texts["weft-config.cmake"], named, made)
                packing = (made / "CPackConfig.cmake").read_text()
                self.assertEqual("libboost-context-dev" in packing, named, made)

    def test_where_that_lies_is_named_where_no_linker_looks_by_itself(self):
        usual = pathlib.Path(run(cache("CMAKE_CXX_COMPILER"), "-print-file-name=libboost_context.so").strip())
        if not usual.is_absolute():
            self.skipTest("there is no shared Boost.Context")
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as elsewhere:
            (pathlib.Path(elsewhere) / usual.name).symlink_to(usual)
            made, by_boost = self.configured(folder, f"-DCMAKE_EXE_LINKER_FLAGS=-L{elsewhere}")
            self.assertTrue(by_boost)
            for name in ("weft.pc", "weft-static.pc"):
                text = (made / "install" / name).read_text()
                self.assertIn(f" -L{elsewhere} -lboost_context ", text, name)
            self.assertIn(f'HINTS "{elsewhere}"', (made / "install/weft-config.cmake").read_text())


class recipes(unittest.TestCase):
    """The recipes of other packagers name this version and options that exist."""

    def test_the_recipes_build_the_version_of_this_tree_by_options_that_exist(self):
        options = set(re.findall(r"^option\((WEFT_\w+)", LISTS, re.M))
        options.update(re.findall(r"^  (WEFT_HAVE_\w+)\)$", (ROOT / "cmake/portable.cmake").read_text(), re.M))
        for recipe in (ROOT / "packaging/conan/conanfile.py", SPACK_RECIPE):
            text = recipe.read_text()
            compile(text, recipe, "exec")
            named = set(re.findall(r"\bWEFT_\w+", text))
            self.assertTrue(named)
            self.assertEqual(named - options, set(), recipe)
            self.assertIn(f'"{VERSION[1]}"', text, recipe)
            self.assertIn("Apache-2.0 WITH LLVM-exception", text, recipe)

    def test_spack_is_told_of_its_layout_and_finds_short_lines(self):
        # Of package API 2 a repository lies in spack_repo, by its namespace's name, which is a Python one.
        told = dict(re.findall(r"^  (\w+): (\S+)$", (SPACK / "repo.yaml").read_text(), re.M))
        self.assertEqual(told, {"namespace": SPACK.name, "api": "v2.0"})
        self.assertEqual(SPACK.parent.name, "spack_repo")
        # `spack style` takes 99 columns.
        self.assertEqual([line for line in SPACK_RECIPE.read_text().splitlines() if len(line) > 99], [])

    def test_the_spack_recipe_depends_on_what_its_variants_and_the_build_want(self):
        recipe = spack_stand_in.Recipe(SPACK_RECIPE)
        variants = {name for (name,), _ in recipe.said["variant"]}
        wanted = {more["when"].lstrip("+") for _, more in recipe.said["depends_on"] if "when" in more}
        self.assertEqual(wanted - variants, set())
        least = re.search(r"cmake_minimum_required\(VERSION (\S+)\)", LISTS)[1]
        self.assertIn(f"cmake@{least}:", [what for (what,), _ in recipe.said["depends_on"]])
        plain = set(recipe.package("", {}).cmake_args())
        for variant, option in (("lto", "WEFT_LTO"), ("portable", "WEFT_PORTABLE_SWITCH"), ("hwloc", None),
                                ("qthreads", "WEFT_BUILD_QTHREADS")):
            default = next(more["default"] for (name,), more in recipe.said["variant"] if name == variant)
            changed = set(recipe.package("", {}, **{variant: not default}).cmake_args()) - plain
            self.assertEqual(changed, {f"-D{option}:BOOL={'OFF' if default else 'ON'}"} if option else set())


if __name__ == "__main__":
    unittest.main()
