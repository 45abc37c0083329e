import { afterEach, expect, it, vi } from 'vitest';
import { chooseOrigin } from './origin.ts';
import type { Project } from './project.ts';

afterEach(() => vi.unstubAllEnvs());

/** Its state folder cannot be created by any user. */
const projectOf = (repositories: readonly string[]) =>
  ({
    settings: {},
    paths: { origin: '/sys/ccp/origin.json' },
    workspace: {
      images: [
        {
          sources: Object.fromEntries(
            repositories.map((repository) => [repository, { repository }]),
          ),
        },
      ],
    },
  }) as unknown as Project;

it('continues if the answer cannot be stored, for commands that only read', async () => {
  const printed: string[] = [];
  const project = projectOf([]);
  expect(await chooseOrigin(project, (text) => printed.push(text))).toBe('git');
  expect(printed).toEqual([
    'sources: git hosts respond, so sources are fetched from git (not kept, since /sys/ccp/origin.json cannot be written; "origin" in .ccp.yaml overrides it)',
  ]);
});

it('stores no answer with an invalid proxy', async () => {
  vi.stubEnv('http_proxy', 'http://');
  await expect(
    chooseOrigin(projectOf(['https://git.test/a']), () => undefined),
  ).rejects.toMatchObject({
    code: 'proxy-invalid',
    message: 'http_proxy is not a URL',
  });
});
