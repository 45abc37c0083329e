import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FOLDER, LIST, readList, sourceFile, type BundleList } from '../../ci/bundle-list.ts';
import { REPOSITORY } from '../helpers/ccp.ts';

// A clone with one source, and the launcher's files.
let root: string;

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function start(env: Readonly<Record<string, string>> = {}, ...args: readonly string[]): string {
  const { NODE_OPTIONS: _, NODE_V8_COVERAGE: __, ...inherited } = process.env;
  return execFileSync(
    process.execPath,
    [join(root, 'ci/start.ts'), ...(args.length > 0 ? args : ['argument'])],
    {
      env: { ...inherited, ...env },
      encoding: 'utf8',
    },
  );
}

const MAIN = 'tools/cli/src/main.ts';

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'ccp-bundle-')));
  mkdirSync(join(root, 'ci'));
  for (const name of ['start.ts', 'bundle-list.ts', 'make-bundle.ts', 'plain-builtins.ts'])
    copyFileSync(join(REPOSITORY, 'ci', name), join(root, 'ci', name));
  write('package.json', '{"type":"module","imports":{"#text":"./tools/cli/src/text.ts"}}');
  write('package-lock.json', '{}');
  write('tools/cli/src/text.ts', 'export const text: string = "text";');
  write(MAIN, 'console.log("source", process.argv[2]);');
});
afterEach(() => rmSync(root, { recursive: true }));

describe('the start of ccp', () => {
  /** Records a bundle that differs from the source, so that its use can be seen. */
  function record(change: Partial<BundleList> = {}): void {
    write(`${FOLDER}/one/main.mjs`, 'console.log("bundle", process.argv[2]);');
    const files = [MAIN, 'package.json'].map((path) => sourceFile(root, path)!);
    write(`${FOLDER}/${LIST}`, JSON.stringify({ root, name: 'one', files, ...change }));
  }

  it('uses the bundle of unchanged sources', () => {
    record();
    expect(start()).toBe('bundle argument\n');
  });

  it('uses the sources if there is no bundle, or one of another clone', () => {
    expect(start()).toBe('source argument\n');
    record({ root: '/other' });
    expect(start()).toBe('source argument\n');
    write(`${FOLDER}/${LIST}`, '{');
    expect(start()).toBe('source argument\n');
  });

  it('uses the sources after a change that keeps size and modification time', () => {
    record();
    const [, , mtimeMs] = sourceFile(root, MAIN)!;
    write(MAIN, 'console.log("edited", process.argv[2]);');
    execFileSync('touch', ['-d', `@${mtimeMs / 1000}`, join(root, MAIN)]);
    expect(start()).toBe('edited argument\n');
  });

  it('uses the sources after a source was removed', () => {
    write('tools/cli/src/gone.ts', '');
    const gone = sourceFile(root, 'tools/cli/src/gone.ts')!;
    record({ files: [gone] });
    rmSync(join(root, 'tools/cli/src/gone.ts'));
    expect(start()).toBe('source argument\n');
  });

  it('uses the sources with options of Node, such as a debugger', () => {
    record();
    expect(start({ NODE_OPTIONS: '--no-warnings' })).toBe('source argument\n');
  });

  it('uses the sources if they could not be bundled', () => {
    record({ name: '' });
    expect(start()).toBe('source argument\n');
  });
});

describe('make-bundle', () => {
  const make = (): void =>
    void execFileSync(process.execPath, [join(REPOSITORY, 'ci/make-bundle.ts'), root]);
  /** Sources that changed in the last second may change while they are read. */
  const settle = (): Promise<void> => delay(1100);

  it('bundles the sources with the places that they know of themselves', async () => {
    write(
      MAIN,
      'import { text } from "#text"; console.log(text, import.meta.url, import.meta.dirname);\nconsole.log((await import("./later.ts")).later);',
    );
    write('tools/cli/src/later.ts', 'export const later = process.argv[2];');
    await settle();
    make();
    const list = readList(root)!;
    expect(list.files.map(([path]) => path)).toEqual([
      'ci/make-bundle.ts',
      'ci/plain-builtins.ts',
      'package-lock.json',
      'package.json',
      'tools/cli/src/later.ts',
      MAIN,
      'tools/cli/src/text.ts',
    ]);
    expect(existsSync(join(root, FOLDER, list.name, 'main.mjs'))).toBe(true);
    expect(start()).toBe(
      `text file://${join(root, MAIN)} ${join(root, dirname(MAIN))}\nargument\n`,
    );
  });

  it("gets Node's modules without their other exports, and crypto when it is called", async () => {
    write(
      MAIN,
      `import { createHash as hash, X509Certificate } from 'node:crypto';
import { execFile, spawnSync } from 'node:child_process';
import os from 'node:os';
import { homedir } from 'node:os';
import { promisify } from 'node:util';
const { stdout } = await promisify(execFile)('echo', ['run']);
console.log(hash('sha256').update('').digest('hex').slice(0, 4), typeof X509Certificate, stdout.trim());
console.log(spawnSync('echo', ['spawned']).stdout.toString().trim(), os.homedir === homedir);`,
    );
    await settle();
    make();
    const folder = join(root, FOLDER, readList(root)!.name);
    expect(start()).toBe('e3b0 function run\nspawned true\n');
    expect(readFileSync(join(folder, 'main.mjs'), 'utf8')).not.toContain('from "node:');
    write(
      MAIN,
      `import { createHash } from 'node:crypto';
console.log(typeof createHash, process.moduleLoadList.includes('NativeModule crypto'));`,
    );
    await settle();
    make();
    expect(start()).toBe('function false\n');
  });

  it('keeps the bundle before it, which a running command may still load', async () => {
    await settle();
    make();
    const first = readList(root)!.name;
    make();
    const second = readList(root)!.name;
    expect(second).not.toBe(first);
    expect(readdirSync(join(root, FOLDER)).toSorted()).toEqual([first, LIST, second].toSorted());
  });

  it('records sources that cannot be bundled, so that no start tries again', async () => {
    write(MAIN, 'this is no code');
    await settle();
    make();
    expect(readList(root)).toMatchObject({ name: '' });
  });

  it('records nothing if a source has just changed', () => {
    write(MAIN, 'console.log(1);');
    make();
    expect(readList(root)).toBeUndefined();
  });

  it('bundles ccp, with the same help as from the sources', async () => {
    cpSync(join(REPOSITORY, 'tools'), join(root, 'tools'), { recursive: true });
    copyFileSync(join(REPOSITORY, 'package.json'), join(root, 'package.json'));
    mkdirSync(join(root, 'node_modules'));
    for (const name of readdirSync(join(REPOSITORY, 'node_modules')).filter((each) =>
      /^[@\w]/.test(each),
    ))
      symlinkSync(join(REPOSITORY, 'node_modules', name), join(root, 'node_modules', name));
    await settle();
    make();
    expect(readList(root)!.name).not.toBe('');
    const fromBundle = start({}, 'help', '--json');
    expect(fromBundle).toBe(start({ NODE_OPTIONS: '--no-warnings' }, 'help', '--json'));
    expect(JSON.parse(fromBundle)).toMatchObject({ command: 'ccp' });
  });
});
