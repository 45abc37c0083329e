import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Gives the tests of one run a temporary folder of their own, and removes it with all they left there when the run ends. */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'ccp-tests-'));
  process.env['TMPDIR'] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
