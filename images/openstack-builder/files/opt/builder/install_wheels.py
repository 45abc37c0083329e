"""Installs wheels offline into a virtual environment; equal wheels give equal files.

The folders below /run/wheels contain the wheels. The wheels that /run/requirements.txt names and all wheels in
/run/wheels/built are installed. Files of earlier layers are not written again.
"""

import argparse
import csv
import json
import pathlib
import py_compile
import subprocess

import schema_changes

WHEELS = pathlib.Path("/run/wheels")
REQUIREMENTS = pathlib.Path("/run/requirements.txt")
# Read by `ccp build` into the image set; relative to the virtual environment.
SCHEMA_CHANGES = pathlib.Path("share/ccp/schema-changes.json")
HEADERS_AND_SOURCES = {".h", ".hh", ".hpp", ".c", ".cc", ".cpp", ".pxd", ".pyx"}
# Requirements of other packages that no running service imports: their bytecode would waste space.
WITHOUT_BYTECODE = {"setuptools", "pkg_resources", "_distutils_hack", "pygments"}
# Sources of compiled message catalogues (.mo).
MESSAGES = {".po", ".pot"}


def requirements():
    """`name==version` of each distribution to install, without duplicates."""
    wanted = {line.strip() for line in REQUIREMENTS.read_text().splitlines() if line.strip()}
    names = {normal(line.split("==")[0]) for line in wanted}
    for wheel in sorted(WHEELS.glob("built/*.whl")):
        name, version = wheel.name.split("-")[:2]
        if normal(name) not in names:
            wanted.add(f"{name}=={version}")
    return sorted(wanted)


def normal(name):
    return name.lower().replace("-", "_").replace(".", "_")


def unwanted(path):
    """True for files that a running service never reads: tests, headers, C and message sources, and uv's record of a wheel's path."""
    return "tests" in path.parts[:-1] or path.suffix in HEADERS_AND_SOURCES | MESSAGES or path.name == "uv_cache.json"


def trim(record):
    """Deletes a distribution's unwanted files, removes them from its RECORD, and compiles its modules."""
    site = record.parent.parent
    kept = []
    with record.open(newline="") as lines:
        rows = list(csv.reader(lines))
    for row in rows:
        path = pathlib.Path(row[0])
        if unwanted(path):
            remove(site / path)
        else:
            kept.append(row)
    with record.open("w", newline="") as lines:
        csv.writer(lines, lineterminator="\n").writerows(sorted(kept))
    for row in sorted(kept):
        if row[0].endswith(".py") and row[0].split("/")[0] not in WITHOUT_BYTECODE | {".."}:
            compile_file(site / row[0])


def remove(file):
    file.unlink()
    for folder in file.parents:
        if any(folder.iterdir()):
            break
        folder.rmdir()


def compile_file(file):
    """Compiles to bytecode without a time; skips templates and files with the syntax of another Python version."""
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    try:
        py_compile.compile(str(file), invalidation_mode=mode, doraise=True)
    except py_compile.PyCompileError:
        pass


def write_schema_changes(environment, site, records):
    """Writes the migrations of the distributions that were built here, if they have any."""
    built = {normal(wheel.name.split("-")[0]) for wheel in WHEELS.glob("built/*.whl")}
    found = {}
    for record in records:
        if normal(record.parent.name.split("-")[0]) in built:
            with record.open(newline="") as lines:
                packages = sorted({row[0].split("/")[0] for row in csv.reader(lines) if row[0].endswith(".py")})
            for package in packages:
                found |= schema_changes.revisions(site / package)
    if found:
        file = environment / SCHEMA_CHANGES
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps({"format": 1, "revisions": found}, indent=1, sort_keys=True) + "\n")


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--uv", required=True)
    arguments.add_argument("--environment", required=True, type=pathlib.Path)
    options = arguments.parse_args()
    (site,) = options.environment.glob("lib/python3*/site-packages")
    before = set(site.glob("*.dist-info/RECORD"))
    links = [word for folder in sorted(WHEELS.iterdir()) for word in ("--find-links", str(folder))]
    subprocess.run(
        [options.uv, "pip", "install", "--quiet", "--offline", "--no-config", "--no-cache", "--no-deps", "--no-index", *links]
        + ["--link-mode", "copy", "--python", str(options.environment / "bin/python"), *requirements()],
        check=True,
    )
    records = sorted(set(site.glob("*.dist-info/RECORD")) - before)
    for record in records:
        trim(record)
    write_schema_changes(options.environment, site, records)
    (options.environment / ".lock").unlink(missing_ok=True)


main()
