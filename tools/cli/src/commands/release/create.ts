import { CcpError, counted } from '#core';
import type { CommandDefinition } from '../../command.ts';
import type { KeyFlags, TrustFlags } from '../../compose/registry-place.ts';
import { DECISIONS, KEY, STATEMENTS, TO, TRUST } from '../../options.ts';

export interface CreateFlags extends KeyFlags, TrustFlags {
  readonly to?: string;
  readonly statements: boolean;
  readonly policy?: string;
}

/** `ccp release create VERSION [SET]`: publishes a set and names it by a version, for ever. */
export const create: CommandDefinition<CreateFlags> = {
  usage: 'create <version> [set]',
  description:
    'publish an image set (default: the last build) and name it by a version like 2026.1.0, which never moves',
  options: [TO, ...KEY, TRUST, STATEMENTS, DECISIONS],
  examples: [
    'ccp release create 2026.1.0 --series 2026.1 --to registry.example.org/ccp --key release.key',
  ],
  run: async ({ root, own, output, flags: { series } }, [version = '', file], flags) => {
    const { checkNewVersion, createRelease, listVersions, publishSet } = await import('#release');
    const { openContent } = await import('#store');
    const { releaseSource } = await import('../../compose/affected/release-source.ts');
    const { checkComplete, setToPublish } = await import('../../compose/set-to-publish.ts');
    const { statementsOf } = await import('../../compose/statements/statements-of.ts');
    const { openPlace, requireSigner, trustedKeys } =
      await import('../../compose/registry-place.ts');
    const { set, settings, paths } = setToPublish(root, series, file);
    checkComplete(root, set);
    const unlocked = set.images.filter((entry) => entry.unlocked === true);
    if (unlocked.length > 0)
      throw new CcpError({
        code: 'release-unlocked',
        message: `the image set has unlocked images: ${unlocked.map(({ name }) => name).join(', ')}`,
        hint: 'lock all inputs of released images, and build again',
      });
    const signer = requireSigner(flags);
    const source = await releaseSource({ root, own }, set);
    const place = await openPlace(flags.to, '--to');
    const versions = await listVersions(place);
    // Before the upload; an existing version is compared after it.
    if (!versions.some(({ text }) => text === version))
      checkNewVersion(version, set.series, versions);
    const statements = statementsOf(root, set, flags);
    if (source === undefined)
      output.warn(
        'the workspace is not in a git repository: the release names no commit, and `ccp release rebuild` cannot build it again',
      );
    const published = await publishSet({
      place,
      set,
      content: await openContent(paths.store),
      ...(statements === undefined ? {} : { statements: statements.read }),
      signer,
      keys: [signer.key, ...trustedKeys(settings, flags)],
      onStep: output.info,
    });
    statements?.save();
    const { digest } = published;
    const keys = [signer.key, ...trustedKeys(settings, flags)];
    const { changelogOf } = await import('../../compose/cves/changelog.ts');
    const changelog = await changelogOf(place, version, published.set, keys);
    if (typeof changelog === 'string') output.warn(`${version} has no changelog: ${changelog}`);
    const isNew = await createRelease({
      place,
      digest,
      series: set.series,
      version,
      signer,
      ...(typeof changelog === 'string' ? {} : { changelog }),
      ...(source === undefined ? {} : { source: { set: published.set, from: source } }),
    });
    output.result(
      `${version} ${isNew ? 'is' : 'was already'} ${place.registry.host}/${place.prefix}/ccp.sets@${digest} (${counted(set.images.length, 'image')})`,
      {
        version,
        digest,
        created: isNew,
        images: set.images.length,
        uploadedBytes: published.uploadedBytes,
      },
    );
    return 0;
  },
};
