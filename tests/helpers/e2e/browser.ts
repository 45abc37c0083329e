import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';

/**
 * Starts headless Chromium (Debian's package) in the network of a container. Writes a small program
 * to `folder`. Needs root.
 */
export async function openBrowser(containerId: string, folder: string): Promise<Browser> {
  const { chromium } = await import('playwright-core');
  const program = join(folder, 'chromium');
  writeFileSync(
    program,
    `#!/bin/sh\nexec nsenter --net=/proc/${processOf(containerId)}/ns/net chromium "$@"\n`,
    { mode: 0o755 },
  );
  return chromium.launch({ executablePath: program, args: ['--no-sandbox', '--disable-gpu'] });
}

/** Process id of a container, found by the names of control groups. */
function processOf(containerId: string): string {
  const found = readdirSync('/proc').find(
    (pid) => /^\d+$/.test(pid) && controlGroups(pid).includes(containerId),
  );
  if (found === undefined)
    throw new Error(`no process of the container ${containerId} is to be seen here`);
  return found;
}

function controlGroups(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cgroup`, 'utf8');
  } catch {
    return '';
  }
}
