import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach } from 'vitest';

/** The image definition in the base of `overlayFolders`, in addition to the image `base`. */
export const SERVICE = `title: Service
description: A service.
root: a test
parents: { base: base }
sources: { service: { repository: "https://git.example/service", refs: { "2026.1": 1.0.0 } } }
debian: { runtime: { on: base, packages: [adduser] } }
python: { project: service, packages: [one] }
labels: { org.example.team: a }
budget: 90MB
`;
const BASE: Readonly<Record<string, string>> = {
  'base/images/series.yaml':
    'series:\n  "2026.1": { codename: gazpacho, suite: trixie, python: "3.13" }\n',
  'base/images/base/image.yaml': 'title: Base\ndescription: A base.\nroot: a test\n',
  'base/images/service/image.yaml': SERVICE,
  'site/overlay.yaml': 'base: ../base\n',
};

/** Folders of workspaces, removed after each test of the file that asks for them. */
export function overlayFolders() {
  const folders: string[] = [];
  const folder = (): string => {
    const made = mkdtempSync(join(tmpdir(), 'ccp-overlay-'));
    folders.push(made);
    return made;
  };
  afterEach(() => {
    for (const made of folders.splice(0)) rmSync(made, { recursive: true });
  });
  return {
    folder,
    /**
     * Folders `base` and `site` with these files over those of every test; gives the path of the
     * latter.
     */
    write: (files: Readonly<Record<string, string>> = {}): string => {
      const above = folder();
      for (const [path, content] of Object.entries({ ...BASE, ...files })) {
        mkdirSync(dirname(join(above, path)), { recursive: true });
        writeFileSync(join(above, path), content);
      }
      return join(above, 'site');
    },
  };
}
