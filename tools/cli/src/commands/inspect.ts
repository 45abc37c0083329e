import { Option } from 'commander';
import { relative } from 'node:path';
import { counted, imageName } from '#core';
import type { CommandDefinition } from '../command.ts';
import { sizeText } from '../report/text.ts';

export interface InspectFlags {
  readonly verify?: boolean;
}

/** `ccp inspect IMAGE`: the layers and inputs of a built image, from the store and its locks. */
export const inspect: CommandDefinition<InspectFlags> = {
  usage: 'inspect <image>',
  description: 'show the layers and inputs of a built image',
  options: [new Option('--verify', 'also verify the digest of every blob')],
  examples: ['ccp inspect keystone', 'ccp inspect keystone --verify'],
  run: async (context, [name = ''], { verify }) => {
    const { hasWork } = await import('#plan');
    const { readStoreIndex, serveStore } = await import('#store');
    const { builtImage } = await import('../compose/built-image.ts');
    const { detailsOf } = await import('../compose/details.ts');
    const { root, output } = context;
    const { project, planned } = await builtImage(context, name);
    const store = await serveStore({ folder: project.paths.store });
    try {
      if (verify === true) await store.verify(planned.digest);
      const { manifest, config } = await store.inspect(planned.digest);
      const stored = readStoreIndex(project.paths.store).byFingerprint.get(planned.fingerprint);
      const details = detailsOf(project, imageName(name));
      const lines = [
        `${name} ${planned.version}`,
        `  reference    oci:${relative(root, project.paths.store)}:${name}:${planned.version}`,
        `  digest       ${planned.digest}${verify === true ? ' (every blob verified)' : ''}`,
        `  fingerprint  ${planned.fingerprint}`,
        ...(hasWork(planned) ? ['  tests        current tests not passed'] : []),
        ...(planned.record.unlocked
          ? [
              `  unlocked     its steps had ${planned.record.network === 'host' ? 'the network of the machine' : 'a network'}`,
            ]
          : []),
        `  size         ${sizeText(stored?.size ?? 0)} unpacked, ${sizeText(stored?.compressedSize ?? 0)} compressed`,
        ...Object.entries(planned.parents).map(
          ([role, parent]) => `  ${role.padEnd(12)} ${parent}`,
        ),
        ...Object.entries(details.sources).map(
          ([key, { version, commit }]) => `  source       ${key} ${version} (${commit})`,
        ),
        ...Object.entries(details.debian).map(
          ([stage, packages]) =>
            `  debian       ${counted(Object.keys(packages).length, 'package')} (${stage})`,
        ),
        `  python       ${counted(Object.keys(details.python['runtime'] ?? {}).length, 'package')}`,
      ];
      output.result(lines.join('\n'), { ...planned, stored, manifest, config, details });
      return 0;
    } finally {
      await store.close();
    }
  },
};
