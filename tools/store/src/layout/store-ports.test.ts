import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { unservedAddresses, forgetAddresses, recordAddress, openStore } from '../index.ts';

const root = mkdtempSync(join(tmpdir(), 'ccp-store-ports-'));
afterAll(() => rmSync(root, { recursive: true }));

describe('the port of a store', () => {
  it('is reused by the next run, and is listed as dead if nothing listens on it', async () => {
    const own = join(root, 'ports');
    const addressOf = async (): Promise<string> => {
      const opened = await openStore({ folder: own });
      await opened.close();
      return opened.address;
    };
    const first = await addressOf();
    expect(await addressOf()).toBe(first);
    const taken = createServer().listen(Number(first.split(':')[1]), '127.0.0.1');
    await once(taken, 'listening');
    const second = await addressOf();
    expect([second === first, await unservedAddresses(own)]).toEqual([false, [second]]);
    await new Promise((resolve) => taken.close(resolve));
    expect(await unservedAddresses(own)).toEqual([second, first]);
    recordAddress(own, '127.0.0.1:1025');
    expect(await unservedAddresses(own)).toEqual([second, '127.0.0.1:1025', first]);
    forgetAddresses(own, ['127.0.0.1:1025', first]);
    expect(await unservedAddresses(own)).toEqual([second]);
  });

  it('stays recorded while other readers add and remove theirs at the same time', async () => {
    const folder = join(root, 'read');
    const noted = ['1025', '1026', '1027', '1028'];
    const source = JSON.stringify(fileURLToPath(new URL('./store-ports.ts', import.meta.url)));
    const reader = (port: string): string =>
      `import { forgetAddresses, recordAddress } from ${source};
      for (let turn = 0; turn < 200; turn += 1) { recordAddress(${JSON.stringify(folder)}, ':${port}'); forgetAddresses(${JSON.stringify(folder)}, [':${port}']); }
      recordAddress(${JSON.stringify(folder)}, ':${port}');`;
    await Promise.all(
      noted.map((port) =>
        promisify(execFile)(process.execPath, ['--input-type=module', '-e', reader(port)]),
      ),
    );
    expect(
      (await unservedAddresses(folder)).map((address) => address.split(':')[1]).sort(),
    ).toEqual(noted);
  });
});
