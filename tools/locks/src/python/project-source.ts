import { CcpError } from '#core';
import type { SourceFetcher } from '#ports';
import type { LockedSource } from '../types.ts';
import type { PythonIndexClient } from './index-client.ts';
import { projectFacts, type ProjectFacts } from './project-facts.ts';
import { readProjectFiles } from './read-project.ts';

/** Reads the metadata of git sources and source archives, each once. */
export interface ProjectReader {
  sdist(project: string, version: string): Promise<ProjectFacts>;
  /** Reads a locked source: its archive if it has one, else its git tree. */
  source(source: LockedSource): Promise<ProjectFacts>;
}

/** Reads source archives from `index` and git trees from `fetcher`. */
export function openProjectReader(
  index: PythonIndexClient,
  fetcher: SourceFetcher,
  signal: AbortSignal | undefined,
): ProjectReader {
  const known = new Map<string, Promise<ProjectFacts>>();
  const once = (key: string, read: () => Promise<ProjectFacts>): Promise<ProjectFacts> => {
    const running = known.get(key) ?? read();
    known.set(key, running);
    return running;
  };
  const sdist: ProjectReader['sdist'] = (project, version) =>
    once(`${project} ${version}`, async () => {
      const file = await index.sdist(project, version);
      return projectFacts(await readProjectFiles(await index.download(file), file.file), file.file);
    });
  return {
    sdist,
    source: async ({ archive, repository, commit, submodules, version }) => {
      if (archive !== undefined) {
        const facts = await sdist(archive.name, version);
        if (facts.version === version) return facts;
        throw new CcpError({
          code: 'python-sdist-invalid',
          message: `the metadata of ${archive.file} has version ${facts.version ?? 'none'}, not ${version}`,
        });
      }
      return once(`${repository} ${commit}`, async () => {
        const git = { url: repository, commit, submodules };
        await fetcher.fetch(git, signal);
        return projectFacts(await readProjectFiles(fetcher.archive(git), repository), repository);
      });
    },
  };
}
