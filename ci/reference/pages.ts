import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { wrapLine } from '../../tools/cli/src/report/wrap.ts';
import { answersPage } from './answers.ts';
import { commandsPage } from './commands.ts';
import { exitCodesPage } from './exit-codes.ts';
import { schemaPage, type Schema } from './schema-page.ts';

/** Files that people or ccp write, by the page that describes their keys. */
const SCHEMAS: Readonly<Record<string, string>> = {
  'image.md': 'tools/definitions/schemas/image.schema.json',
  'app-spec.md': 'tools/definitions/schemas/app-spec.schema.json',
  'site.md': 'tools/definitions/schemas/site.schema.json',
  'series.md': 'tools/definitions/schemas/series.schema.json',
  'workspace-overlay.md': 'tools/definitions/schemas/overlay.schema.json',
  'image-overlay.md': 'tools/definitions/schemas/image-overlay.schema.json',
  'settings.md': 'tools/cli/schemas/settings.schema.json',
  'plan.md': 'tools/plan/schemas/plan.schema.json',
  'cve-policy.md': 'tools/cves/schemas/cve-policy.schema.json',
  'image-set.md': 'tools/release/schemas/image-set.schema.json',
};

const NOTE = '<!-- Written by "npm run docs" from schemas, commands and codes; do not edit. -->';

/** Every page of docs/reference, by its name. */
export async function referencePages(root: string): Promise<ReadonlyMap<string, string>> {
  const pages = new Map<string, string>([
    ['commands.md', await commandsPage(root)],
    ['exit-codes.md', exitCodesPage(root)],
  ]);
  pages.set('answers.md', answersPage(root));
  for (const [name, path] of Object.entries(SCHEMAS)) {
    const load = (file: string): Schema =>
      JSON.parse(readFileSync(join(root, dirname(path), file), 'utf8')) as Schema;
    pages.set(name, `${schemaPage(load(basename(path)), load)}\n\nSchema: \`${path}\``);
  }
  const titles = [...pages].map(([name, text]) => `- [${titleOf(text)}](${name})`);
  pages.set('README.md', `# Reference\n\n${titles.join('\n')}`);
  return new Map([...pages].map(([name, text]) => [name, `${NOTE}\n\n${wrapped(text)}\n`]));
}

/** Columns of a paragraph. */
const COLUMNS = 110;

/** A page with its paragraphs wrapped; tables, code and links stay whole. */
function wrapped(page: string): string {
  return page
    .split(/(```[^]*?```)/)
    .map((part) => (part.startsWith('```') ? part : part.replaceAll(/^[A-Z].*$/gm, wrapParagraph)))
    .join('');
}

function wrapParagraph(line: string): string {
  return wrapLine(line, { columns: COLUMNS, indent: 0, wholeWords: true }).join('\n');
}

function titleOf(text: string): string {
  return (/^# (.+)$/m.exec(text) as RegExpExecArray)[1] as string;
}
