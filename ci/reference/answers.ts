import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createProgram } from '../../tools/cli/src/program.ts';
import { commandsOf, pathOf } from './commands.ts';
import { schemaTable, type LoadSchema, type Schema } from './schema-page.ts';

/** Folder of the schemas of answers. */
export const ANSWER_FOLDER = 'tools/cli/schemas/answers';

/** Schemas of the answers with `--json`, by command line. */
export const ANSWERS: Readonly<Record<string, string>> = {
  'ccp plan': 'tools/plan/schemas/plan.schema.json',
  'ccp explain': `${ANSWER_FOLDER}/explain.schema.json`,
  'ccp affected': `${ANSWER_FOLDER}/affected.schema.json`,
  'ccp durations': `${ANSWER_FOLDER}/durations.schema.json`,
  'ccp graph': `${ANSWER_FOLDER}/graph.schema.json`,
  'ccp lock': `${ANSWER_FOLDER}/lock.schema.json`,
  'ccp lock --check': `${ANSWER_FOLDER}/lock-check.schema.json`,
  'ccp lock --outdated': `${ANSWER_FOLDER}/lock-outdated.schema.json`,
  'ccp validate': `${ANSWER_FOLDER}/validate.schema.json`,
  'ccp fetch': `${ANSWER_FOLDER}/fetch.schema.json`,
  'ccp render': `${ANSWER_FOLDER}/render.schema.json`,
  'ccp export chart': `${ANSWER_FOLDER}/export-chart.schema.json`,
  'ccp export tarball': `${ANSWER_FOLDER}/export-tarball.schema.json`,
  'ccp application check': `${ANSWER_FOLDER}/application-check.schema.json`,
  'ccp application upload': `${ANSWER_FOLDER}/application.schema.json`,
  'ccp application apply': `${ANSWER_FOLDER}/application.schema.json`,
  'ccp application update': `${ANSWER_FOLDER}/application.schema.json`,
  'ccp application remove': `${ANSWER_FOLDER}/application.schema.json`,
  'ccp application abort': `${ANSWER_FOLDER}/application.schema.json`,
  'ccp application show': `${ANSWER_FOLDER}/application.schema.json`,
  'ccp application list': `${ANSWER_FOLDER}/application-list.schema.json`,
  'ccp application delete': `${ANSWER_FOLDER}/application-delete.schema.json`,
  'ccp host-label assign': `${ANSWER_FOLDER}/host-label.schema.json`,
  'ccp host-label list': `${ANSWER_FOLDER}/host-label.schema.json`,
  'ccp host-label remove': `${ANSWER_FOLDER}/host-label.schema.json`,
  'ccp helm-override show': `${ANSWER_FOLDER}/helm-override.schema.json`,
  'ccp helm-override update': `${ANSWER_FOLDER}/helm-override.schema.json`,
  'ccp helm-override delete': `${ANSWER_FOLDER}/helm-override.schema.json`,
  'ccp helm-override list': `${ANSWER_FOLDER}/helm-override-list.schema.json`,
  'ccp export yaml': `${ANSWER_FOLDER}/export-yaml.schema.json`,
  'ccp export operator': `${ANSWER_FOLDER}/export-operator.schema.json`,
  'ccp operator run': `${ANSWER_FOLDER}/operator-run.schema.json`,
  'ccp operator install': `${ANSWER_FOLDER}/operator-install.schema.json`,
  'ccp operator uninstall': `${ANSWER_FOLDER}/operator-install.schema.json`,
  'ccp cache': `${ANSWER_FOLDER}/cache.schema.json`,
  'ccp clean': `${ANSWER_FOLDER}/clean.schema.json`,
  'ccp build': `${ANSWER_FOLDER}/build.schema.json`,
  'ccp run': `${ANSWER_FOLDER}/run.schema.json`,
  'ccp test': `${ANSWER_FOLDER}/test.schema.json`,
  'ccp inspect': `${ANSWER_FOLDER}/inspect.schema.json`,
  'ccp diff-image': `${ANSWER_FOLDER}/diff-image.schema.json`,
  'ccp keygen': `${ANSWER_FOLDER}/keygen.schema.json`,
  'ccp publish': `${ANSWER_FOLDER}/publish.schema.json`,
  'ccp sign': `${ANSWER_FOLDER}/sign.schema.json`,
  'ccp verify': `${ANSWER_FOLDER}/verify.schema.json`,
  'ccp cves': `${ANSWER_FOLDER}/cves.schema.json`,
  'ccp release create': `${ANSWER_FOLDER}/release-create.schema.json`,
  'ccp release list': `${ANSWER_FOLDER}/release-list.schema.json`,
  'ccp release show': `${ANSWER_FOLDER}/release-show.schema.json`,
  'ccp release diff': `${ANSWER_FOLDER}/release-diff.schema.json`,
  'ccp release promote': `${ANSWER_FOLDER}/release-alias.schema.json`,
  'ccp release rollback': `${ANSWER_FOLDER}/release-alias.schema.json`,
  'ccp release rebuild': `${ANSWER_FOLDER}/release-rebuild.schema.json`,
  'ccp release verify': `${ANSWER_FOLDER}/release-verify.schema.json`,
  'ccp release mirror': `${ANSWER_FOLDER}/release-mirror.schema.json`,
  'ccp release bundle': `${ANSWER_FOLDER}/release-bundle.schema.json`,
  'ccp deploy validate': `${ANSWER_FOLDER}/deploy-validate.schema.json`,
  'ccp deploy explain': `${ANSWER_FOLDER}/deploy-explain.schema.json`,
  'ccp deploy plan': `${ANSWER_FOLDER}/deploy-plan.schema.json`,
  'ccp deploy apply': `${ANSWER_FOLDER}/deploy-apply.schema.json`,
  'ccp deploy upgrade': `${ANSWER_FOLDER}/deploy-apply.schema.json`,
  'ccp deploy scale': `${ANSWER_FOLDER}/deploy-apply.schema.json`,
  'ccp deploy status': `${ANSWER_FOLDER}/deploy-status.schema.json`,
  'ccp deploy wait': `${ANSWER_FOLDER}/deploy-wait.schema.json`,
  'ccp deploy diff': `${ANSWER_FOLDER}/deploy-plan.schema.json`,
  'ccp deploy rollback': `${ANSWER_FOLDER}/deploy-apply.schema.json`,
  'ccp deploy history': `${ANSWER_FOLDER}/deploy-history.schema.json`,
  'ccp deploy logs': `${ANSWER_FOLDER}/deploy-logs.schema.json`,
  'ccp deploy action list': `${ANSWER_FOLDER}/deploy-action-list.schema.json`,
  'ccp deploy action run': `${ANSWER_FOLDER}/deploy-action-run.schema.json`,
  'ccp deploy backup export': `${ANSWER_FOLDER}/deploy-backup-export.schema.json`,
  'ccp deploy backup import': `${ANSWER_FOLDER}/deploy-backup-import.schema.json`,
  'ccp deploy backup import-keys': `${ANSWER_FOLDER}/deploy-backup-import-keys.schema.json`,
  'ccp deploy support-bundle': `${ANSWER_FOLDER}/deploy-support-bundle.schema.json`,
  'ccp deploy delete': `${ANSWER_FOLDER}/deploy-delete.schema.json`,
  'ccp up': `${ANSWER_FOLDER}/up.schema.json`,
  'ccp down': `${ANSWER_FOLDER}/down.schema.json`,
  'ccp doctor': `${ANSWER_FOLDER}/doctor.schema.json`,
  'ccp completion': `${ANSWER_FOLDER}/completion.schema.json`,
  'ccp help': `${ANSWER_FOLDER}/help.schema.json`,
  'ccp --version': `${ANSWER_FOLDER}/version.schema.json`,
  'several series': `${ANSWER_FOLDER}/several-series.schema.json`,
  error: `${ANSWER_FOLDER}/error.schema.json`,
};

/** Commands whose `--json` output has no schema, with the reason. */
const EXEMPT: Readonly<Record<string, string>> = {
  'ccp nx': 'its output comes from Nx',
};

/** Commands without a schema and without a reason for it. */
export async function undescribedCommands(root: string): Promise<readonly string[]> {
  const program = await createProgram(root, () => undefined);
  return commandsOf(program)
    .map(pathOf)
    .filter((name) => ANSWERS[name] === undefined && EXEMPT[name] === undefined);
}

/** Files that ccp writes, by the title of their schema. */
export const FILES: Readonly<Record<string, string>> = {
  Plan: 'tools/plan/schemas/plan.schema.json',
  'Image set': 'tools/release/schemas/image-set.schema.json',
  Lock: 'tools/locks/schemas/lock.schema.json',
};

/** The page of all answers with `--json`. */
export function answersPage(root: string): string {
  const files = Object.entries(FILES).map(([title, path]) => `- ${title}: \`${path}\``);
  const exempt = Object.entries(EXEMPT).map(([name, reason]) => `- \`${name}\`: ${reason}`);
  const own = Object.entries(ANSWERS).filter(([, path]) => path.startsWith(ANSWER_FOLDER));
  return [
    '# JSON answers',
    'With `--json`, a command prints one JSON document on standard output. The schemas below describe it; the tests compare them with real answers. An answer has no keys that its schema does not name, except Kubernetes objects.',
    'Commands that apply a site print their progress to standard error and one document at the end. `ccp deploy status --watch` prints one document for each change.',
    ['All commands have a schema, except:', '', ...exempt].join('\n'),
    'A plan is described in [Plan](plan.md).',
    `Files that ccp writes:\n\n${files.join('\n')}`,
    ...[...new Set(own.map(([, path]) => path))].map((path) =>
      section(root, headingOf(own.filter(([, each]) => each === path).map(([name]) => name)), path),
    ),
  ].join('\n\n');
}

/** Longest heading with all names. */
const WIDTH = 100;

/** The names of commands; if they are too long together, only the first one has its group. */
function headingOf([first = '', ...others]: readonly string[]): string {
  const whole = [first, ...others].join(', ');
  if (whole.length <= WIDTH) return whole;
  return [first, ...others.map((name) => name.slice(name.lastIndexOf(' ') + 1))].join(', ');
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
