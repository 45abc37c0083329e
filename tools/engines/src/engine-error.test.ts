import { expect, it } from 'vitest';
import { unreachableError } from './engine-error.ts';

it.each([
  ['unix:///run/ccp-engine/0123/docker.sock', 'run the command again, which starts the private engine anew'],
  ['unix:///var/run/docker.sock', 'start the engine, or name another one: --engine, `engines` in .ccp.yaml, or DOCKER_HOST'],
])('says what to do where %s no longer answers', (engine, hint) => {
  expect(unreachableError(engine, new Error('connect ENOENT')).hint).toBe(hint);
});
