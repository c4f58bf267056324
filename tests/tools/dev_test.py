# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Facts about ./dev and the presets that it builds by."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILT = "WEFT_BUILD_TESTS", "WEFT_BUILD_BENCH", "WEFT_BUILD_EXAMPLES"


class Presets(unittest.TestCase):
    """The presets and options of Weft in a project that has nothing to build."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name)
        shutil.copy(ROOT / "CMakePresets.json", self.root)
        options = re.findall(r"^option\(.*\)$", (ROOT / "CMakeLists.txt").read_text(), re.M)
        self.assertGreater(len(options), 5)
        (self.root / "CMakeLists.txt").write_text("\n".join([
            "cmake_minimum_required(VERSION 3.25)", "project(weft LANGUAGES NONE)", *options, ""]))

    def built(self, command):
        """What a build in the folder of preset release is of, after this command."""
        done = subprocess.run(command.split(), cwd=self.root, capture_output=True, text=True, timeout=50)
        self.assertEqual(done.returncode, 0, done.stderr)
        cache = (self.root / "build/release/CMakeCache.txt").read_text()
        return [re.search(rf"^{name}:\w+=(\w+)$", cache, re.M)[1] for name in BUILT]

    def test_a_build_for_an_installation_leaves_the_folder_good_for_dev(self):
        for page in "README.md", "docs/guide/start.md":
            line, = re.findall(r"^ *(cmake --preset release -D.*)$", (ROOT / page).read_text(), re.M)
            self.assertEqual(self.built(line), ["OFF", "OFF", "ON"], page)
            self.assertEqual(self.built("cmake --preset release"), ["ON", "ON", "ON"], page)


class Commands(unittest.TestCase):
    """./dev in a folder of its own, where installing and building are only noted."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name)
        shutil.copy(ROOT / "dev", self.root)
        shutil.copy(ROOT / "CMakePresets.json", self.root)
        (self.root / "build").mkdir()
        programs = self.root / "programs"
        programs.mkdir()
        self.noted = self.root / "noted"
        for name in "apt-get", "sudo", "cmake":
            (programs / name).write_text(f"#!/bin/sh\necho {name} \"$@\" >>'{self.noted}'\n")
            (programs / name).chmod(0o755)

    def dev(self, *arguments):
        self.noted.write_text("")
        search = f"{self.root / 'programs'}:{os.environ['PATH']}"
        return subprocess.run([self.root / "dev", *arguments], capture_output=True, text=True, timeout=50,
                              stdin=subprocess.DEVNULL, env={**os.environ, "PATH": search, "JOBS": "1"})

    def refused(self, said, *arguments):
        done = self.dev(*arguments)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (1, "", f"dev: {said}\n"), arguments)
        self.assertEqual(self.noted.read_text(), "")
        self.assertTrue((self.root / "build").is_dir())

    def test_arguments_that_would_be_ignored_are_refused(self):
        for command in "check", "ci", "clean", "docs", "package":
            self.refused(f"{command} takes no arguments, not dev", command, "dev")
        for command in "abi", "build", "setup":
            self.refused(f"{command} takes one argument at most, not dev release", command, "dev", "release")
        self.refused("fmt takes --check or nothing, not src/a.cpp", "fmt", "src/a.cpp")

    def test_an_option_is_refused_where_a_name_is_wanted(self):
        named = "results wants a name, of lower case letters, digits and hyphens, which begins with no hyphen"
        for name in "--quick", "-quick", "Quick", "":
            self.refused(named, "results", name)
        self.refused(named, "results")
        self.refused("abi takes a commit or --keep, not --kept", "abi", "--kept")
        for command in "mutate", "tidy":
            self.refused(f"{command} takes names of files, not --all", command, "a.hpp", "--all")

    def test_help_is_given_before_anything_is_installed_or_built(self):
        shutil.copytree(ROOT / "tools", self.root / "tools", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "CMakeLists.txt", self.root)  # has the version
        whole = self.dev("help").stdout
        self.assertTrue(whole.startswith("usage: ./dev "))
        own = {"run": "usage: weft run ", "bench": "usage: weft bench ", "cost": "usage: cost.py ", "mutate": "Weaken "}
        for command in re.findall(r"^  ([a-z0-9-]+)", whole, re.M):
            for asked in "-h", "--help":
                done = self.dev(command, asked)
                self.assertEqual((done.returncode, done.stderr), (0, ""), command)
                self.assertTrue(done.stdout.startswith(own.get(command, whole)), done.stdout)
                self.assertEqual(self.noted.read_text(), "", command)

    def test_the_sources_of_googletest_may_lie_elsewhere(self):
        for file, first in ("CMakeLists.txt", "cmake --preset dev "), ("else", "apt-get -q update"):
            with tempfile.TemporaryDirectory() as folder:
                pathlib.Path(folder, file).touch()
                with unittest.mock.patch.dict(os.environ, {"WEFT_GTEST_DIR": folder}):
                    self.dev("build")
                noted = self.noted.read_text()
                self.assertIn(first, noted.partition("\n")[0])
                self.assertIn(f" -DWEFT_GTEST_DIR={folder}\n", noted)

    def test_results_that_were_not_measured_are_not_drawn(self):
        (self.root / "tools").mkdir()
        (self.root / "docs/results").mkdir(parents=True)
        (self.root / "tools/weft").write_text("import pathlib, sys\nprint(*sys.argv[1:2])\n"
                                              "'--list' in sys.argv or pathlib.Path(sys.argv[3]).touch()\n")
        # What is to be installed needs no look here.
        (self.root / "dev").write_text((self.root / "dev").read_text().replace("    setup run\n", ""))
        for arguments, done in (["--list"], "bench\n"), ([], "bench\nreport\nreport\n"):
            self.assertEqual(self.dev("results", "here", *arguments).stdout, done)

    def test_what_is_no_preset_is_refused_before_anything_is_installed(self):
        presets = "dev release package lto clang-lto clang asan tsan model arm64 portable"
        for name in "docs", "test", "cost", "base", "d.v", "":
            self.refused(f"there is no preset '{name}' to build by; there are {presets}", "build", name)

    def test_every_preset_can_be_built(self):
        for preset in json.loads((ROOT / "CMakePresets.json").read_text())["buildPresets"]:
            done = self.dev("build", preset["name"])
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"cmake --build --preset {preset['name']} -j 1\n", self.noted.read_text())


if __name__ == "__main__":
    unittest.main()
