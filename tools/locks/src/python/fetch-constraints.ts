import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { CcpError, codeOf } from '#core';
import type { ConstraintsOrigin } from '#definitions';
import { makeFolder, replaceFile } from '#host';
import type { SourceFetcher } from '#ports';
import { constraintLines } from './constraints.ts';
import { belowTop, tarTexts } from './tar-texts.ts';

/**
 * Writes the upper constraints that a ref of a git repository holds now to `origin.file`, after a line that names the commit;
 * resolves with the commit. Raises what the fetcher raises, and `source-no-constraints` where the file is not there or is none.
 */
export async function fetchConstraints(origin: ConstraintsOrigin, fetcher: SourceFetcher, signal?: AbortSignal): Promise<string> {
  const { repository, ref, path, file } = origin;
  const { commit } = await fetcher.resolve(repository, ref, signal).catch(fromGitAlone);
  const source = { url: repository, commit, submodules: [] };
  await fetcher.fetch(source, signal).catch(fromGitAlone);
  const text = (await tarTexts(fetcher.archive(source), (each) => belowTop(each) === path)).get(path);
  if (text === undefined || constraintLines(text, new Set()).length === 0) {
    throw new CcpError({
      code: 'source-no-constraints',
      message: `commit ${commit} of ${repository} has no upper constraints in ${path}`,
      hint: 'correct "constraintsFrom" in series.yaml',
    });
  }
  const content = `# ${path} of ${repository} at ${commit}, written by \`ccp lock\`\n${text}`;
  if (!holds(file, content)) {
    makeFolder(dirname(file));
    replaceFile(file, content);
  }
  return commit;
}

/** Raises what a fetcher raised, without its hint at archives of releases, which do not help here. */
function fromGitAlone(thrown: unknown): never {
  if (codeOf(thrown) !== 'source-unreachable' || !(thrown instanceof CcpError)) throw thrown;
  const { code, message } = thrown;
  throw new CcpError({
    code,
    message,
    hint: 'check the network and proxy, or name a mirror in .ccp.yaml ("mirrors.git"): upper constraints that follow a branch come from git alone',
    cause: thrown,
  });
}

function holds(file: string, content: string): boolean {
  try {
    return readFileSync(file, 'utf8') === content;
  } catch {
    return false;
  }
}
