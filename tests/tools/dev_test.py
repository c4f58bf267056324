# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Facts about ./dev and the presets that it builds by."""
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

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


if __name__ == "__main__":
    unittest.main()
