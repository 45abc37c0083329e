import { Option } from 'commander';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { CcpError, counted } from '#core';
import type { CommandDefinition } from '../../command.ts';
import { interruptSignal } from '../../compose/interrupt.ts';
import type { TrustFlags } from '../../compose/registry-place.ts';
import { FROM, TRUST } from '../../options.ts';
import { EXIT } from '../../report/exit-codes.ts';
import { requireEmpty } from '../../state/new-folder.ts';

export interface RebuildFlags extends TrustFlags {
  readonly from?: string;
  readonly source?: string;
  readonly folder?: string;
}

/**
 * `ccp release rebuild VERSION`: builds a release again from the commit in its provenance, and
 * compares all digests. Exits with 1 if one differs.
 */
export const rebuild: CommandDefinition<RebuildFlags> = {
  usage: 'rebuild <version>',
  description:
    'build a release again from the commit in its signed provenance, and compare all digests (exit 1 if they differ)',
  options: [
    FROM,
    TRUST,
    new Option(
      '--source <repository>',
      'URL or path of a repository with the commit (default: the one that the provenance names)',
    ),
    new Option(
      '--folder <folder>',
      'new folder for the clone and its images, which is kept (default: a folder in .ccp/rebuild, kept if digests differ)',
    ),
  ],
  examples: ['ccp release rebuild 2026.1.0 --from registry.example.org/ccp'],
  run: async ({ root, own, output }, [reference = ''], flags) => {
    const { setArtifact, setSource, trustedRelease } = await import('#release');
    const { compareWithReleased, rebuiltDifferences, withoutDecisions } =
      await import('../../compose/compare-rebuilt.ts');
    const { openReader } = await import('../../compose/registry-place.ts');
    const { rebuildSet } = await import('../../compose/rebuild-release.ts');
    const { rebuiltLines } = await import('../../report/rebuilt-text.ts');
    const { statePaths } = await import('../../state/paths.ts');
    const { place, keys } = await openReader(root, flags);
    const release = await trustedRelease(place, reference, keys);
    const source = await setSource(place, release.digest, keys);
    const repository = flags.source ?? source.repository;
    if (repository === undefined)
      throw new CcpError({
        code: 'usage',
        message: `the provenance of ${reference} names commit ${source.commit} without a repository`,
        hint: 'name a repository that has the commit with --source',
      });
    const folder = newFolder(flags.folder, join(statePaths(root).folder, 'rebuild'));
    const { signal, done } = interruptSignal(output.warn);
    let isKept = flags.folder !== undefined;
    try {
      const { digest } = release;
      const set = withoutDecisions(release.set);
      const rebuilt = await rebuildSet({
        source,
        repository,
        set,
        folder,
        own,
        onStep: output.info,
        signal,
      });
      const equal = rebuilt.digest === setArtifact(set).digest;
      isKept ||= !equal;
      const differences = equal ? [] : rebuiltDifferences(set, rebuilt.set);
      const compared = await compareWithReleased(place, set, differences, {
        folder,
        rebuilt: rebuilt.store,
      });
      const { commit } = source;
      const counts = `${counted(set.images.length, 'image')} at commit ${commit.slice(0, 12)}`;
      output.result(
        equal
          ? `${reference} was rebuilt: ${counts}, all digests are equal (${digest})`
          : rebuiltLines(differences, compared, {
              counts,
              folders: [join(folder, 'released'), rebuilt.store].map((each) =>
                relative(root, each),
              ),
            }).join('\n'),
        {
          reference,
          commit,
          digest,
          rebuilt: rebuilt.digest,
          equal,
          images: set.images.length,
          differences: differences.map((each) => ({
            ...each,
            ...(compared.has(each.image) ? { difference: compared.get(each.image) } : {}),
          })),
        },
      );
      return equal ? EXIT.done : EXIT.failed;
    } finally {
      if (!isKept) rmSync(folder, { recursive: true, force: true });
      done();
    }
  },
};

/** The named folder, which must be new or empty, or a new folder in `parent`. */
function newFolder(named: string | undefined, parent: string): string {
  if (named === undefined) {
    mkdirSync(parent, { recursive: true });
    return mkdtempSync(join(parent, 'run-'));
  }
  requireEmpty(named, 'name a new folder with --folder');
  const folder = resolve(named);
  mkdirSync(folder, { recursive: true });
  return folder;
}
