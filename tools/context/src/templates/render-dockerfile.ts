import { CcpError, omitUndefined, throwFindings } from '#core';
import type { ImageDefinition } from '#definitions';
import { contextValue, type ContextValue } from './context-values.ts';
import { lintDockerfile } from './lint-dockerfile.ts';
import { exportedNames } from './lint-imports.ts';
import { lintTemplate } from './lint-template.ts';
import { locateLine } from './locate-line.ts';
import { parseNunjucks, syntaxMessage } from './nunjucks-ast.ts';
import { endlessTemplateError, RenderBudget } from './render-budget.ts';
import { runTemplate, type RunnableTemplate } from './run-template.ts';
import type { TemplateValue } from './template-values.ts';
import { parentArg, templateContext, type TemplateInput } from './template-context.ts';
import {
  readTemplate,
  TEMPLATE_FILE,
  type TemplateFile,
  type TemplateHashes,
} from './template-files.ts';

/**
 * Changed whenever the same template could render or be checked differently; part of the key of
 * every stored rendering.
 */
export const RENDERER_VERSION = 'nunjucks 3.2.4, dialect 8';

/** Characters of all templates of an image; their syntax trees stay in memory. */
const MAX_TEMPLATES = 2 * 1024 * 1024;

/**
 * Renders the image's Dockerfile from `images/<name>/Dockerfile.njk`; reading templates is the only
 * I/O. Raises all findings of the first failing pass: `template-missing`, `template-syntax`,
 * `template-dialect`, `template-name` and `template-value` with file and line, `template-endless`
 * with the file, `dockerfile-unsafe` with the line that most likely produced the instruction; and
 * the errors of `readTemplate`.
 */
export function renderDockerfile(input: TemplateInput, hashes?: TemplateHashes): string {
  const context = new Map<string, TemplateValue>();
  const findings: CcpError[] = [];
  for (const [name, value] of Object.entries(templateContext(input))) {
    try {
      context.set(name, contextValue(value, name));
    } catch (thrown) {
      if (!(thrown instanceof CcpError)) throw thrown;
      findings.push(
        new CcpError({
          code: thrown.code,
          message: thrown.message,
          at: input.definition.positions.definition,
          ...omitUndefined({ hint: thrown.hint }),
        }),
      );
    }
  }
  throwFindings(findings);
  const templates = new Templates(input.definition, templateContext(input), hashes);
  const text = `${render(templates, context).trim()}\n`;
  const lines = text.split('\n');
  throwFindings(
    lintDockerfile(text, Object.keys(input.definition.parents).map(parentArg)).map(
      ({ line, message, hint }) => {
        const at = locateLine(lines[line - 1] ?? '', templates.read) ?? {
          file: templates.main.file,
        };
        return new CcpError({
          code: 'dockerfile-unsafe',
          message,
          at,
          ...omitUndefined({ hint }),
        });
      },
    ),
  );
  return text;
}

/** The templates of one rendering; each is checked before it runs. */
class Templates {
  readonly #read: (name: string) => TemplateFile;
  readonly #files = new Map<string, TemplateFile>();
  readonly #linted = new Map<string, RunnableTemplate>();
  /** Exports of each imported template, so that many imports of a template parse it once. */
  readonly #exports = new Map<string, readonly string[]>();
  readonly main: TemplateFile;

  constructor(
    definition: ImageDefinition,
    context: Readonly<Record<string, ContextValue>>,
    hashes: TemplateHashes | undefined,
  ) {
    const known = new Map<string, TemplateFile>();
    let total = 0;
    this.#read = (name) => {
      const found = known.get(name);
      if (found !== undefined) return found;
      const read = readTemplate(definition, name, hashes);
      total += read.text.length;
      if (total > MAX_TEMPLATES) throw tooMuchTemplate(read.file);
      known.set(name, read);
      return read;
    };
    this.main = this.#read(TEMPLATE_FILE);
    this.#check(TEMPLATE_FILE, this.main, context);
  }

  get read(): readonly TemplateFile[] {
    return [...this.#files.values()];
  }

  get(name: string): RunnableTemplate {
    const known = this.#linted.get(name);
    return known ?? this.#check(name, this.#read(name), {});
  }

  /** Parses a template without checking it, so that templates can import each other. */
  #exportsOf(name: string): readonly string[] {
    const known = this.#exports.get(name);
    if (known !== undefined) return known;
    const { text, file } = this.#read(name);
    const exports = exportedNames(parseNunjucks(text, file));
    this.#exports.set(name, exports);
    return exports;
  }

  #check(
    name: string,
    template: TemplateFile,
    context: Readonly<Record<string, ContextValue>>,
  ): RunnableTemplate {
    try {
      const root = parseNunjucks(template.text, template.file);
      throwFindings(lintTemplate(template, root, context, (imported) => this.#exportsOf(imported)));
      this.#files.set(name, template);
      const linted = { root, file: template.file };
      this.#linted.set(name, linted);
      return linted;
    } catch (thrown) {
      if (!(thrown instanceof RangeError)) throw thrown;
      throw new CcpError({
        code: 'template-syntax',
        message: syntaxMessage(thrown),
        at: { file: template.file },
        cause: thrown,
      });
    }
  }
}

function tooMuchTemplate(file: string): CcpError {
  return new CcpError({
    code: 'template-syntax',
    message: `the templates of the image have more than ${MAX_TEMPLATES} characters in total`,
    hint: 'import fewer templates, or put long texts into files/',
    at: { file },
  });
}

function render(templates: Templates, context: ReadonlyMap<string, TemplateValue>): string {
  const file = templates.main.file;
  const budget = new RenderBudget();
  try {
    return runTemplate(templates.get(TEMPLATE_FILE), context, (name) => templates.get(name), budget)
      .text;
  } catch (thrown) {
    // The position where the limit was reached is arbitrary, so the error names only the file.
    if (thrown instanceof CcpError && thrown.code === 'template-endless')
      throw endlessTemplateError(file);
    throw thrown;
  }
}
