import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { omitUndefined } from '#core';
import { goProxyPath } from '#formats';
import { writeZip } from '../python/write-zip.ts';
import type { LockedGo } from '../types.ts';
import { openGoTool, type GoTool } from './go-tool.ts';
import { resolveModules } from './resolve-modules.ts';

/** In the group `engine`, since it needs `go`, which fast tests do not need. */
let root: string;
let tool: GoTool;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'ccp-go-'));
  vi.stubEnv('GOSUMDB', 'off');
  publish('x.test/Tool', 'v1.0.0', 'require x.test/lib v1.0.0\n', 'import _ "x.test/lib"\n');
  publish(
    'x.test/Tool',
    'v1.1.0',
    'require (\n\tx.test/lib v1.1.0\n\tx.test/unused v1.0.0\n)\n',
    'import _ "x.test/lib"\n',
  );
  publish('x.test/lib', 'v1.0.0', '', '');
  publish('x.test/lib', 'v1.1.0', '', '');
  publish('x.test/unused', 'v1.0.0', '', '');
  tool = openGoTool('go', { proxies: [`file://${root}/proxy`], cache: join(root, 'cache') });
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true, force: true });
});

/** A module with one package, which is a program if its name is `Tool`. */
function publish(name: string, version: string, requirements: string, imports: string): void {
  const mod = `module ${name}\n\ngo 1.17\n\n${requirements}`;
  const source = name.endsWith('Tool')
    ? `package main\n\n${imports}\nfunc main() {}\n`
    : 'package lib\n';
  const files = {
    zip: writeZip({ [`${name}@${version}/go.mod`]: mod, [`${name}@${version}/a.go`]: source }),
    mod,
    info: JSON.stringify({ Version: version }),
  };
  for (const [kind, content] of Object.entries(files)) {
    const path = join(root, 'proxy', goProxyPath({ name, version, kind: kind as 'zip' }));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  writeFileSync(
    join(dirname(join(root, 'proxy', goProxyPath({ name, version, kind: 'zip' }))), 'list'),
    name.endsWith('Tool') ? 'v1.0.0\nv1.1.0\n' : '',
  );
}

async function resolve(module: string, keep?: LockedGo): Promise<LockedGo> {
  const definition = { modules: [module], programs: { tool: 'x.test/Tool' }, packages: [] };
  return resolveModules(tool, {
    title: 'sample',
    definition,
    scratch: root,
    ...omitUndefined({ keep }),
  });
}

const names = ({ files }: LockedGo): string[] =>
  files.map(({ name, version, kind }) => `${name} ${version} ${kind}`);

it('locks the modules that a build reads, not those only listed in a go.mod', async () => {
  const locked = await resolve('x.test/Tool@v1.1.0');
  expect(names(locked).filter((line) => line.endsWith('zip'))).toEqual([
    'x.test/Tool v1.1.0 zip',
    'x.test/lib v1.1.0 zip',
  ]);
  expect(locked.requires).toEqual({ 'x.test/Tool': 'v1.1.0' });
  const mod = locked.files.find(({ name, kind }) => name === 'x.test/lib' && kind === 'mod')!;
  const text = 'module x.test/lib\n\ngo 1.17\n\n';
  expect([mod.sha256, mod.size]).toEqual([
    createHash('sha256').update(text).digest('hex'),
    text.length,
  ]);
  expect(mod.sum).toBe(
    `h1:${createHash('sha256').update(`${mod.sha256}  go.mod\n`).digest('base64')}`,
  );
});

it('keeps a locked version that matches the definition, and updates it otherwise', async () => {
  const kept = await resolve('x.test/Tool@v1.0.0');
  expect((await resolve('x.test/Tool@v1', kept)).requires).toEqual({ 'x.test/Tool': 'v1.0.0' });
  expect((await resolve('x.test/Tool@v1')).requires).toEqual({ 'x.test/Tool': 'v1.1.0' });
  expect((await resolve('x.test/Tool@v1.1', kept)).requires).toEqual({ 'x.test/Tool': 'v1.1.0' });
});

it('reports the message of Go for a module that no proxy has', async () => {
  await expect(resolve('x.test/absent@v1.0.0')).rejects.toMatchObject({
    code: 'go-unresolvable',
    message: expect.stringContaining('x.test/absent'),
  });
});
