import { describe, expect, it } from 'vitest';
import { runProgram } from './run-program.ts';

const ENV = { ACCOUNT: 'nova', ACCOUNT_PASSWORD: 'pa55', ADMIN_PASSWORD: 's3cret' };

describe('rabbitmq make_account.py', () => {
  // Prints each request; lists the users of nova and of apps with similar names.
  const API = `
import contextlib, io, json, urllib.error, urllib.request

USERS = ["admin", "nova", "nova.2", "nova.3", "nova-cell", "nova.x", "supernova.2"]

def urlopen(request, timeout):
    if request.host.startswith("down"):
        raise urllib.error.URLError("no route")
    body = None if request.data is None else json.loads(request.data)
    print(request.get_method(), request.full_url, *([sorted(body)] if body else []))
    return contextlib.closing(io.BytesIO(json.dumps([{"name": name} for name in USERS]).encode()))

urllib.request.urlopen = urlopen
`;
  const run = (env: Readonly<Record<string, string>>) =>
    runProgram('rabbitmq/config/make_account.py', [], {
      env: { ...ENV, NODES: 'one', ...env },
      files: { 'python/sitecustomize.py': API },
    });
  const MADE = [
    'PUT http://one:15672/api/vhosts/nova',
    "PUT http://one:15672/api/users/nova.3 ['password', 'tags']",
    "PUT http://one:15672/api/permissions/nova/nova.3 ['configure', 'read', 'write']",
    "PUT http://one:15672/api/policies/nova/notifications ['apply-to', 'definition', 'pattern']",
    '',
  ];

  it('creates the user of a generation, and keeps the others', () => {
    const { stdout, stderr, status } = run({ ACCOUNT_USER: 'nova.3' });
    expect({ lines: stdout.split('\n'), stderr, status }).toEqual({
      lines: MADE,
      stderr: '',
      status: 0,
    });
  });

  it("deletes the account's users of other generations, and no other user", () => {
    const { stdout } = run({ ACCOUNT_USER: 'nova.3', OTHERS: 'remove' });
    expect(stdout.split('\n').slice(MADE.length - 1)).toEqual([
      'GET http://one:15672/api/users',
      'DELETE http://one:15672/api/users/nova',
      'deleted the user nova',
      'DELETE http://one:15672/api/users/nova.2',
      'deleted the user nova.2',
      '',
    ]);
  });

  it('asks another node if one does not answer', () => {
    const { stdout, status } = run({ ACCOUNT_USER: 'nova.3', NODES: 'down,one' });
    expect([status, stdout.split('\n')[1]]).toEqual([0, MADE[0]]);
    expect(run({ ACCOUNT_USER: 'nova.3', NODES: 'down' })).toMatchObject({
      status: 1,
      stderr: 'no node answers\n',
    });
  });
});

describe('keystone make_user.py', () => {
  // A keystone that knows PASSWORDS; prints each change.
  const KEYSTONE = `
import json, os, re

PASSWORDS = json.loads(os.environ["PASSWORDS"])

class Answer:
    def __init__(self, body): self.body = body
    def json(self): return self.body

class Session:
    def __init__(self, auth): self.auth = auth
    def get_token(self):
        if PASSWORDS.get(self.auth["username"]) != self.auth["password"]:
            from keystoneauth1 import exceptions
            raise exceptions.Unauthorized()
        return "token"
    def get(self, url, params):
        kind = url.rsplit("/", 1)[1]
        names = [params.get("name", "x")] if kind != "users" else PASSWORDS
        wanted = lambda name: name == params.get("name", name) and name.startswith(params.get("name__startswith", ""))
        return Answer({kind: [{"id": f"id-{name}", "name": name} for name in names if wanted(name)]})
    def put(self, url): pass
    def post(self, url, json):
        print("POST", url, json)
        return Answer({kind: {"id": "new"} for kind in json})
    def patch(self, url, json): print("PATCH", url, json)
    def delete(self, url): print("DELETE", url)
`;
  const run = (passwords: object, env: Readonly<Record<string, string>> = {}) => {
    const { stdout, stderr } = runProgram('keystone/config/make_user.py', [], {
      env: {
        ...ENV,
        AUTH_URL: 'http://id',
        ACCOUNT_USER: 'nova.2',
        REGION: 'r',
        ENDPOINTS: '[]',
        PASSWORDS: JSON.stringify(passwords),
        ...env,
      },
      files: {
        'python/keystoneauth1/__init__.py': '',
        'python/keystoneauth1/session.py': KEYSTONE,
        'python/keystoneauth1/exceptions.py':
          'class Unauthorized(Exception): pass\nclass Conflict(Exception): pass\n',
        'python/keystoneauth1/identity/__init__.py': '',
        'python/keystoneauth1/identity/v3.py': 'def Password(**words): return words\n',
      },
    });
    expect(stderr).toBe('');
    return stdout.split('\n').filter((line) => line !== '' && !line.includes('/projects/'));
  };

  it('creates the user of a generation, and keeps the others', () => {
    expect(run({ nova: 'old' })).toEqual([
      "POST http://id/users {'user': {'name': 'nova.2', 'domain_id': 'default', 'password': 'pa55', 'enabled': True}}",
    ]);
  });

  it('sets a password only if it does not work, since that revokes the tokens of the user', () => {
    expect(run({ 'nova.2': 'pa55' })).toEqual([]);
    expect(run({ 'nova.2': 'another' })).toEqual([
      "PATCH http://id/users/id-nova.2 {'user': {'password': 'pa55', 'enabled': True}}",
    ]);
  });

  it("deletes the account's users of other generations, and no other user", () => {
    const users = { nova: 'a', 'nova.2': 'pa55', 'nova.7': 'b', 'nova-cell': 'c', 'nova.x': 'd' };
    expect(run(users, { OTHERS: 'remove' })).toEqual([
      'DELETE http://id/users/id-nova',
      'deleted the user nova',
      'DELETE http://id/users/id-nova.7',
      'deleted the user nova.7',
    ]);
  });
});
