import { Option } from 'commander';
import { counted } from '#core';
import type { CommandDefinition } from '../../command.ts';
import type { OperatorObjectFlags } from '../../compose/operator/install-options.ts';
import { OPERATOR_OBJECTS } from '../../options.ts';

export interface ExportOperatorFlags extends OperatorObjectFlags {
  readonly output: string;
}

/** `ccp export operator SITES`: the objects of `ccp operator install` as files. */
export const operator: CommandDefinition<ExportOperatorFlags> = {
  usage: 'operator <sites...>',
  description: 'write the objects of the operator as plain YAML, with rights for these sites',
  options: [
    new Option('-o, --output <folder>', 'new or empty folder').default('operator-yaml'),
    ...OPERATOR_OBJECTS,
  ],
  examples: ['ccp export operator example', 'ccp export operator example -o manifests'],
  run: async (context, names, { output: folder, ...flags }) => {
    const { yamlText } = await import('#formats');
    const { objectsOfOperator } = await import('../../compose/operator/install-options.ts');
    const { writeNewFolder } = await import('../../state/new-folder.ts');
    const objects = await objectsOfOperator(context, names, flags);
    const files = objects.map((object, index) => ({
      path: `${String(index).padStart(2, '0')}-${object.kind.toLowerCase()}-${object.metadata.name}.yaml`,
      text: yamlText(object),
    }));
    writeNewFolder(folder, files);
    context.output.result(
      `${counted(objects.length, 'object')} of the operator written to ${folder}`,
      { folder, objects: objects.length, files: files.map(({ path }) => path) },
    );
    return 0;
  },
};
