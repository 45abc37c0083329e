import { expect, it } from 'vitest';
import { unreachableError } from './engine-error.ts';

it.each([
  [
    'unix:///run/ccp-engine/0123/docker.sock',
    'run the command again: it starts the private engine',
  ],
  [
    'unix:///var/run/docker.sock',
    'start the engine, or use another one: --engine, `engines` in .ccp.yaml, or DOCKER_HOST',
  ],
])('has a hint for the unreachable engine %s', (engine, hint) => {
  expect(unreachableError(engine, new Error('connect ENOENT')).hint).toBe(hint);
});
