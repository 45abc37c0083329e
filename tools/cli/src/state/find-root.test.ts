import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { findRoot } from './find-root.ts';

const folder = mkdtempSync(join(tmpdir(), 'ccp-root-'));
afterAll(() => rmSync(folder, { recursive: true }));
const [tool, site, bare] = [join(folder, 'tool'), join(folder, 'site'), join(folder, 'bare')];
for (const path of [join(tool, 'images'), join(site, 'deep'), bare])
  mkdirSync(path, { recursive: true });
writeFileSync(join(tool, 'images/series.yaml'), '');
writeFileSync(join(site, 'overlay.yaml'), '');

it.each<[string, string | undefined, string, string, string | RegExp]>([
  ['finds the named folder', '../site', bare, tool, site],
  [
    'refuses a named folder that is not a workspace',
    '.',
    bare,
    tool,
    /^\. is not a workspace: it has neither images\/series\.yaml nor overlay\.yaml$/,
  ],
  [
    'escapes a line feed in the name of a missing folder',
    'a\nb',
    bare,
    tool,
    /^the workspace folder a\\nb does not exist$/,
  ],
  ['finds the workspace around the current folder', undefined, join(site, 'deep'), tool, site],
  [
    "does not fall back to the tool's own workspace",
    undefined,
    bare,
    tool,
    /bare is not in a workspace: neither this folder nor a parent has images\/series\.yaml or overlay\.yaml$/,
  ],
  ['falls back to the folder of a tool without images', undefined, bare, bare, bare],
])('%s', (_, named, cwd, own, expected) => {
  if (typeof expected === 'string') expect(findRoot(named, cwd, own)).toBe(expected);
  else expect(() => findRoot(named, cwd, own)).toThrow(expected);
});
