"""Imports modules in an image and checks the requirements of its installed projects.

The argument is JSON: {"imports": [module], "consistent": bool, "provided": [project]}. Prints JSON
objects, one per line: {"importing": module}, {"failed": module, "error": text},
{"project": ..., "requires": ..., "has": version or null}, {"unchecked": text}, and finally
{"end": true}. The lines go to the original stdout; output of modules is dropped.
"""

import importlib
import importlib.metadata
import json
import os
import pkgutil
import re
import sys

TESTS = {"tests", "test", "conftest", "__main__"}


def report(**record):
    os.write(stdout, (json.dumps(record) + "\n").encode())


def load(name):
    report(importing=name)
    try:
        return importlib.import_module(name)
    except BaseException as error:  # a module can also call sys.exit
        report(failed=name, error=f"{type(error).__name__}: {error}")
        return None


def load_all(name):
    module = load(name)
    for found in pkgutil.iter_modules(getattr(module, "__path__", []), f"{name}."):
        last = found.name.rpartition(".")[2]
        if last not in TESTS and not last.startswith("test_"):
            load_all(found.name)


def canonical(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def requirement_class():
    for place in ("packaging", "setuptools._vendor.packaging", "pip._vendor.packaging"):
        try:
            return importlib.import_module(f"{place}.requirements").Requirement
        except ImportError:
            pass
    return None


def check_requirements(provided):
    parse = requirement_class()
    if parse is None:
        report(unchecked="the Python project `packaging`, which parses requirements, is not installed")
        return
    installed = {}
    for distribution in importlib.metadata.distributions():
        installed.setdefault(canonical(distribution.metadata["Name"]), distribution)
    todo = [(name, "") for name in sorted(installed)]
    seen = set(todo)
    while todo:
        name, extra = todo.pop(0)
        for text in installed[name].requires or []:
            requirement = parse(text)
            if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
                continue
            needed = canonical(requirement.name)
            if needed in provided:
                continue
            has = installed[needed].version if needed in installed else None
            if has is None or not requirement.specifier.contains(has, prereleases=True):
                report(project=name, requires=str(requirement).split(";")[0].strip(), has=has)
                continue
            for wanted in requirement.extras:
                if (needed, wanted) not in seen:
                    seen.add((needed, wanted))
                    todo.append((needed, wanted))


request = json.loads(sys.argv[1])
stdout = os.dup(1)
null = os.open(os.devnull, os.O_RDWR)
os.dup2(null, 1)
os.dup2(null, 2)
if request["consistent"]:
    check_requirements({canonical(name) for name in request["provided"]})
for top in request["imports"]:
    load_all(top)
report(end=True)
os._exit(0)  # threads that modules started must not keep the container alive
