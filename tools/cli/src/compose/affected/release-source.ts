import { CcpError, omitUndefined, shortList } from '#core';
import type { ImageSet, SetSource } from '#release';
import type { CommandContext } from '../../command.ts';
import { openCommit } from './commit.ts';
import { commitOf, openRepository, type Repository } from './repository.ts';
import { askCheckout } from '../git.ts';
import { openProject } from '../plan.ts';
import { originOf } from '../settings.ts';

/**
 * The commit that a set was built from: that of the checkout. Undefined if the workspace, or a base
 * of it, is in no git repository. Throws `release-uncommitted` if the commit gives other images,
 * and the errors of `askCheckout`.
 */
export async function releaseSource(
  { root, own }: Pick<CommandContext, 'root' | 'own'>,
  { series, images }: Pick<ImageSet, 'series' | 'images'>,
): Promise<SetSource | undefined> {
  const project = openProject(root, series);
  if (askCheckout(root, ['rev-parse', '--git-dir']) === undefined) return undefined;
  const repository = openRepository(root);
  const commit = commitOf(repository, 'HEAD');
  if (commit === undefined) return undefined;
  const { top, prefix } = repository;
  if ((project.workspace.bases ?? []).some((base) => !`${base}/`.startsWith(`${top}/`)))
    return undefined;
  const reader = openCommit({ repository, commit, project, own });
  try {
    const state = await reader.state(series);
    const others = images.filter(
      ({ name, fingerprint }) => state.images.get(name)?.fingerprint !== fingerprint,
    );
    if (others.length > 0)
      throw new CcpError({
        code: 'release-uncommitted',
        message: `commit ${commit.slice(0, 12)} gives other images than the image set: ${shortList(
          others.map(({ name }) => name),
          5,
        )}`,
        hint: 'commit the definitions and locks of the set, so that the release can be rebuilt',
      });
  } finally {
    reader.close();
  }
  return {
    commit,
    folder: prefix === '' ? '.' : prefix,
    origin: originOf(project.settings),
    ...omitUndefined({ repository: remoteOf(repository) }),
  };
}

/** The URL of the remote `origin` without a login; undefined for a path of this machine. */
function remoteOf(repository: Repository): string | undefined {
  if (!repository.succeeds(['remote', 'get-url', 'origin'])) return undefined;
  return publicUrl(repository.git(['remote', 'get-url', 'origin']).toString().trim());
}

/** A git URL without a login: `USER@HOST:PATH` becomes an SSH URL; undefined for a path. */
export function publicUrl(remote: string): string | undefined {
  const [, user, host, path] = /^([\w.-]+)@([\w.-]+):(?!\/\/)\/?(.+)$/.exec(remote) ?? [];
  const text = host === undefined ? remote : `ssh://${user}@${host}/${path}`;
  if (!/^(?:https?|ssh|git):\/\//.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  url.password = '';
  if (url.protocol !== 'ssh:') url.username = '';
  url.search = '';
  url.hash = '';
  return url.href;
}
