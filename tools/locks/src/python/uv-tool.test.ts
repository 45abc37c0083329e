import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import type { PythonIndexClient } from './index-client.ts';
import { uvProgram } from './uv-tool.ts';

// An index without uv: a program that is not the pinned one is requested from it.
const index = { files: () => Promise.resolve([]) } as unknown as PythonIndexClient;
let cache: string;
beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), 'ccp-uv-'));
  mkdirSync(join(cache, 'uv/0.13.8'), { recursive: true });
});

it('does not run a program that is not the pinned uv', async () => {
  writeFileSync(join(cache, 'uv/0.13.8/uv'), '#!/bin/sh\ntouch /tmp/run\n', { mode: 0o755 });
  await expect(uvProgram(index, cache)).rejects.toMatchObject({
    code: 'tool-missing',
    message:
      'the Python index has no wheel of uv 0.13.8 with SHA-256 e18a57b8b352eb7c8feb317b9f6f533c8f0ad9673fd6cf34bbe3cf1a9f6a8984',
  });
});

it('refuses a folder that other users can write', async () => {
  chmodSync(join(cache, 'uv'), 0o777);
  await expect(uvProgram(index, cache)).rejects.toMatchObject({
    code: 'machine-rights',
    message: `the folder of programs ${cache}/uv/0.13.8 is not used, because other users could have replaced it: ${cache}/uv can be written by everyone (mode 777)`,
  });
});
