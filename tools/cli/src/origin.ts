import { codeOf, proxiesOf } from '#core';
import type { Origin } from '#inputs';
import type { Project } from './compose.ts';
import { readIfThere, writeAtomically } from './state/files.ts';

const ANSWER_LIMIT_MS = 3000;

/**
 * How sources are taken: the setting, else what an earlier run found, else what the network says now. The answer is kept in the
 * workspace's state, since it is part of every fingerprint and must not change with the weather. Raises `proxy-invalid` before it asks.
 */
export async function chooseOrigin(project: Project, say: (text: string) => void): Promise<Origin> {
  if (project.settings.origin !== undefined) return project.settings.origin;
  const known = keptOrigin(project.paths.origin);
  if (known !== undefined) return known;
  const origin = await probe(project);
  const kept = keep(project.paths.origin, origin) ? `kept in ${project.paths.origin}` : `not kept, since ${project.paths.origin} cannot be written`;
  const found = origin === 'git' ? 'git hosts answer, so commits are taken from git' : 'no git host answers, so release archives are taken';
  say(`sources: ${found} (${kept}; "origin" in .ccp.yaml overrides it)`);
  return origin;
}

/** False in a workspace that this user may only read: a command that writes more than this says so itself. */
function keep(path: string, origin: Origin): boolean {
  try {
    writeAtomically(path, `${JSON.stringify({ origin })}\n`);
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === 'machine-rights') return false;
    throw thrown;
  }
}

/** What an earlier run found; `undefined` where none did or the file says something else. */
function keptOrigin(path: string): Origin | undefined {
  const text = readIfThere(path)?.trim();
  return (['git', 'archive'] as const).find((origin) => text === JSON.stringify({ origin }));
}

async function probe({ workspace, settings }: Project): Promise<Origin> {
  const repositories = workspace.images.flatMap((image) => Object.values(image.sources).map(({ repository }) => repository));
  const remote = [...new Map(repositories.filter((url) => /^(https?|ssh):/.test(url)).map((url) => [new URL(url).host, url])).values()];
  if (remote.length === 0) return 'git';
  // The answer is kept: one that a mistyped proxy gave must not be.
  proxiesOf(process.env);
  const { openSources } = await import('./compose-inputs.ts');
  const sources = await openSources(settings);
  const answers = await Promise.all(remote.map((url) => sources.reachable(url, ANSWER_LIMIT_MS)));
  return answers.every(Boolean) ? 'git' : 'archive';
}
