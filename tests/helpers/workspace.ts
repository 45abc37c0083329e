import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { REPOSITORY } from './ccp.ts';

/** A workspace in a temporary folder. */
export interface TestWorkspace {
  readonly root: string;
  write(path: string, text: string, mode?: number): void;
  /** Copies a file or folder of the repository to the same place. */
  take(...paths: readonly string[]): void;
  remove(): void;
}

/** An empty workspace of one series; `origin` avoids the network request for the default. */
export function testWorkspace(origin: 'git' | 'archive' = 'archive'): TestWorkspace {
  const root = mkdtempSync(join(tmpdir(), 'ccp-workspace-'));
  const write = (path: string, text: string, mode = 0o644): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text, { mode });
  };
  write(
    'images/series.yaml',
    'series:\n  "2026.1":\n    codename: gazpacho\n    suite: trixie\n    python: "3.13"\n',
  );
  write('.ccp.yaml', `origin: ${origin}\n`);
  return {
    root,
    write,
    take: (...paths) => {
      for (const path of paths)
        cpSync(join(REPOSITORY, path), join(root, path), { recursive: true });
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
