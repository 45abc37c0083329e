import { chmodSync, mkdirSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { moduleSum, toolchainModule, toolchainProgram } from './go-toolchain.ts';

const MODULE = toolchainModule('1.26.8');
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ccp-go-'));
  for (const path of ['bin/go', 'pkg/tool/linux_amd64/compile', 'src/a.go', 'bin.txt']) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), path, { mode: 0o644 });
  }
});

it('returns the module of a toolchain', () => {
  expect([MODULE, toolchainModule('1.26.8', 'arm64').version]).toEqual([
    { name: 'golang.org/toolchain', version: 'v0.0.1-go1.26.8.linux-amd64' },
    'v0.0.1-go1.26.8.linux-arm64',
  ]);
});

it("hashes a module's files as go.sum does, in the order of their names", () => {
  const sum = moduleSum(folder, `${MODULE.name}@${MODULE.version}`);
  expect(sum).toMatch(/^h1:[A-Za-z0-9+/]{43}=$/);
  expect(moduleSum(folder, 'other@v1')).not.toBe(sum);
});

it('returns the program of an unchanged toolchain, and makes programs executable', () => {
  const sum = moduleSum(folder, `${MODULE.name}@${MODULE.version}`);
  expect(toolchainProgram(folder, MODULE, sum)).toBe(join(folder, 'bin/go'));
  expect(
    ['bin/go', 'pkg/tool/linux_amd64/compile', 'src/a.go'].map((path) =>
      (statSync(join(folder, path)).mode & 0o777).toString(8),
    ),
  ).toEqual(['755', '755', '644']);
  expect(toolchainProgram(folder, MODULE, sum)).toBe(join(folder, 'bin/go'));
});

it('refuses a toolchain with a replaced file, and a folder that others can write to', () => {
  const sum = moduleSum(folder, `${MODULE.name}@${MODULE.version}`);
  writeFileSync(join(folder, 'pkg/tool/linux_amd64/compile'), 'replaced');
  const found = moduleSum(folder, `${MODULE.name}@${MODULE.version}`);
  expect(() => toolchainProgram(folder, MODULE, sum)).toThrow(
    expect.objectContaining({
      code: 'machine-program',
      message: `the Go toolchain in ${folder} was changed after its download: its digest is ${found}, not ${sum}`,
      hint: 'remove that folder; ccp downloads the toolchain again',
    }),
  );
  chmodSync(folder, 0o777);
  expect(() => toolchainProgram(folder, MODULE, found)).toThrow(
    expect.objectContaining({ code: 'machine-rights' }),
  );
});
