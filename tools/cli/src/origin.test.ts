import { afterEach, expect, it, vi } from 'vitest';
import type { Project } from './compose.ts';
import { chooseOrigin } from './origin.ts';

afterEach(() => vi.unstubAllEnvs());

/** Its state is where no user may make a folder. */
const projectOf = (repositories: readonly string[]) =>
  ({
    settings: {},
    paths: { origin: '/sys/ccp/origin.json' },
    workspace: { images: [{ sources: Object.fromEntries(repositories.map((repository) => [repository, { repository }])) }] },
  }) as unknown as Project;

it('goes on where the answer cannot be kept, since a command that only reads needs no more', async () => {
  const said: string[] = [];
  const project = projectOf([]);
  expect(await chooseOrigin(project, (text) => said.push(text))).toBe('git');
  expect(said).toEqual([
    'sources: git hosts answer, so commits are taken from git (not kept, since /sys/ccp/origin.json cannot be written; "origin" in .ccp.yaml overrides it)',
  ]);
});

it('keeps no answer that a mistyped proxy would give', async () => {
  vi.stubEnv('http_proxy', 'http://');
  await expect(chooseOrigin(projectOf(['https://git.test/a']), () => undefined)).rejects.toMatchObject({
    code: 'proxy-invalid',
    message: 'http_proxy is not a URL',
  });
});
