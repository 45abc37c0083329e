import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export const SERIES_YAML = `series:
  "2026.1": { codename: gazpacho, suite: trixie, python: "3.13", constraints: _shared/2026.1.txt }
  master: { codename: hibiscus, suite: trixie, python: "3.13" }
`;

export const writtenRoots: string[] = [];

export function writeWorkspace(files: Readonly<Record<string, string | Uint8Array>>): string {
  const root = mkdtempSync(join(tmpdir(), 'ccp-definitions-'));
  writtenRoots.push(root);
  for (const [path, content] of Object.entries({
    'series.yaml': SERIES_YAML,
    '_shared/2026.1.txt': '',
    ...files,
  })) {
    const file = join(root, 'images', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  return root;
}
