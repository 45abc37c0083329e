import { CcpError, messageOf } from '#core';
import type { GitSource } from '#ports';
import type { GitMirror } from './git-mirror.ts';

/** A submodule that a source lists, at the commit recorded in its parent. */
export interface Submodule {
  /** Path in the parent's tree. */
  readonly path: string;
  readonly source: GitSource;
}

/**
 * Reads the listed submodules of a source whose commit is in the mirror. Raises `source-invalid` if
 * the tree does not have a submodule.
 */
export async function submodulesOf(
  mirror: GitMirror,
  { url, commit, submodules }: GitSource,
): Promise<Submodule[]> {
  if (submodules.length === 0) return [];
  const git = await mirror.git();
  const listing = await git
    .raw(['config', '--blob', `${commit}:.gitmodules`, '--list'])
    .catch((cause: unknown) => {
      throw new CcpError({
        code: 'source-invalid',
        message: `${url} at ${commit} has no submodules: ${messageOf(cause)}`,
        hint: 'remove "submodules" from the source in image.yaml',
      });
    });
  const options = new Map(
    listing
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  return Promise.all(
    [...submodules].sort().map(async (path) => {
      const name = [...options]
        .find(([key, value]) => /^submodule\..*\.path$/.test(key) && value === path)?.[0]
        .slice(0, -'.path'.length);
      const location = options.get(`${name}.url`);
      const entry = /^160000 commit ([0-9a-f]{40})\t/.exec(
        await git.raw(['ls-tree', commit, '--', path]),
      );
      if (location === undefined || entry?.[1] === undefined) {
        throw new CcpError({
          code: 'source-invalid',
          message: `${url} at ${commit} has no submodule ${JSON.stringify(path)}`,
          hint: 'use a path that its .gitmodules lists',
        });
      }
      const absolute = /^\.\.?\//.test(location)
        ? new URL(location, `${url.replace(/(?<!\/)\/+$/, '')}/`).href
        : location;
      return { path, source: { url: absolute, commit: entry[1], submodules: [] } };
    }),
  );
}
