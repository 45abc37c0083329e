import type { Origin } from '#context';
import { codeOf } from '#core';
import { proxiesOf } from '#host';
import { readIfThere, writeAtomically } from '../state/files.ts';
import type { Project } from './project.ts';

const ANSWER_LIMIT_MS = 3000;

/**
 * Where sources come from: the setting, else the answer of an earlier run, else a check of the
 * network. The answer is stored in the workspace's state: it is part of every fingerprint and must
 * not depend on network failures. Throws `proxy-invalid` before the check.
 */
export async function chooseOrigin(project: Project, say: (text: string) => void): Promise<Origin> {
  if (project.settings.origin !== undefined) return project.settings.origin;
  const known = keptOrigin(project.paths.origin);
  if (known !== undefined) return known;
  const origin = await probe(project);
  const kept = keep(project.paths.origin, origin)
    ? `kept in ${project.paths.origin}`
    : `not kept, since ${project.paths.origin} cannot be written`;
  const found =
    origin === 'git'
      ? 'git hosts respond, so sources are fetched from git'
      : 'no git host responds, so release archives are used';
  say(`sources: ${found} (${kept}; "origin" in .ccp.yaml overrides it)`);
  return origin;
}

/** False in a read-only workspace; commands that must write report that themselves. */
function keep(path: string, origin: Origin): boolean {
  try {
    writeAtomically(path, `${JSON.stringify({ origin })}\n`);
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === 'machine-rights') return false;
    throw thrown;
  }
}

/** The answer of an earlier run; `undefined` if missing or invalid. */
function keptOrigin(path: string): Origin | undefined {
  const text = readIfThere(path)?.trim();
  return (['git', 'archive'] as const).find((origin) => text === JSON.stringify({ origin }));
}

async function probe({ workspace, settings }: Project): Promise<Origin> {
  const repositories = workspace.images.flatMap((image) =>
    Object.values(image.sources).map(({ repository }) => repository),
  );
  const remote = [
    ...new Map(
      repositories
        .filter((url) => /^(https?|ssh):/.test(url))
        .map((url) => [new URL(url).host, url]),
    ).values(),
  ];
  if (remote.length === 0) return 'git';
  // An answer obtained with an invalid proxy must not be stored.
  proxiesOf(process.env);
  const { openSources } = await import('./inputs.ts');
  const sources = await openSources(settings);
  const answers = await Promise.all(remote.map((url) => sources.reachable(url, ANSWER_LIMIT_MS)));
  return answers.every(Boolean) ? 'git' : 'archive';
}
