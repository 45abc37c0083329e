import { Option } from 'commander';
import type { CommandDefinition } from '../../command.ts';
import type { TrustFlags } from '../../compose/registry-place.ts';
import { FROM, TRUST } from '../../options.ts';
import { sizeText } from '../../report/text.ts';

export interface ShowFlags extends TrustFlags {
  readonly from?: string;
  readonly output?: string;
  readonly changelog?: boolean;
}

/** `ccp release show VERSION`: the images of a released set. */
export const show: CommandDefinition<ShowFlags> = {
  usage: 'show <version>',
  description:
    'show the images of a released set; -o writes the set and its signature, for --set of `ccp deploy`',
  options: [
    FROM,
    TRUST,
    new Option(
      '-o, --output <file>',
      'write the image set to a file, and its signature to FILE.sigstore.json',
    ),
    new Option('--changelog', 'show the signed changes since the release before it'),
  ],
  examples: ['ccp release show 2026.1.0 --from registry.example.org/ccp -o set.json'],
  run: async ({ root, output }, [reference = ''], flags) => {
    const { setSignature, trustedRelease } = await import('#release');
    const { openReader } = await import('../../compose/registry-place.ts');
    const { writeNamed } = await import('../../state/named-file.ts');
    const { place, keys } = await openReader(root, flags);
    const { set, digest, text, version, key } = await trustedRelease(place, reference, keys);
    if (flags.output !== undefined) {
      const { signatureFile } = await import('../../compose/deploy/site-keys.ts');
      const signature = signatureFile(flags.output);
      writeNamed(signature, await setSignature(place, digest, keys));
      writeNamed(flags.output, text);
      output.info(`image set written to ${flags.output}, its signature to ${signature}`);
    }
    if (flags.changelog === true) {
      const { showChangelog } = await import('../../compose/show-changelog.ts');
      return showChangelog(output, place, { digest, reference, version }, keys);
    }
    output.result(
      [
        `${version ?? reference} ${digest}, signed by ${key.name}`,
        ...set.images.map(
          ({ name, version: tag, digest: image, compressedSize }) =>
            `  ${name} ${tag} ${image} ${sizeText(compressedSize)}`,
        ),
      ].join('\n'),
      { version, digest, key: key.name, set },
    );
    return 0;
  },
};
