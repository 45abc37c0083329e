import { Option } from 'commander';
import { counted } from '#core';
import type { CommandDefinition } from '../command.ts';
import type { KeyFlags, TrustFlags } from '../compose/registry-place.ts';
import { DECISIONS, KEY, STATEMENTS, TO, TRUST } from '../options.ts';
import { sizeText } from '../report/text.ts';

export interface PublishFlags extends KeyFlags, TrustFlags {
  readonly to?: string;
  readonly statements: boolean;
  readonly policy?: string;
}

/** `ccp publish [SET]`: an image set with its images to a registry. */
export const publish: CommandDefinition<PublishFlags> = {
  usage: 'publish [set]',
  description: 'publish an image set and its images to a registry (default: the last build)',
  options: [TO, ...KEY, TRUST, STATEMENTS, DECISIONS] satisfies Option[],
  examples: [
    'ccp publish --to registry.example.org/ccp',
    'ccp publish --to registry.example.org/ccp --key release.key --passphrase-file secret',
  ],
  series: 'each',
  run: async ({ root, output, flags: { series } }, [file], flags) => {
    const { publishSet } = await import('#release');
    const { openContent } = await import('#store');
    const { setToPublish } = await import('../compose/set-to-publish.ts');
    const { statementsOf } = await import('../compose/statements/statements-of.ts');
    const place = await import('../compose/registry-place.ts');
    const { set, settings, paths } = setToPublish(root, series, file);
    const signer = place.signerOfFlags(flags);
    const keys = place.trustedKeys(settings, flags);
    const target = await place.openPlace(flags.to, '--to');
    const statements = statementsOf(root, set, flags);
    const published = await publishSet({
      place: target,
      set,
      content: await openContent(paths.store),
      ...(statements === undefined ? {} : { statements: statements.read }),
      keys: signer === undefined ? keys : [signer.key, ...keys],
      ...(signer === undefined ? {} : { signer }),
      onStep: output.info,
    });
    statements?.save();
    const { pushed, repaired, adopted, digest, tag, uploadedBytes } = published;
    const reference = `${target.registry.host}/${target.prefix}/ccp.sets:${tag}`;
    output.result(
      [
        `${counted(set.images.length, 'image')} of ${set.series} published, ${pushed.length} new (${sizeText(uploadedBytes)} uploaded)`,
        ...(repaired.length === 0
          ? []
          : [`the registry had lost content of ${repaired.join(', ')}; it was uploaded again`]),
        ...(adopted.length === 0
          ? []
          : [
              `another builder published ${adopted.join(', ')} first; the set uses that builder's ${adopted.length === 1 ? 'digest' : 'digests'}`,
            ]),
        ...(signer === undefined
          ? ['not signed: other workspaces cannot use the images without --key']
          : []),
        `image set: ${reference} (${digest})`,
      ].join('\n'),
      {
        reference,
        digest,
        images: set.images.length,
        pushed,
        repaired,
        adopted,
        uploadedBytes,
        signed: signer !== undefined,
      },
    );
    return 0;
  },
};
