import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { CcpError } from '#core';
import { checkRef, checkUrl } from '../../tools/fetch/src/git/check-source.ts';
import { fuzz, FUZZ_TIMEOUT_MS } from '../helpers/fuzz.ts';
import type { Random } from '../helpers/random.ts';

/** Parts of URLs and of names of branches that programs read in several ways. */
const PARTS = [
  'https://', 'http://', 'ssh://', 'file://', 'ext::', 'fd::', 'git://', '--upload-pack=', '-o', '-', 'git.test', '127.0.0.1', 'localhost', '[::1]', '@', 'user', ':', ':22', '//', '/', '/../', '..', '.', '.lock', '@{', '^', '~', '~1', '*', '?', '[', '\\', ' ', '\t', '\n', '\r', '\0', '\u001b[2J', '\u202e', 'é', '😀', '%00', '%2e%2e', '$(id)', '`id`', ';id', '|id', "'", '"', '#', '&', 'refs/heads/', 'HEAD', 'main', '1.0', 'a'.repeat(300),
]; // prettier-ignore

const hostile = (random: Random): string =>
  (random.chance(0.5) ? random.pick(PARTS.slice(0, 4)) : '') +
  Array.from({ length: 1 + random.int(6) }, () => random.pick(PARTS)).join('');

/** The result of a check; an error must be one line that a terminal shows as it is. */
function checked<T>(check: (text: string) => T, text: string): T | undefined {
  try {
    return check(text);
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(CcpError);
    const { code, message, hint } = thrown as CcpError;
    expect(code).toBe('source-invalid');
    expect(`${message} ${hint}`).not.toMatch(/[\u0000-\u001f\u007f\u202a-\u202e]/);
    return undefined;
  }
}

it(
  'passes no URL to git that git could read as an option, a program or another host',
  async () => {
    let taken = 0;
    await fuzz(1000, (random) => {
      const text = hostile(random);
      const url = checked(checkUrl, text);
      if (url === undefined) return;
      taken += 1;
      expect(text).toMatch(/^(?:https|ssh|file|http):\/\/[^-\s]/);
      expect(url.password).toBe('');
      if (url.protocol === 'http:') expect(url.hostname).toMatch(/^(?:127\.|localhost$|\[::1\]$)/);
      if (url.protocol === 'file:') expect(url.hostname).toBe('');
    });
    expect(taken).toBeGreaterThan(10);
  },
  FUZZ_TIMEOUT_MS,
);

it(
  'passes no ref to git that is not the name of a branch or tag',
  async () => {
    const taken = new Set<string>();
    await fuzz(1000, (random) => {
      const text = random.chance(0.5)
        ? `${random.pick(['main', '1.0', 'a'])}${hostile(random)}`
        : hostile(random);
      if (checked(checkRef, text) !== undefined && taken.size < 100) taken.add(text);
    });
    expect(taken.size).toBeGreaterThan(10);
    for (const ref of taken) {
      expect(ref).toMatch(/^[^-\s]\S*$/);
      const { status } = spawnSync('git', ['check-ref-format', `refs/heads/${ref}`]);
      expect([ref, status]).toEqual([ref, 0]);
    }
  },
  FUZZ_TIMEOUT_MS,
);
