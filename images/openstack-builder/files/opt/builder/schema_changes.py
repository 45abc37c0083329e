"""Reads the Alembic migrations of Python packages and classifies their changes of a database schema.

The migrations are parsed, not run. A change is "destructive" if it removes or renames parts of the schema that earlier
code uses, "deleting" if it deletes rows, and "tightening" if the schema then refuses rows that earlier code may write.
All other changes, such as a new table, column or index, are additive and are not listed.
"""

import ast
import re

DESTRUCTIVE = {"drop_column": "drops a column", "drop_table": "drops a table", "drop": "drops a table", "rename_table": "renames a table"}
TIGHTENING = {
    "create_unique_constraint": "adds a unique constraint",
    "create_foreign_key": "adds a foreign key",
    "create_check_constraint": "adds a check constraint",
    "create_primary_key": "adds a primary key",
}
# Functions that declare exceptions of neutron's own checks, or that only run when a database is downgraded.
NOT_RUN = {"downgrade", "expand_drop_exceptions", "contract_creation_exceptions"}
DROPS = re.compile(r"\s*(DROP|RENAME|ALTER\b.*\b(DROP|RENAME|CHANGE))\b", re.IGNORECASE | re.DOTALL)
DELETES = re.compile(r"\s*(DELETE|TRUNCATE)\b", re.IGNORECASE)
WRITES_ROWS = re.compile(r"\s*(INSERT|UPDATE|SELECT|SET)\b", re.IGNORECASE)


def revisions(package):
    """Revision -> `after`, `file`, `contract` and `changes` of all migrations below the folder of a package."""
    found = {}
    for file in sorted(package.glob("**/versions/**/*.py")):
        tree = ast.parse(file.read_text())
        names = constants(tree)
        if "revision" not in names or "down_revision" not in names or "tests" in file.parts:
            continue
        path = file.relative_to(package.parent).as_posix()
        found[names["revision"]] = {
            # A revision replaces the ones that it depends on in the table alembic_version too.
            "after": as_list(names["down_revision"]) + as_list(names.get("depends_on")),
            "file": path,
            "contract": "contract" in re.split(r"[/_0-9.]", path.rpartition("versions/")[2]),
            "changes": changes(tree),
        }
    for folder in sorted(package.glob("**/versions")):
        drop_unreachable(found, folder, package.parent)
    return found


def drop_unreachable(found, folder, root):
    """Drops the revisions of a folder that do not lead to the ones in its files HEADS, EXPAND_HEAD or CONTRACT_HEAD, if it has any.

    They never run: keystone 28 has one in a folder that it does not search.
    """
    names = [name for file in [*folder.glob("HEADS"), *folder.glob("*_HEAD")] for name in file.read_text().split()]
    if not names or any(name not in found for name in names):
        return
    kept, waiting = set(), names
    while waiting:
        name = waiting.pop()
        if name in found and name not in kept:
            kept.add(name)
            waiting += found[name]["after"]
    below = folder.relative_to(root).as_posix() + "/"
    for name in [name for name in found if found[name]["file"].startswith(below) and name not in kept]:
        del found[name]


def constants(tree):
    """Values of the module's constants, as far as they are literals."""
    values = {}
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        if len(targets) == 1 and isinstance(targets[0], ast.Name) and node.value is not None:
            try:
                values[targets[0].id] = ast.literal_eval(node.value)
            except ValueError:
                continue
    return values


def as_list(value):
    return [value] if isinstance(value, str) else list(value or ())


def changes(tree):
    """Changes that are not additive as [class, text, line], in the order of their lines."""
    found = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name in NOT_RUN:
            continue
        for call in ast.walk(node):
            change = isinstance(call, ast.Call) and change_of(call)
            if change:
                found.append([*change, call.lineno])
    return sorted(found, key=lambda change: change[2])


def change_of(call):
    """Class and text of the change that a call makes; None if it is additive."""
    name = getattr(call.func, "attr", None) or getattr(call.func, "id", None)
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    if name in DESTRUCTIVE:
        return "destructive", DESTRUCTIVE[name]
    if name == "delete":
        return "deleting", "deletes rows"
    if name in TIGHTENING:
        return "tightening", TIGHTENING[name]
    if name == "create_index" and is_literal(keywords.get("unique"), True):
        return "tightening", "adds a unique index"
    if name == "alter_column":
        return altered(keywords)
    if name == "add_column":
        return added(call)
    if name == "execute" and call.args:
        return executed(call.args[0])
    return None


def altered(keywords):
    if "new_column_name" in keywords or "name" in keywords:
        return "destructive", "renames a column"
    if is_literal(keywords.get("nullable"), False):
        return "tightening", "forbids NULL in a column"
    if "type_" in keywords:
        return "tightening", "changes the type of a column"
    if is_literal(keywords.get("server_default"), None):
        return "tightening", "removes the default of a column"
    return None


def added(call):
    """A new column breaks inserts of earlier code if it needs a value and has no default."""
    for column in ast.walk(call):
        if isinstance(column, ast.Call) and column is not call:
            keywords = {keyword.arg: keyword.value for keyword in column.keywords}
            if is_literal(keywords.get("nullable"), False) and "server_default" not in keywords:
                return "tightening", "adds a column without a default that forbids NULL"
    return None


def executed(statement):
    """SQL as text is classified by its first word; an expression of SQLAlchemy by its own calls."""
    text = next((node.value for node in ast.walk(statement) if isinstance(node, ast.Constant) and isinstance(node.value, str)), None)
    if isinstance(statement, ast.Call) and isinstance(statement.func, ast.Attribute) and statement.func.attr not in {"text", "format"}:
        return None
    if text is not None and DROPS.match(text):
        return "destructive", "runs SQL that removes parts of the schema"
    if text is not None and DELETES.match(text):
        return "deleting", "deletes rows"
    if text is not None and WRITES_ROWS.match(text):
        return None
    return "tightening", "runs SQL that cannot be classified"


def is_literal(node, value):
    return isinstance(node, ast.Constant) and node.value is value
