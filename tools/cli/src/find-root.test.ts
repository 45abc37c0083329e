import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { findRoot } from './find-root.ts';

const folder = mkdtempSync(join(tmpdir(), 'ccp-root-'));
afterAll(() => rmSync(folder, { recursive: true }));
const [tool, site, bare] = [join(folder, 'tool'), join(folder, 'site'), join(folder, 'bare')];
for (const path of [join(tool, 'images'), join(site, 'deep'), bare]) mkdirSync(path, { recursive: true });
writeFileSync(join(tool, 'images/series.yaml'), '');
writeFileSync(join(site, 'overlay.yaml'), '');

it.each<[string, string | undefined, string, string, string | RegExp]>([
  ['the named folder', '../site', bare, tool, site],
  ['a named folder that is none', '.', bare, tool, /^\. is not a workspace: it has neither images\/series\.yaml nor overlay\.yaml$/],
  ['the one around the current folder', undefined, join(site, 'deep'), tool, site],
  [
    "never the tool's own for another folder",
    undefined,
    bare,
    tool,
    /bare is not in a workspace: neither it nor a folder above has images\/series\.yaml or overlay\.yaml$/,
  ],
  ['the folder of a tool that carries no images', undefined, bare, bare, bare],
])('%s', (_, named, cwd, own, expected) => {
  if (typeof expected === 'string') expect(findRoot(named, cwd, own)).toBe(expected);
  else expect(() => findRoot(named, cwd, own)).toThrow(expected);
});
