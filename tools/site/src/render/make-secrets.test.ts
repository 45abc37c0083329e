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
