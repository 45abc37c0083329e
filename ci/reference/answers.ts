import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createProgram } from '../../tools/cli/src/program.ts';
import { commandsOf, pathOf } from './commands.ts';
import { schemaTable, type LoadSchema, type Schema } from './schema-page.ts';

const FOLDER = 'tools/cli/schemas/answers';

/** Schemas of the answers with `--json`, by command line. */
export const ANSWERS: Readonly<Record<string, string>> = {
  'ccp plan': 'tools/plan/schemas/plan.schema.json',
  'ccp explain': `${FOLDER}/explain.schema.json`,
  'ccp affected': `${FOLDER}/affected.schema.json`,
  'ccp durations': `${FOLDER}/durations.schema.json`,
  'ccp graph': `${FOLDER}/graph.schema.json`,
  'ccp lock': `${FOLDER}/lock.schema.json`,
  'ccp lock --check': `${FOLDER}/lock-check.schema.json`,
  'ccp lock --outdated': `${FOLDER}/lock-outdated.schema.json`,
  'ccp validate': `${FOLDER}/validate.schema.json`,
  'ccp fetch': `${FOLDER}/fetch.schema.json`,
  'ccp render': `${FOLDER}/render.schema.json`,
  'ccp cache': `${FOLDER}/cache.schema.json`,
  'ccp clean': `${FOLDER}/clean.schema.json`,
  'ccp inspect': `${FOLDER}/inspect.schema.json`,
  'ccp diff-image': `${FOLDER}/diff-image.schema.json`,
  'ccp keygen': `${FOLDER}/keygen.schema.json`,
  'ccp deploy validate': `${FOLDER}/deploy-validate.schema.json`,
  'ccp deploy explain': `${FOLDER}/deploy-explain.schema.json`,
  'ccp doctor': `${FOLDER}/doctor.schema.json`,
  'ccp completion': `${FOLDER}/completion.schema.json`,
  'ccp help': `${FOLDER}/help.schema.json`,
  'ccp --version': `${FOLDER}/version.schema.json`,
  'several series': `${FOLDER}/several-series.schema.json`,
  error: `${FOLDER}/error.schema.json`,
};

/** Files that ccp writes, by the title of their schema. */
export const FILES: Readonly<Record<string, string>> = {
  Plan: 'tools/plan/schemas/plan.schema.json',
  'Image set': 'tools/release/schemas/image-set.schema.json',
  Lock: 'tools/locks/schemas/lock.schema.json',
};

/** The page of all answers with `--json`. */
export async function answersPage(root: string): Promise<string> {
  const program = await createProgram(root, () => undefined);
  const commands = commandsOf(program).map(pathOf);
  const without = commands.filter((name) => ANSWERS[name] === undefined && name !== 'ccp nx');
  const files = Object.entries(FILES).map(([title, path]) => `- ${title}: \`${path}\``);
  const own = Object.entries(ANSWERS).filter(([, path]) => path.startsWith(FOLDER));
  return [
    '# JSON answers',
    'With `--json`, a command prints one JSON document on standard output. The schemas below describe it; the tests compare them with real answers. An answer has no keys that its schema does not name, except Kubernetes objects.',
    `A plan is described in [Plan](plan.md). These commands have no schema yet: ${without.map((name) => `\`${name}\``).join(', ')}.`,
    `Files that ccp writes:\n\n${files.join('\n')}`,
    ...own.map(([name, path]) => section(root, name, path)),
  ].join('\n\n');
}

function section(root: string, name: string, path: string): string {
  const load: LoadSchema = (file) =>
    JSON.parse(readFileSync(join(root, dirname(path), file), 'utf8')) as Schema;
  const schema = load(basename(path));
  return [
    `## ${name}`,
    schema['description'] as string,
    schemaTable(schema, load),
    `Schema: \`${path}\``,
  ].join('\n\n');
}
