import { CcpError, messageOf, throwFindings } from '#core';
import type { ImageDefinition } from '#definitions';
import type { ILoader } from 'nunjucks';
import { boundedTemplate, endless, RenderBudget, type Filter } from './bounded-template.ts';
import { lintDockerfile } from './lint-dockerfile.ts';
import { exportedNames, FILTERS, lintTemplate } from './lint-template.ts';
import { locateLine, locateText } from './locate-line.ts';
import { LEXER_OPTIONS, loadNunjucks, parseTemplate, positionOf, syntaxMessage } from './nunjucks-ast.ts';
import { strictValue, type TemplateValue } from './strict-record.ts';
import { parentArg, templateContext, type TemplateInput } from './template-context.ts';
import { readTemplate, TEMPLATE, type TemplateFile, type TemplateHashes } from './template-files.ts';

/** Changes whenever the same template may render otherwise or be judged otherwise: part of every remembered rendering. */
export const RENDERER = 'nunjucks 3.2.4, dialect 6';

/**
 * The image's Dockerfile from its template, `images/<name>/Dockerfile.njk`. Pure but for reading templates. Raises all findings of
 * the first pass that has any: `template-missing`, `template-syntax`, `template-dialect`, `template-name`, `template-value`
 * with the template's file and line, `template-endless` with its file, `dockerfile-unsafe` with the line that most likely wrote the instruction; and what `readTemplate`
 * raises, of `hashes` too.
 */
export function renderDockerfile(input: TemplateInput, hashes?: TemplateHashes): string {
  const context: Record<string, TemplateValue> = {};
  const findings: CcpError[] = [];
  for (const [name, value] of Object.entries(templateContext(input))) {
    try {
      context[name] = strictValue(value, name);
    } catch (thrown) {
      if (!(thrown instanceof CcpError)) throw thrown;
      findings.push(
        new CcpError({
          code: thrown.code,
          message: thrown.message,
          at: input.definition.positions.definition,
          ...(thrown.hint === undefined ? {} : { hint: thrown.hint }),
        }),
      );
    }
  }
  throwFindings(findings);
  const templates = new Templates(input.definition, templateContext(input), hashes);
  const text = `${render(templates, context).trim()}\n`;
  const lines = text.split('\n');
  throwFindings(
    lintDockerfile(text, Object.keys(input.definition.parents).map(parentArg)).map(({ line, message, hint }) => {
      const at = locateLine(lines[line - 1] ?? '', templates.read) ?? { file: templates.main.file };
      return new CcpError({ code: 'dockerfile-unsafe', message, at, ...(hint === undefined ? {} : { hint }) });
    }),
  );
  return text;
}

/** Templates of one rendering; each is linted before it is handed to nunjucks. */
class Templates {
  readonly #read: (name: string) => TemplateFile;
  readonly #files = new Map<string, TemplateFile>();
  readonly #code = new Map<string, ReturnType<typeof boundedTemplate>>();
  readonly main: TemplateFile;

  constructor(definition: ImageDefinition, context: Readonly<Record<string, TemplateValue>>, hashes: TemplateHashes | undefined) {
    this.#read = (name) => readTemplate(definition, name, hashes);
    this.main = this.#read(TEMPLATE);
    this.#check(TEMPLATE, this.main, context);
  }

  get read(): readonly TemplateFile[] {
    return [...this.#files.values()];
  }

  /** What nunjucks is to run of a template, and its file. */
  get(name: string): { readonly code: ReturnType<typeof boundedTemplate>; readonly file: string } {
    if (!this.#files.has(name)) this.#check(name, this.#read(name), {});
    return { code: this.#code.get(name)!, file: this.#files.get(name)!.file };
  }

  /** Read alone, not checked, so that templates may import one another. */
  #exportsOf(name: string): readonly string[] {
    const { text, file } = this.#read(name);
    return exportedNames(parseTemplate(text, file));
  }

  #check(name: string, template: TemplateFile, context: Readonly<Record<string, TemplateValue>>): void {
    try {
      const root = parseTemplate(template.text, template.file);
      throwFindings(lintTemplate(template, root, context, (imported) => this.#exportsOf(imported)));
      this.#files.set(name, template);
      this.#code.set(name, boundedTemplate(root, template.file));
    } catch (thrown) {
      if (!(thrown instanceof RangeError)) throw thrown;
      throw new CcpError({ code: 'template-syntax', message: syntaxMessage(thrown), at: { file: template.file }, cause: thrown });
    }
  }
}

function render(templates: Templates, context: Readonly<Record<string, TemplateValue>>): string {
  const nunjucks = loadNunjucks();
  let thrown: CcpError | undefined;
  const loader = {
    getSource(name: string) {
      try {
        const { code, file } = templates.get(name);
        return { src: code, path: file, noCache: true };
      } catch (cause) {
        if (cause instanceof CcpError) thrown = cause;
        throw cause;
      }
    },
  };
  const budget = new RenderBudget();
  const environment = new nunjucks.Environment([loader as unknown as ILoader], { autoescape: false, throwOnUndefined: true, dev: true, ...LEXER_OPTIONS });
  const internals = environment as unknown as { filters: Record<string, Filter>; globals: object };
  internals.filters = budget.filters(Object.fromEntries(Object.entries(internals.filters).filter(([name]) => FILTERS.includes(name))));
  internals.globals = {};
  try {
    const text = environment.render(TEMPLATE, context);
    budget.spend(text);
    return text;
  } catch (cause) {
    if (thrown !== undefined) throw thrown;
    throw renderError(cause, templates);
  }
}

/**
 * Ours, raised by a value, with the line that names the member (nunjucks keeps no line for members inside a macro); else what
 * nunjucks says, with its file and line.
 */
function renderError(thrown: unknown, templates: Templates): CcpError {
  const inner = innermost(thrown);
  // Lines that nunjucks knows are those of calls, which need not stand in the loop or macro that is meant.
  if (inner instanceof CcpError ? inner.code === 'template-endless' : /^\s*RangeError: /m.test(messageOf(thrown))) return endless(templates.main.file);
  if (inner instanceof CcpError) {
    const at = locateText(/[\w.]+$/.exec(inner.message)?.[0]?.replace(/^.*(?=\.)/, '') ?? '', templates.read) ?? { file: templates.main.file };
    return new CcpError({ code: inner.code, message: inner.message, at, ...(inner.hint === undefined ? {} : { hint: inner.hint }) });
  }
  const name = /\(([^)]+)\)/.exec(messageOf(thrown))?.[1];
  const file = templates.read.find((template) => template.file === name || template.file.endsWith(`/${name}`))?.file ?? templates.main.file;
  return new CcpError({ code: 'template-name', message: syntaxMessage(thrown), at: positionOf(file, thrown), cause: thrown });
}

function innermost(thrown: unknown): unknown {
  return thrown instanceof Error && thrown.cause instanceof Error ? innermost(thrown.cause) : thrown;
}
