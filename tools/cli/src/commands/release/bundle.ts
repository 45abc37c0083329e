import { Option } from 'commander';
import { counted } from '#core';
import type { CommandDefinition } from '../../command.ts';
import { interruptSignal, orCancelled } from '../../compose/interrupt.ts';
import type { TrustFlags } from '../../compose/registry-place.ts';
import { FROM, TRUST } from '../../options.ts';
import { sizeText } from '../../report/text.ts';

export interface BundleFlags extends TrustFlags {
  readonly from?: string;
  readonly output: string;
}

/** `ccp release bundle VERSION -o FILE`: a release as one archive, for sites without a network. */
export const bundle: CommandDefinition<BundleFlags> = {
  usage: 'bundle <version>',
  description: 'write a release with its images and signatures to one OCI archive',
  options: [
    FROM,
    TRUST,
    new Option('-o, --output <file>', 'archive to write').makeOptionMandatory(),
  ],
  examples: ['ccp release bundle 2026.1.0 --from registry.example.org/ccp -o 2026.1.0.tar'],
  run: async ({ root, output }, [reference = ''], flags) => {
    const { trustedRelease, writeBundle } = await import('#release');
    const { openReader } = await import('../../compose/registry-place.ts');
    const { place, keys } = await openReader(root, flags);
    const { signal, done } = interruptSignal(output.warn);
    const { output: file } = flags;
    try {
      // A registry can be silent for minutes.
      await orCancelled(signal, `${file} was not written`, async () => {
        const found = await trustedRelease(place, reference, keys);
        const { names, blobs, bytes } = await writeBundle({
          place,
          found,
          keys,
          name: found.version ?? reference,
          file,
          onStep: output.info,
          signal,
        });
        output.result(
          `${file}: ${counted(names.length, 'name')}, ${counted(blobs, 'blob')}, ${sizeText(bytes)}; every digest was checked`,
          { file, names, blobs, bytes, digest: found.digest },
        );
      });
      return 0;
    } finally {
      done();
    }
  },
};
