import { describe, expect, it } from 'vitest';
import { buildFailure } from './build-failure.ts';

const call = { engine: 'unix:///e.sock', doing: 'build x:1' };
const step = { name: '[2/2] RUN make', error: '', lines: ['cc a.c', 'error'] };

describe('buildFailure', () => {
  it.each([
    [
      'executor failed running [/bin/sh -c make]: exit code: 2',
      'build-failed',
      'cannot build x:1: step "[2/2] RUN make" failed with exit code 2; its last lines:\n  cc a.c\n  error',
    ],
    [
      'process "/bin/sh -c make" did not complete successfully: exit code: 137',
      'build-failed',
      'cannot build x:1: step "[2/2] RUN make" failed with exit code 137; its last lines:\n  cc a.c\n  error',
    ],
    [
      'failed to solve with frontend dockerfile.v0: failed to create LLB definition: dockerfile parse error line 2: unknown instruction: COPPY',
      'build-invalid',
      'cannot build x:1: dockerfile parse error line 2: unknown instruction: COPPY',
    ],
    [
      'failed to compute cache key: "/nothing" not found: not found',
      'build-invalid',
      'cannot build x:1: "/nothing" not found: not found',
    ],
    [
      'failed to copy: write /data/x: no space left on device',
      'engine-disk-full',
      'cannot build x:1: the disk of the engine unix:///e.sock is full (failed to copy: write /data/x: no space left on device)',
    ],
    [
      'failed to do request: Head "http://127.0.0.1:1/v2/": dial tcp 127.0.0.1:1: connect: connection refused',
      'engine-failed',
      'cannot build x:1: the engine unix:///e.sock failed: failed to do request: Head "http://127.0.0.1:1/v2/": dial tcp 127.0.0.1:1: connect: connection refused',
    ],
    [
      'context canceled',
      'engine-failed',
      'cannot build x:1: the engine unix:///e.sock failed: context canceled',
    ],
    [
      `failed to get layer sha256:${'0'.repeat(64)}: layer does not exist`,
      'engine-layer-lost',
      `cannot build x:1: the engine unix:///e.sock lost a cached layer: failed to get layer sha256:${'0'.repeat(64)}: layer does not exist`,
    ],
    [
      'something else',
      'build-failed',
      'cannot build x:1: step "[2/2] RUN make" failed: something else; its last lines:\n  cc a.c\n  error',
    ],
  ])('reads %j', (message, code, text) => {
    const error = buildFailure(message, step, call);
    expect([error.code, error.message]).toEqual([code, text]);
  });

  it.each([
    ['unix:///run/ccp-engine/0123/docker.sock', '`ccp clean --build-cache`'],
    ['unix:///var/run/docker.sock', '`docker -H unix:///var/run/docker.sock system prune`'],
  ])('names the command that frees disk space of %s', (engine, command) => {
    expect(buildFailure('no space left on device', step, { ...call, engine }).hint).toBe(
      `free space with ${command}, or give the engine a larger disk`,
    );
  });

  it('has a hint if the step reported a full disk', () => {
    const error = buildFailure(
      'exit code: 1',
      { ...step, lines: ['tar: write error: No space left on device'] },
      call,
    );
    expect([error.code, error.hint]).toEqual([
      'build-failed',
      'free disk space on the engine, or write less to the tmpfs mounts of the step',
    ]);
  });

  it('shortens the name of a long step', () => {
    const error = buildFailure(
      'exit code: 1',
      { name: `RUN ${'x'.repeat(300)}`, error: '', lines: [] },
      call,
    );
    expect(error.message).toBe(
      `cannot build x:1: step "RUN ${'x'.repeat(196)}…" failed with exit code 1`,
    );
  });
});
