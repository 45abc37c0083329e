import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REPOSITORY } from './ccp.ts';

/**
 * A copy of tests/fixtures/overlay over this repository in a new folder, which the caller removes.
 */
export function overlaySite(): string {
  const site = mkdtempSync(join(tmpdir(), 'ccp-site-'));
  cpSync(join(REPOSITORY, 'tests/fixtures/overlay'), site, { recursive: true });
  writeFileSync(
    join(site, 'overlay.yaml'),
    readFileSync(join(site, 'overlay.yaml'), 'utf8').replace(/^base: .*$/m, `base: ${REPOSITORY}`),
  );
  writeFileSync(join(site, '.ccp.yaml'), 'origin: archive\n');
  return site;
}
