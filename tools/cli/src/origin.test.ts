import { expect, it } from 'vitest';
import type { Project } from './compose.ts';
import { chooseOrigin } from './origin.ts';

it('goes on where the answer cannot be kept, since a command that only reads needs no more', async () => {
  const said: string[] = [];
  // No user may make a folder there.
  const project = { settings: {}, paths: { origin: '/sys/ccp/origin.json' }, workspace: { images: [] } } as unknown as Project;
  expect(await chooseOrigin(project, (text) => said.push(text))).toBe('git');
  expect(said).toEqual(['sources: git hosts answer, so commits are taken from git (not kept, since /sys/ccp/origin.json cannot be written; "origin" in .ccp.yaml overrides it)']);
});
