import { describe, expect, it } from 'vitest';
import { CcpError, imageName, omitUndefined } from '#core';
import { fakeRunner } from '#ports/testing';
import { testImage } from './test-image.ts';
import { listingOf } from './testing/listing-of.ts';
import type { ImageExpectations } from './types.ts';

const LAYERS = [listingOf({ 'bin/program': { elf: true } })];

describe('testImage', () => {
  const expected: ImageExpectations = {
    image: imageName('hello'),
    commands: [{ name: 'runs', run: ['x'], exitCode: 0 }],
    imports: ['hello'],
    importExceptions: {},
    setuid: [],
    allow: [],
    shipped: true,
    versions: { sources: {}, go: {}, python: {}, debian: {} },
    python: true,
    provided: [],
    inputs: [],
  };

  it('starts two containers without network, capabilities or a writable root', async () => {
    const runner = fakeRunner({
      run: ({ user }) => ({
        stdout: user === '0' ? 'end\0-\0' : '0\0\x000\0{"end": true}\0',
      }),
    });
    expect(
      await testImage(expected, {
        reference: 'r@sha256:1',
        runner,
        config: {},
        size: 1,
        layers: LAYERS,
      }),
    ).toMatchObject({ findings: [] });
    expect(runner.specs).toHaveLength(2);
    for (const spec of runner.specs)
      expect(spec).toMatchObject({
        image: 'r@sha256:1',
        network: 'none',
        readOnlyRoot: true,
        capDrop: ['ALL'],
      });
    expect(runner.specs.map(({ user }) => user)).toEqual(['0', undefined]);
  });

  it('starts no container if there is nothing to run', async () => {
    const runner = fakeRunner();
    const image = { ...expected, commands: [], imports: [], python: false };
    const layers = [
      ...LAYERS,
      listingOf({ 'opt/a.deb': {}, 'bin/su': { mode: 0o4755 }, 'etc/passwd': {} }, [
        'hello:x:42:42::/:/bin/sh',
      ]),
    ];
    const user = { name: 'hello', uid: 43, gid: 43, home: '/' };
    const base = { layers: 1, allow: [] };
    const subject = { reference: 'r', runner, config: {}, size: 1, layers, base };
    const { findings } = await testImage({ ...image, user }, subject);
    expect(findings.map(({ message }) => message)).toEqual([
      'the image runs as root instead of 43:43 (hello)',
      '/etc/passwd has hello as 42:42 with home / instead of 43:43 with home /',
      'files are setuid or setgid and not listed under tests.setuid: /bin/su',
      'the image contains installation files of packages: /opt/a.deb',
    ]);
    expect(runner.specs).toEqual([]);
  });

  it('checks the added ELF files of an image on a checked base', async () => {
    const runner = fakeRunner({ run: () => ({ stdout: '/opt/a\0\tlibx => not found\0end\0-\0' }) });
    const layers = [...LAYERS, listingOf({ 'opt/a': { elf: true } })];
    const subject = { reference: 'r', runner, config: {}, size: 1, layers };
    const image = { ...expected, commands: [], imports: [], python: false };
    const checked = async (base?: { readonly layers: number; readonly allow: readonly string[] }) =>
      (await testImage(image, { ...subject, ...omitUndefined({ base }) })).findings;
    expect(await checked({ layers: 1, allow: [] })).toEqual([
      { check: 'libraries', message: '/opt/a needs libx, missing in the image' },
    ]);
    await checked({ layers: 1, allow: ['/bin/program'] });
    await checked();
    expect(runner.specs.map(({ command = [] }) => command.slice(2))).toEqual([
      ['probe', '/opt/a'],
      ['probe', '/bin/program', '/opt/a'],
      ['probe', '/bin/program', '/opt/a'],
    ]);
  });

  it('checks many files in several containers', async () => {
    const runner = fakeRunner({ run: () => ({ stdout: 'end\0-\0' }) });
    const folder = 'x'.repeat(240);
    const layers = [
      listingOf(
        Object.fromEntries(
          Array.from({ length: 6000 }, (_, index) => [`${folder}/${index}`, { elf: true }]),
        ),
      ),
    ];
    const image = { ...expected, commands: [], imports: [], python: false };
    await testImage(image, { reference: 'r', runner, config: {}, size: 1, layers });
    expect(runner.specs.map(({ command = [] }) => command.length - 3)).toEqual([4116, 1884]);
  });

  it('reports containers that exit early', async () => {
    const runner = fakeRunner({
      run: () => ({ exitCode: 127, stderr: 'sh: timeout: not found\n' }),
    });
    expect(
      (
        await testImage(expected, { reference: 'r', runner, config: {}, size: 1, layers: LAYERS })
      ).findings.map(({ message }) => message),
    ).toEqual([
      'the container of the library checks exited early with code 127; its last output is "sh: timeout: not found"',
      'the container of the command checks exited early with code 127; its last output is "sh: timeout: not found"',
    ]);
  });

  it("throws the runner's errors", async () => {
    const runner = fakeRunner({
      run: () => {
        throw new CcpError({ code: 'engine-unreachable', message: 'connection lost' });
      },
    });
    await expect(
      testImage(expected, { reference: 'r', runner, config: {}, size: 1, layers: LAYERS }),
    ).rejects.toThrow('connection lost');
  });
});
