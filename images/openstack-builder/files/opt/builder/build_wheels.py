"""Builds wheels offline into /wheels, from the sdists in /run/sdists and from the sources named as KEY==VERSION.

A source is the archive /run/sources/KEY.tar; its patches in /run/sources/KEY.patches are applied in the order of their
names. Every tree is unpacked to a fixed path, because compilers and build tools write paths into their output. Build
requirements come from /run/build alone.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tomllib
from configparser import ConfigParser

SDISTS = pathlib.Path("/run/sdists")
SOURCES = pathlib.Path("/run/sources")
TREES = pathlib.Path("/tmp/trees")
# Debug information contains paths of the build, and services do not need it.
FLAGS = {"CFLAGS": "-g0", "CXXFLAGS": "-g0", "LDFLAGS": "-Wl,--strip-all", "CPUCOUNT": "2", "UV_CACHE_DIR": "/tmp/uv"}


def unpack(archive, name):
    """Unpacks the archive's only top folder as TREES/name and returns it."""
    tree = TREES / name
    if archive.suffix == ".zip":
        shutil.unpack_archive(archive, TREES / "zip")
        (top,) = (TREES / "zip").iterdir()
        return top.rename(tree)
    tree.mkdir(parents=True)
    subprocess.run(["tar", "--extract", "--no-same-owner", "--strip-components=1", f"--directory={tree}", f"--file={archive}"], check=True)
    return tree


def build(tree, **environment):
    subprocess.run(
        ["uv", "build", "--quiet", "--wheel", "--offline", "--no-config", "--no-index", "--find-links", "/run/build"]
        + ["--python", "/usr/bin/python3", "--out-dir", "/wheels", str(tree)],
        env={**os.environ, **FLAGS, **environment},
        check=True,
    )


def project_name(tree):
    """The name that the tree declares, or None."""
    pyproject = tree / "pyproject.toml"
    if pyproject.exists():
        name = tomllib.loads(pyproject.read_text()).get("project", {}).get("name")
        if name:
            return name
    setup = ConfigParser(interpolation=None)
    setup.read(tree / "setup.cfg")
    return setup.get("metadata", "name", fallback=None)


def apply_patches(tree, folder):
    """Applies the folder's patches in order; ends the build before a patch that does not apply exactly."""
    for patch in sorted(folder.iterdir()) if folder.is_dir() else []:
        command = ["patch", "--strip=1", "--fuzz=0", "--forward", "--batch", "--no-backup-if-mismatch", f"--directory={tree}", f"--input={patch}"]
        trial = subprocess.run([*command, "--dry-run"], capture_output=True, text=True)
        if trial.returncode != 0:
            sys.exit(f"the patch {patch.name[4:]} does not apply to {tree.name}:\n{trial.stdout}{trial.stderr}")
        subprocess.run([*command, "--quiet"], check=True)


def list_files(tree):
    """Writes SOURCES.txt, which an sdist contains: without it and without git, setuptools and pbr omit data files."""
    name = project_name(tree)
    if name is None or (tree / "PKG-INFO").exists():
        return
    files = sorted(str(file.relative_to(tree)) for file in tree.rglob("*") if file.is_file())
    info = tree / f"{name.replace('-', '_')}.egg-info"
    info.mkdir(exist_ok=True)
    (info / "SOURCES.txt").write_text("\n".join(files) + "\n")


def main():
    pathlib.Path("/wheels").mkdir()
    for archive in sorted(SDISTS.iterdir()):
        build(unpack(archive, archive.name.removesuffix(".zip").removesuffix(".tar.gz")))
    for source in sys.argv[1:]:
        key, version = source.split("==")
        tree = unpack(SOURCES / f"{key}.tar", key)
        apply_patches(tree, SOURCES / f"{key}.patches")
        list_files(tree)
        # A tree from git has no history here, so its version is set to the locked one.
        build(tree, PBR_VERSION=version, SETUPTOOLS_SCM_PRETEND_VERSION=version)
    pathlib.Path("/wheels/.gitignore").unlink(missing_ok=True)


main()
