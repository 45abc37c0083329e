import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { parsePlace } from '#release';
import { build } from '../commands/build.ts';
import { movedBy, signerOfFlags } from './registry-place.ts';

describe('movedBy', () => {
  const unknown = (): string => {
    throw new Error('uv_os_get_passwd returned ENOENT');
  };

  it('names a user without an entry in the list of users', () => {
    expect(movedBy(() => 'ann', { USER: 'ci' })).toBe(`ann@${hostname()}`);
    expect(movedBy(unknown, { USER: 'ci' })).toBe(`ci@${hostname()}`);
    expect(movedBy(unknown, {})).toBe(`uid-${process.getuid!()}@${hostname()}`);
  });
});

describe('flags', () => {
  it.each([
    [{ passphraseFile: 'secret' }, '--passphrase-file cannot be used without --key'],
    [{ passphraseCommand: 'pass' }, '--passphrase-command cannot be used without --key'],
  ])('refuses %j', (flags, message) => {
    expect(() => signerOfFlags(flags)).toThrow(expect.objectContaining({ code: 'usage', message }));
  });

  it.each(['rebuild', 'offline'] as const)('refuses --%s with --from', async (flag) => {
    const flags = { cache: true, from: 'registry.test/ccp', [flag]: true };
    await expect(build.run({} as never, [], flags)).rejects.toMatchObject({
      code: 'usage',
      message: `--${flag} cannot be used with --from`,
    });
  });
});

it.each([
  ['localhost:5000/ccp', {}],
  ['http://localhost:5000/ccp', { plainHttp: true }],
  ['https://localhost:5000/ccp', { plainHttp: false }],
])('reads the scheme of %s', (text, scheme) => {
  expect(parsePlace(text)).toEqual({ host: 'localhost:5000', prefix: 'ccp', ...scheme });
});
