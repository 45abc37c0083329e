import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CcpError, sha256, type ImageName, type Sha256 } from '#core';
import { runMemo } from '#definitions';
import type { PlanDocument, SeriesState } from '#plan';
import type { Memo } from '#ports';
import { openCommitStates } from '../../state/commit-states.ts';
import { writeAtomically } from '../../state/files.ts';
import { commitEnvironment } from '../commit-environment.ts';
import { openProject, stateOf } from '../plan.ts';
import type { Project } from '../project.ts';
import { originOf } from '../settings.ts';
import type { Repository } from './repository.ts';
import { codeKey, codePaths } from './tool-code.ts';
import { writeTree } from './write-tree.ts';

const MAX_PLAN_BYTES = 1 << 30;
const PLAN_MS = 10 * 60_000;

export interface CommitRequest {
  readonly repository: Repository;
  readonly commit: string;
  /** The workspace in the work tree; its memo and state folder are used. */
  readonly project: Project;
  /** Absolute path of the repository of the running tool. */
  readonly own: string;
}

/** The fingerprints of one commit; `close` removes temporary files. */
export interface CommitReader {
  /** Throws the errors of reading the workspace and of the graph. */
  state(series: string): Promise<SeriesState>;
  close(): void;
}

/**
 * Computes fingerprints of a commit from its objects in the repository, in a temporary folder. If
 * the repository has the running tool and the commit has other code for fingerprints, that code
 * computes them. Results are kept by commit.
 */
export function openCommit(request: CommitRequest): CommitReader {
  const { repository, commit, project, own } = request;
  const isOwn = realpathSync(own) === join(realpathSync(repository.top), repository.prefix);
  const usesOwnCode =
    isOwn &&
    !repository.succeeds(['diff', '--quiet', commit, '--', ...codePaths(repository.prefix)]);
  const states = openCommitStates(project.paths);
  const key = [1, commit, repository.prefix, usesOwnCode ? '' : codeKey(own)];
  let files: CommitFiles | undefined;
  return {
    state: async (series) => {
      const name = sha256(JSON.stringify([...key, series]));
      const known = states.get(name);
      if (known !== undefined) return known;
      files ??= writeFiles(request);
      const state = usesOwnCode
        ? planWithOwnCode(files.root, own, series)
        : planHere(files, project.memo, series);
      // A base outside the repository can change without a commit.
      if (!files.hasOutsideBase) states.put(name, state);
      return state;
    },
    close: () => {
      if (files !== undefined) rmSync(files.folder, { recursive: true, force: true });
    },
  };
}

interface CommitFiles {
  /** The temporary folder. */
  readonly folder: string;
  /** The workspace in it. */
  readonly root: string;
  readonly hashes: ReadonlyMap<string, Sha256>;
  readonly hasOutsideBase: boolean;
}

function writeFiles({ repository, commit, project }: CommitRequest): CommitFiles {
  const { top, prefix } = repository;
  const folder = mkdtempSync(join(tmpdir(), 'ccp-commit-'));
  // The same path as in the work tree, so that relative paths to bases outside the repository work.
  const root = join(folder, top, prefix);
  const isOverlay = repository.succeeds([
    'cat-file',
    '-e',
    `${commit}:${join(prefix, 'overlay.yaml')}`,
  ]);
  const hashes = writeTree(repository, commit, isOverlay ? '' : prefix, join(folder, top));
  const outside = (project.workspace.bases ?? []).filter(
    (base) => !`${base}/`.startsWith(`${top}/`),
  );
  for (const base of outside) {
    mkdirSync(dirname(join(folder, base)), { recursive: true });
    if (!existsSync(join(folder, base))) symlinkSync(base, join(folder, base));
  }
  mkdirSync(root, { recursive: true });
  // Older code asks git hosts for the origin if a commit names none; newer code uses this one.
  const origin = originOf({});
  writeAtomically(join(root, '.ccp/origin.json'), `${JSON.stringify({ origin })}\n`, {
    flush: false,
  });
  return { folder, root, hashes, hasOutsideBase: isOverlay && outside.length > 0 };
}

function planHere({ root, hashes }: CommitFiles, { recall }: Memo, series: string): SeriesState {
  const read = runMemo();
  const memo: Memo = {
    fileSha256: (path, stat) => hashes.get(path) ?? read.fileSha256(path, stat),
    recall,
    save: () => undefined,
  };
  return stateOf(openProject(root, series, memo));
}

/** Runs `ccp plan` of the commit itself, with a time limit and few variables of the environment. */
function planWithOwnCode(root: string, own: string, series: string): SeriesState {
  const packages = join(root, 'node_modules');
  if (!existsSync(packages)) symlinkSync(join(own, 'node_modules'), packages);
  const main = join(root, 'tools/cli/src/main.ts');
  const { stdout, stderr, status, error } = spawnSync(
    process.execPath,
    [main, '-C', root, 'plan', '--json', '--series', series],
    {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: MAX_PLAN_BYTES,
      timeout: PLAN_MS,
      killSignal: 'SIGKILL',
      env: commitEnvironment(process.env, 'plan'),
    },
  );
  if (status !== 0)
    throw new CcpError({
      code: 'plan-incomplete',
      message: `the code of this commit cannot plan it: ${error?.message ?? stderr.trim().replaceAll('\n', '; ')}`,
    });
  const { images } = JSON.parse(stdout) as PlanDocument;
  return {
    images: new Map(images.map((image) => [image.image as ImageName, image])),
    unknown: new Map(),
  };
}
