"""A client of the database's Service: writes rows, reads each back, and answers questions of the test on port 8080."""
import json, os, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pymysql

SERVICE = os.environ["SERVICE"]
committed = []
state = {"from": 0, "last": 0.0, "gap": 0.0, "errors": 0, "stale": 0, "text": ""}


def connect(host, **more):
    return pymysql.connect(
        host=host, user="root", password=os.environ["PASSWORD"], connect_timeout=2, read_timeout=10, write_timeout=10, **more
    )


def query(host, *statements):
    connection = connect(host, autocommit=True)
    try:
        with connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
            return [list(row) for row in cursor.fetchall()]
    finally:
        connection.close()


def write():
    """A row counts once its commit was answered, and the next request must see it."""
    row = 0
    while True:
        row += 1
        try:
            query(SERVICE, f"INSERT INTO probe.rows VALUES ({row})")
            now = time.monotonic()
            state["gap"], state["last"] = max(state["gap"], now - state["last"]), now
            committed.append(row)
            if not query(SERVICE, f"SELECT id FROM probe.rows WHERE id = {row}"):
                state["stale"] += 1
        except Exception as error:
            state["errors"] += 1
            state["text"] = str(error)
        time.sleep(0.05)


def contend(host, mode, seconds):
    """Six writers of one row: `update` changes it in one statement, `select` reads it first in the same transaction."""
    query(host, "REPLACE INTO probe.counters VALUES (1, 0)")
    counts = {"commits": 0}
    until = time.monotonic() + seconds

    def one():
        connection = connect(host)
        while time.monotonic() < until:
            try:
                with connection.cursor() as cursor:
                    if mode == "select":
                        cursor.execute("SELECT n FROM probe.counters WHERE id = 1")
                    cursor.execute("UPDATE probe.counters SET n = n + 1 WHERE id = 1")
                connection.commit()
                counts["commits"] += 1
            except pymysql.MySQLError as error:
                code = f"error {error.args[0]}"
                counts[code] = counts.get(code, 0) + 1
                connection.rollback()
        connection.close()

    threads = [threading.Thread(target=one) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {**counts, "counter": query(host, "SELECT n FROM probe.counters WHERE id = 1")[0][0]}


def missing(host):
    # Rows of before the question, since the writer goes on.
    rows = list(committed)
    there = {row for (row,) in query(host, "SET SESSION wsrep_sync_wait = 1", "SELECT id FROM probe.rows")}
    return [row for row in rows if row not in there]


def answer(path, asked):
    if path == "/start":
        query(SERVICE, "CREATE DATABASE IF NOT EXISTS probe")
        query(SERVICE, "CREATE TABLE IF NOT EXISTS probe.rows (id BIGINT PRIMARY KEY)")
        query(SERVICE, "CREATE TABLE IF NOT EXISTS probe.counters (id INT PRIMARY KEY, n BIGINT)")
        query(SERVICE, "CREATE TABLE IF NOT EXISTS probe.ballast (id INT AUTO_INCREMENT PRIMARY KEY, bytes LONGBLOB)")
        state["last"] = time.monotonic()
        threading.Thread(target=write, daemon=True).start()
    if path == "/reset":
        state.update({"from": len(committed), "last": time.monotonic(), "gap": 0.0, "errors": 0, "stale": 0, "text": ""})
    if path == "/report":
        gap = max(state["gap"], time.monotonic() - state["last"])
        return {**state, "gap": gap, "rows": len(committed) - state["from"]}
    if path == "/missing":
        return missing(asked["host"][0])
    if path == "/query":
        return query(asked.get("host", [SERVICE])[0], *asked["sql"])
    if path == "/contend":
        return contend(asked.get("host", [SERVICE])[0], asked["mode"][0], float(asked["seconds"][0]))
    return {}


class Answers(BaseHTTPRequestHandler):
    def do_GET(self):
        address = urlsplit(self.path)
        try:
            status, body = 200, answer(address.path, parse_qs(address.query))
        except Exception as error:
            status, body = 500, str(error)
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("", 8080), Answers).serve_forever()
