import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { CcpError, codeOf } from '#core';
import type { ConstraintsOrigin } from '#definitions';
import { makeFolder, replaceFile } from '#host';
import type { SourceFetcher } from '#ports';
import { constraintLines } from './constraints.ts';
import { belowTop, tarTexts } from './tar-texts.ts';

/**
 * Writes the current upper constraints of a git ref to `origin.file`, after a line with the commit;
 * resolves with the commit. Raises the fetcher's errors, and `source-no-constraints` if the file
 * does not exist or contains no constraints.
 */
export async function fetchConstraints(
  origin: ConstraintsOrigin,
  fetcher: SourceFetcher,
  signal?: AbortSignal,
): Promise<string> {
  const { repository, ref, path, file } = origin;
  const { commit } = await fetcher.resolve(repository, ref, signal).catch(withGitHint);
  const source = { url: repository, commit, submodules: [] };
  await fetcher.fetch(source, signal).catch(withGitHint);
  const text = (await tarTexts(fetcher.archive(source), (each) => belowTop(each) === path)).get(
    path,
  );
  if (text === undefined || constraintLines(text, new Set()).length === 0) {
    throw new CcpError({
      code: 'source-no-constraints',
      message: `commit ${commit} of ${repository} has no upper constraints in ${path}`,
      hint: 'correct "constraintsFrom" in series.yaml',
    });
  }
  const content = `# ${path} of ${repository} at ${commit}, written by \`ccp lock\`\n${text}`;
  if (!hasContent(file, content)) {
    makeFolder(dirname(file));
    replaceFile(file, content);
  }
  return commit;
}

/**
 * Rethrows a fetcher's error without its hint about release archives, which do not contain
 * constraints.
 */
function withGitHint(thrown: unknown): never {
  if (codeOf(thrown) !== 'source-unreachable' || !(thrown instanceof CcpError)) throw thrown;
  const { code, message } = thrown;
  throw new CcpError({
    code,
    message,
    hint: 'check the network and proxy, or name a mirror in .ccp.yaml ("mirrors.git"): upper constraints of a branch are available only from git',
    cause: thrown,
  });
}

function hasContent(file: string, content: string): boolean {
  try {
    return readFileSync(file, 'utf8') === content;
  } catch {
    return false;
  }
}
