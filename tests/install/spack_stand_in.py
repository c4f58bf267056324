#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the Spack recipe takes from Spack, as far as its facts can be tried where there is no Spack.

Directives are noted; a specification has the variants that it is given; a build's tools lie below prefixes of
their own. Spack solves, fetches and sets up compilers. Nothing here does.
"""
import contextlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import types

DIRECTIVES = ("license", "version", "variant", "depends_on", "requires", "conflicts")


class Prefix(str):
    """A path whose parts can be named as attributes."""

    def join(self, part):
        return Prefix(os.path.join(self, part))

    def __getattr__(self, part):
        return self.join(part)


class Executable:
    def __init__(self, path):
        self.path = path

    def __call__(self, *arguments, output=None, error=None):
        done = subprocess.run([self.path, *arguments], capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(f"{self.path} {' '.join(arguments)}: {done.stdout}{done.stderr}")
        return done.stdout


class CMakePackage:
    @staticmethod
    def define(name, value):
        kind = {bool: "BOOL"}.get(type(value), "STRING")
        return f"-D{name}:{kind}={ {True: 'ON', False: 'OFF'}.get(value, value) }"

    def define_from_variant(self, name, variant):
        return self.define(name, self.spec.variants[variant])


class Spec:
    def __init__(self, prefixes, variants):
        self.prefixes, self.variants = prefixes, variants

    def __getitem__(self, name):
        return types.SimpleNamespace(prefix=Prefix(self.prefixes[name]))

    def satisfies(self, asked):
        if asked[0] in "+~":
            return self.variants[asked[1:]] == (asked[0] == "+")
        name, value = asked.split("=")
        return self.variants[name] == value


def which(path, required=False):
    found = shutil.which(path)
    if found is None and required:
        raise AssertionError(f"there is no {path}")
    return found and Executable(found)


def check_outputs(expected, actual):
    if not re.search(expected, actual):
        raise AssertionError(f"{expected} is not in: {actual}")


class Recipe:
    """The package class of the recipe at path, and what its directives say."""

    def __init__(self, path):
        self.said = {name: [] for name in DIRECTIVES}
        self.parts, self.sources = [], []
        names = types.ModuleType("spack.package")
        for name in DIRECTIVES:
            setattr(names, name, lambda *values, name=name, **more: self.said[name].append((values, more)))
        for thing in (Executable, CMakePackage, which, check_outputs):
            setattr(names, thing.__name__, thing)
        names.run_after = lambda phase: lambda method: method
        names.test_part = self.test_part
        names.cache_extra_test_sources = lambda package, sources: self.sources.extend(sources)
        own = importlib.util.spec_from_file_location("package", path)
        module = importlib.util.module_from_spec(own)
        sys.modules |= {"spack": types.ModuleType("spack"), "spack.package": names}
        try:
            own.loader.exec_module(module)
        finally:
            del sys.modules["spack"], sys.modules["spack.package"]
        self.module = module

    @contextlib.contextmanager
    def test_part(self, package, name, purpose):
        self.parts.append(name)
        yield

    def package(self, prefix, prefixes, **variants):
        """The package as it is installed at prefix, its variants as here or as by default."""
        package = self.module.Weft()
        package.prefix = Prefix(prefix)
        defaults = {name: more["default"] for (name,), more in self.said["variant"]}
        package.spec = Spec(prefixes, defaults | variants)
        return package
