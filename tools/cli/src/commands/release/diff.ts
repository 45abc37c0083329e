import type { CommandDefinition } from '../../command.ts';
import type { TrustFlags } from '../../compose/registry-place.ts';
import { FROM, TRUST } from '../../options.ts';

export interface DiffFlags extends TrustFlags {
  readonly from?: string;
}

/** `ccp release diff A B`: images, commits, package lists, app specs and sizes that changed. */
export const diff: CommandDefinition<DiffFlags> = {
  usage: 'diff <before> <after>',
  description: 'compare two released sets: images, commits, package lists, app specs and sizes',
  options: [FROM, TRUST],
  examples: ['ccp release diff 2026.1.0 2026.1.1 --from registry.example.org/ccp'],
  run: async ({ root, output }, [before = '', after = ''], flags) => {
    const { diffLines, diffSets, trustedRelease } = await import('#release');
    const { openReader } = await import('../../compose/registry-place.ts');
    const { place, keys } = await openReader(root, flags);
    const [old, now] = await Promise.all(
      [before, after].map((reference) => trustedRelease(place, reference, keys)),
    );
    const changes = diffSets(old!.set, now!.set);
    output.result(diffLines(changes).join('\n'), { before, after, images: changes });
    return 0;
  },
};
