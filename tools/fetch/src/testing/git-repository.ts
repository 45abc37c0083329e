import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { answerByGit } from './git-backend.ts';

/** A git repository in a temporary folder. */
export interface TestRepository {
  readonly folder: string;
  readonly url: string;
  git(...words: readonly string[]): string;
  /** Writes files and commits them; returns the commit. */
  commit(files: Readonly<Record<string, string>>, message?: string): string;
}

const ENV = {
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  ...Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((role) => [
      [`GIT_${role}_NAME`, 'Test'],
      [`GIT_${role}_EMAIL`, 'test@host.test'],
      [`GIT_${role}_DATE`, '2026-01-02T03:04:05Z'],
    ]),
  ),
};

/** A new, empty repository whose branch is `main`. */
export function testRepository(): TestRepository {
  const folder = mkdtempSync(join(tmpdir(), 'ccp-git-'));
  const git = (...words: readonly string[]): string =>
    execFileSync('git', ['-c', 'protocol.file.allow=always', ...words], {
      cwd: folder,
      env: ENV,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  git('init', '-q', '-b', 'main');
  return {
    folder,
    url: `file://${folder}`,
    git,
    commit(files, message = 'change') {
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), text);
      }
      git('add', '-A');
      git('commit', '-q', '--allow-empty', '-m', message);
      return git('rev-parse', 'HEAD');
    },
  };
}

/**
 * Serves a repository at `http://127.0.0.1:PORT/repo`: with git's CGI program (smart), or as plain
 * files (dumb).
 */
export async function serveRepository(
  repository: TestRepository,
  kind: 'smart' | 'dumb',
): Promise<{ readonly url: string; readonly requests: string[]; close(): Promise<void> }> {
  const requests: string[] = [];
  if (kind === 'dumb') repository.git('update-server-info');
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    const path = (request.url ?? '').replace(/^\/repo|\?.*$/g, '');
    if (kind === 'smart') answerByGit(repository.folder, `/.git${path}`, request, response);
    else sendFile(join(repository.folder, '.git'), path, response);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/repo`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function sendFile(root: string, path: string, response: ServerResponse): void {
  try {
    response.end(readFileSync(join(root, normalize(`/${path}`))));
  } catch {
    response.writeHead(404).end();
  }
}
