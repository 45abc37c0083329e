import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));

/**
 * The values of the Secret that the program makes for a request, and whether it says that its keys
 * are the first.
 */
function made(
  request: object,
  existing: Readonly<Record<string, Readonly<Record<string, string>>>> = {},
): { readonly values: Readonly<Record<string, string>>; readonly isFirst: boolean } {
  const program = `import json, sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import make_secrets
request, existing = json.loads(sys.argv[2])
body, first = make_secrets.secret({"name": "web", "labels": {"a": "b"}, **request}, existing.get)
values = body.pop("stringData")
assert body == {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "web", "labels": {"a": "b"}}, "type": "Opaque"}, body
print(json.dumps({"values": values, "isFirst": first}))`;
  const words = ['-I', '-c', program, FOLDER, JSON.stringify([request, existing])];
  return JSON.parse(execFileSync('python3', words, { encoding: 'utf8' })) as ReturnType<
    typeof made
  >;
}

/** What the program does with a copy where `existing` is, and the Secret there after that. */
function copied(existing?: object): { readonly result: unknown; readonly after: unknown } {
  const program = `import base64, json, sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import make_secrets
class Api:
    namespace = "nodes"
    there = json.loads(sys.argv[2])
    def create(self, body):
        self.there = self.there or body
        return self.there is body
    def object(self, name): return self.there
    def replace(self, body): self.there = body
api = Api()
body = {"metadata": {"name": "web", "labels": {make_secrets.PART_OF: "site"}}, "stringData": {"password": "new"}}
try: result = make_secrets.copy(body, api)
except SystemExit as error: result = str(error)
print(json.dumps({"result": result, "after": api.there.get("stringData", api.there.get("data"))}))`;
  const words = ['-I', '-c', program, FOLDER, JSON.stringify(existing ?? null)];
  return JSON.parse(execFileSync('python3', words, { encoding: 'utf8' })) as ReturnType<
    typeof copied
  >;
}

const FERNET = { keys: { 0: 'fernet-key', 1: 'fernet-key' } };
const after = (names: readonly string[], keep = 3): object => ({
  ...FERNET,
  previous: { names, keep },
});

describe('a generated Secret', () => {
  it('has passwords of 32 letters and digits, each time others', () => {
    const [first, second] = [
      made({ keys: { password: 'password' } }),
      made({ keys: { password: 'password' } }),
    ];
    expect(first.values['password']).toMatch(/^[A-Za-z0-9]{32}$/);
    expect(second.values['password']).not.toBe(first.values['password']);
  });

  it('has Fernet keys of 32 bytes in URL-safe base64', () => {
    const { values, isFirst } = made(FERNET);
    expect(Object.keys(values)).toEqual(['0', '1']);
    for (const value of Object.values(values)) {
      expect(value).toMatch(/^[A-Za-z0-9_-]{43}=$/);
    }
    expect(isFirst).toBe(false);
  });
});

describe('Fernet keys of the next generation', () => {
  it('makes the staged key the primary one and stages a new one', () => {
    const { values } = made(after(['web-1']), { 'web-1': { 0: 'staged', 1: 'primary' } });
    expect(values).toEqual({ 0: expect.stringMatching(/^.{44}$/), 1: 'primary', 2: 'staged' });
  });

  it('deletes the oldest keys beyond the number to keep', () => {
    const { values } = made(after(['web-1']), {
      'web-1': { 0: 'staged', 2: 'older', 10: 'primary' },
    });
    expect(values).toEqual({ 0: expect.any(String), 10: 'primary', 11: 'staged' });
  });

  it('continues from the newest existing generation', () => {
    const { values } = made(after(['web-3', 'web-2', 'web-1']), {
      'web-1': { 0: 'a', 1: 'b' },
      'web-2': { 0: 'c', 1: 'd' },
    });
    expect(Object.values(values).slice(1)).toEqual(['d', 'c']);
  });

  it('makes new keys if no generation exists, and reports it', () => {
    const { values, isFirst } = made(after(['web-1']));
    expect(Object.keys(values)).toEqual(['0', '1']);
    expect(isFirst).toBe(true);
  });
});

describe('a copy for pods in another namespace', () => {
  const there = (password: string, site: string): object => ({
    metadata: { labels: { 'app.kubernetes.io/part-of': site } },
    data: { password: Buffer.from(password).toString('base64') },
  });

  it.each([
    ['is created', undefined, true, { password: 'new' }],
    ['stays if its values are the same', there('new', 'site'), false, { password: 'bmV3' }],
    ['is replaced if its values are others', there('old', 'site'), true, { password: 'new' }],
    [
      'is refused if another owner has a Secret of this name',
      there('old', 'other'),
      'the Secret web in the namespace nodes does not belong to site: delete it, or set another nodeNamespace',
      { password: 'b2xk' },
    ],
  ])('%s', (_, existing, result, after) => {
    expect(copied(existing)).toEqual({ result, after });
  });
});
