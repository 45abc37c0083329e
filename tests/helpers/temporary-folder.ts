import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Creates a temporary folder for the tests of a run, and removes it with all contents at the end.
 */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'ccp-tests-'));
  process.env['TMPDIR'] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
