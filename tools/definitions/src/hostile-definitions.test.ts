import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { cpuMs } from '../../../tests/helpers/cpu-ms.ts';
import { CcpError, CcpErrors } from '#core';
import { fuzz, FUZZ_TIMEOUT_MS } from '../../../tests/helpers/fuzz.ts';
import type { Random } from '../../../tests/helpers/random.ts';
import { composeYaml } from './compose-yaml.ts';
import { readAppSpecs } from './deploy/read-app-spec.ts';
import { readSite } from './deploy/read-site.ts';
import type { JsonSchema } from './json-schema.ts';
import { parseYaml } from './parse-yaml.ts';
import { readWorkspace } from './read-workspace.ts';
import { runMemo } from './run-memo.ts';

const MAX = 256 * 1024;

/** How each definition is read, by its place in a workspace. */
const READ: Readonly<Record<string, (root: string) => unknown>> = {
  'images/series.yaml': (root) => readWorkspace(root, runMemo()),
  'images/sample/image.yaml': (root) => readWorkspace(root, runMemo()),
  'images/sample/app.yaml': (root) => readAppSpecs(root),
  'overlay.yaml': (root) => readWorkspace(root, runMemo()),
  'deploy-specs/sample/site.yaml': (root) => readSite(root, 'sample'),
};

function workspace(path: string): { readonly root: string; readonly file: string } {
  const root = mkdtempSync(join(tmpdir(), 'ccp-hostile-'));
  for (const folder of ['images/sample', 'deploy-specs/sample'])
    mkdirSync(join(root, folder), { recursive: true });
  if (path !== 'images/series.yaml')
    cpSync(
      new URL('../../../images/series.yaml', import.meta.url),
      join(root, 'images/series.yaml'),
    );
  mkdirSync(dirname(join(root, path)), { recursive: true });
  return { root, file: join(root, path) };
}

function errorOf(read: () => unknown): string {
  try {
    read();
  } catch (thrown) {
    if (thrown instanceof CcpErrors) return thrown.findings.map(String).join('\n');
    if (thrown instanceof CcpError) return String(thrown);
    throw thrown;
  }
  return 'no error';
}

/** Parts of YAML that are put together at random. */
const PARTS = [
  '[', ']', '{', '}', ',', ': ', '- ', '? ', '"', "'", '\n', '\n  ', '\t', '#', '&a ', '*a', '!t ', '|\n', '>\n ', '---\n', '...\n', '%YAML 1.2\n', 'a', 'b: 1', '<<: ', '__proto__: ', '\\', '\u2028', '\ufeff', '~', '0x1', '.inf', '1e999', '@', '`', '😀',
]; // prettier-ignore

function randomYaml(random: Random): string {
  const length = random.pick([10, 100, 3_000, 40_000]);
  if (random.chance(0.3)) return random.pick(PARTS).repeat(length);
  if (random.chance(0.3)) return (random.pick(PARTS) + random.pick(PARTS)).repeat(length);
  return Array.from({ length }, () => random.pick(PARTS)).join('');
}

describe('a definition', () => {
  it.each(Object.entries(READ))('is refused if it is too large: %s', (path, read) => {
    const { root, file } = workspace(path);
    writeFileSync(file, '['.repeat(4 * 1024 * 1024));
    const start = cpuMs();
    expect(errorOf(() => read(root))).toContain(
      `${path} has 4194304 bytes; a definition can have at most ${MAX}`,
    );
    expect(cpuMs() - start).toBeLessThan(1_000);
  });

  it.each(Object.entries(READ))('is refused if it is a named pipe: %s', (path, read) => {
    const { root, file } = workspace(path);
    rmSync(file, { force: true });
    execFileSync('mkfifo', [file]);
    expect(errorOf(() => read(root))).toMatch(new RegExp(`${path} is not a regular file`));
  });

  it('is parsed quickly for any bytes', () => {
    for (const [before, unit] of [
      ['', ']'],
      ['[', ','],
      ['a: ', '[]'],
      ['', '&a '],
      ['', 'a:\n'],
    ] as const) {
      const text = before + unit.repeat((MAX - 8) / unit.length);
      const start = cpuMs();
      composeYaml(text);
      expect(cpuMs() - start, JSON.stringify(before + unit)).toBeLessThan(3_000);
    }
  });

  it(
    'is read or refused with positions for any text',
    async () => {
      const schema: JsonSchema = { type: 'object', additionalProperties: true };
      await fuzz(100, (random) => {
        try {
          parseYaml(randomYaml(random), 'a.yaml', schema);
        } catch (thrown) {
          if (!(thrown instanceof CcpError)) throw thrown;
          if (thrown.at?.file !== 'a.yaml') throw new Error('no file', { cause: thrown });
        }
      });
      expect(Object.getOwnPropertyNames({})).toEqual([]);
    },
    FUZZ_TIMEOUT_MS,
  );

  it('is checked only by schema patterns that run quickly', () => {
    const folders = ['../schemas', '../../cli/schemas'].map((folder) =>
      fileURLToPath(new URL(folder, import.meta.url)),
    );
    const patterns = new Set(
      folders.flatMap((folder) =>
        readdirSync(folder, { recursive: true, encoding: 'utf8' })
          .filter((name) => name.endsWith('.json'))
          .flatMap((name) =>
            [
              ...readFileSync(join(folder, name), 'utf8').matchAll(
                /"pattern": ("(?:[^"\\]|\\.)*")/g,
              ),
            ].map(([, text]) => JSON.parse(text!) as string),
          ),
      ),
    );
    expect(patterns.size).toBeGreaterThan(30);
    for (const pattern of patterns)
      for (const unit of [
        'a',
        'a-',
        '-',
        '.',
        'a.',
        '/',
        '/a',
        '0',
        '0.',
        'a:',
        'https://a',
        ' ',
        'A_',
        '@a',
        '+a',
        'a/a:',
      ])
        for (const end of ['', '!', '\n']) {
          const start = cpuMs();
          new RegExp(pattern, 'u').test(unit.repeat(30_000 / unit.length) + end);
          expect(cpuMs() - start, `${pattern} on ${unit}…${end}`).toBeLessThan(1_000);
        }
  });
});
