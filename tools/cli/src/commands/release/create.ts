import { CcpError, counted } from '#core';
import type { CommandDefinition } from '../../command.ts';
import type { KeyFlags, TrustFlags } from '../../compose/registry-place.ts';
import { KEY, STATEMENTS, TO, TRUST } from '../../options.ts';

export interface CreateFlags extends KeyFlags, TrustFlags {
  readonly to?: string;
  readonly statements: boolean;
}

/** `ccp release create VERSION [SET]`: publishes a set and names it by a version, for ever. */
export const create: CommandDefinition<CreateFlags> = {
  usage: 'create <version> [set]',
  description:
    'publish an image set (default: the last build) and name it by a version like 2026.1.0, which never moves',
  options: [TO, ...KEY, TRUST, STATEMENTS],
  examples: [
    'ccp release create 2026.1.0 --series 2026.1 --to registry.example.org/ccp --key release.key',
  ],
  run: async ({ root, output, flags: { series } }, [version = '', file], flags) => {
    const { checkNewVersion, createRelease, listVersions, publishSet } = await import('#release');
    const { openContent } = await import('#store');
    const { checkComplete, setToPublish } = await import('../../compose/set-to-publish.ts');
    const { openStatements } = await import('../../compose/statements/set-statements.ts');
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
    const place = await openPlace(flags.to, '--to');
    const versions = await listVersions(place);
    // Before the upload; an existing version is compared after it.
    if (!versions.some(({ text }) => text === version))
      checkNewVersion(version, set.series, versions);
    const statements = flags.statements ? openStatements(root, set) : undefined;
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
    const isNew = await createRelease({ place, digest, series: set.series, version, signer });
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
