import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { REPOSITORY } from '../helpers/ccp.ts';

const CONFIG = join(REPOSITORY, 'images/keystone/config');

/** Runs statements after `import rotate_keys`; resolves with the JSON that they print. */
function python(statements: string): unknown {
  const program = `import json, sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import rotate_keys
${statements}`;
  return JSON.parse(execFileSync('python3', ['-I', '-c', program, CONFIG], { encoding: 'utf8' }));
}

const rotated = (keys: object, since: object, now: number): unknown =>
  python(`
numbers = lambda text: {int(key): value for key, value in json.loads(text).items()}
print(json.dumps(rotate_keys.rotated(numbers('${JSON.stringify(keys)}'), numbers('${JSON.stringify(since)}'), ${now}, 100, "new")))`);

describe('rotate_keys.py', () => {
  it('makes the staged key the primary one, keeps the primary one and stages a new key', () => {
    expect(rotated({ 0: 'staged', 1: 'primary' }, {}, 1000)).toEqual([
      { 0: 'new', 1: 'primary', 2: 'staged' },
      { 1: 1000 },
    ]);
  });

  it('removes a secondary key when its tokens are of no use any more, not before', () => {
    const keys = { 0: 'd', 1: 'a', 2: 'b', 3: 'c' };
    expect(rotated(keys, { 1: 900, 2: 901 }, 1000)).toEqual([
      { 0: 'new', 2: 'b', 3: 'c', 4: 'd' },
      { 2: 901, 3: 1000 },
    ]);
  });

  it('counts the time of a secondary key without a known time from now on', () => {
    expect(rotated({ 0: 'c', 1: 'a', 2: 'b' }, {}, 1000)).toEqual([
      { 0: 'new', 1: 'a', 2: 'b', 3: 'c' },
      { 1: 1000, 2: 1000 },
    ]);
  });

  it.each([
    ['', 3600 + 172_800 + 600],
    ['[token]\nexpiration = 600\nallow_expired_window = 0\n', 1200],
  ])('reads from keystone.conf %j how long a token is of use', (text, seconds) => {
    expect(
      python(`
import tempfile
with tempfile.NamedTemporaryFile("w") as file:
    file.write(${JSON.stringify(text)})
    file.flush()
    print(rotate_keys.window_of(file.name))`),
    ).toBe(seconds);
  });

  it('waits for pods that do not accept the staged key, and names them', () => {
    const outcome = (answers: string): unknown =>
      python(`
import contextlib, io, os
os.environ["SERVICE"] = "keystone-api.openstack.svc"
answers = iter(${answers})
rotate_keys.staged_token = lambda keys: ("token", "subject")
rotate_keys.accepts = lambda address, *_: address in present
rotate_keys.time.sleep = lambda _: None
clock = iter(range(0, 10_000, 100))
rotate_keys.time.monotonic = lambda: next(clock)
class Api:
    def addresses(self, service):
        global present
        assert service == "keystone-api"
        pods, present = next(answers)
        return pods
said = io.StringIO()
try:
    with contextlib.redirect_stdout(said):
        rotate_keys.await_pods(Api(), {})
    result = said.getvalue()
except SystemExit as error:
    result = str(error)
print(json.dumps(result))`);
    expect(outcome('[(["a", "b"], ["a"]), (["a", "b"], ["a", "b"])]')).toBe(
      '2 pods have the staged key\n',
    );
    expect(outcome('[(["a", "b"], ["a"])] * 9')).toBe(
      'pods without the staged key: b; nothing was changed',
    );
    expect(outcome('[([], [])] * 9')).toBe(
      'pods without the staged key: no pod serves; nothing was changed',
    );
  });
});
