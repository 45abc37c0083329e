import { evaluateNode, locateRefusal, type Evaluation } from './evaluate.ts';
import { exportedNames } from './lint-imports.ts';
import { childrenOf, isNode, nameIn, partOf, type AstNode } from './nunjucks-ast.ts';
import { textOf } from './operators.ts';
import type { RenderBudget } from './render-budget.ts';
import { TemplateFrame } from './template-frame.ts';
import { TemplateRefusal } from './template-refusal.ts';
import {
  isList,
  isTrue,
  kindOf,
  TemplateMacro,
  TemplateRecord,
  type TemplateArguments,
  type TemplateValue,
} from './template-values.ts';

/** A checked template. */
export interface RunnableTemplate {
  readonly root: AstNode;
  /** For messages. */
  readonly file: string;
}

/** Returns the template for the name in an import. */
export type TemplateLoader = (name: string) => RunnableTemplate;

/** The output of a template and its exported names. */
export interface TemplateResult {
  readonly text: string;
  readonly exported: TemplateRecord;
}

/**
 * Runs a template by walking its syntax tree. Raises what `evaluateNode` and `load` raise.
 */
export function runTemplate(
  template: RunnableTemplate,
  context: ReadonlyMap<string, TemplateValue>,
  load: TemplateLoader,
  budget: RenderBudget,
): TemplateResult {
  const frame = new TemplateFrame();
  for (const [name, value] of context) frame.declare(name, value);
  const run = new TemplateRun(template.file, new TemplateFrame(frame), load, budget);
  const text = run.write(template.root, run.top);
  const exported = exportedNames(template.root).map((name): [string, TemplateValue] => [
    name,
    run.top.get(name),
  ]);
  return { text, exported: new TemplateRecord(new Map(exported)) };
}

class TemplateRun implements Evaluation {
  readonly file: string;
  readonly top: TemplateFrame;
  readonly budget: RenderBudget;
  readonly #load: TemplateLoader;

  constructor(file: string, top: TemplateFrame, load: TemplateLoader, budget: RenderBudget) {
    this.file = file;
    this.top = top;
    this.#load = load;
    this.budget = budget;
  }

  write(node: AstNode, frame: TemplateFrame): string {
    const written: string[] = [];
    this.#execute(node, frame, written);
    return written.join('');
  }

  caller(node: AstNode, frame: TemplateFrame): TemplateMacro {
    return this.#macro('caller', node, frame);
  }

  #execute(node: AstNode, frame: TemplateFrame, written: string[]): void {
    this.budget.enter();
    try {
      this.#statement(node, frame, written);
    } catch (thrown) {
      throw locateRefusal(thrown, node, this.file);
    }
    this.budget.leave();
  }

  #statement(node: AstNode, frame: TemplateFrame, written: string[]): void {
    switch (node.typename) {
      case 'Root':
      case 'NodeList':
        for (const child of childrenOf(node)) this.#execute(child, frame, written);
        return;
      case 'Output':
        for (const child of childrenOf(node)) this.#output(child, frame, written);
        return;
      case 'If':
        return this.#if(node, frame, written);
      case 'For':
        return this.#for(node, frame, written);
      case 'Set':
        return this.#set(node, frame);
      case 'Macro': {
        const name = nameIn(partOf(node, 'name'));
        frame.declare(name, this.#macro(name, node, this.top));
        return;
      }
      case 'Import':
        frame.declare(nameIn(partOf(node, 'target')), this.#import(node));
        return;
      case 'FromImport':
        return this.#fromImport(node, frame);
      default:
        throw new TemplateRefusal(`${node.typename} is not a statement`);
    }
  }

  #output(node: AstNode, frame: TemplateFrame, written: string[]): void {
    const text =
      node.typename === 'TemplateData'
        ? String(node['value'])
        : textOf(evaluateNode(node, frame, this), this.budget);
    this.budget.characters(text.length);
    written.push(text);
  }

  #if(node: AstNode, frame: TemplateFrame, written: string[]): void {
    const branch = isTrue(evaluateNode(partOf(node, 'cond'), frame, this)) ? 'body' : 'else_';
    if (isNode(node[branch])) this.#execute(node[branch], frame, written);
  }

  #for(node: AstNode, outer: TemplateFrame, written: string[]): void {
    const frame = new TemplateFrame(outer);
    const names = partOf(node, 'name');
    const rounds =
      names.typename === 'Array'
        ? this.#unpacked(evaluateNode(partOf(node, 'arr'), frame, this), childrenOf(names))
        : this.#items(evaluateNode(partOf(node, 'arr'), frame, this), names);
    rounds.forEach((values, index) => {
      this.budget.round();
      for (const [name, value] of values) frame.declare(name, value);
      frame.declare('loop', loopAt(index, rounds.length));
      this.#execute(partOf(node, 'body'), frame, written);
    });
    if (rounds.length === 0 && isNode(node['else_'])) this.#execute(node['else_'], frame, written);
  }

  /** Names and values for each round of a loop with one name. */
  #items(value: TemplateValue, name: AstNode): readonly (readonly [string, TemplateValue])[][] {
    if (!isTrue(value)) return [];
    if (value instanceof TemplateRecord)
      throw new TemplateRefusal(
        `a loop over a record needs two names, not only ${nameIn(name)}`,
        'write for name, value in …',
      );
    if (typeof value !== 'string' && !isList(value))
      throw new TemplateRefusal(`cannot loop over ${kindOf(value)}`);
    this.budget.items(value.length);
    return Array.from({ length: value.length }, (_, index) => [[nameIn(name), value[index]]]);
  }

  /**
   * Names and values for each round of a loop with several names: the members of a record, or
   * unpacked list items.
   */
  #unpacked(
    value: TemplateValue,
    names: readonly AstNode[],
  ): readonly (readonly [string, TemplateValue])[][] {
    if (!isTrue(value)) return [];
    if (value instanceof TemplateRecord) {
      const [key, member, ...others] = names.map(nameIn);
      if (member === undefined || others.length > 0)
        throw new TemplateRefusal(
          'a loop over a record needs two names',
          'write for name, value in …',
        );
      this.budget.items(value.members.size);
      return [...value.members].map((entry) => [
        [key!, entry[0]],
        [member, entry[1]],
      ]);
    }
    if (!isList(value))
      throw new TemplateRefusal(`cannot loop over ${kindOf(value)} with several names`);
    this.budget.items(value.length * names.length);
    return value.map((item) => {
      if (!isList(item))
        throw new TemplateRefusal(`cannot unpack ${kindOf(item)} into several names`);
      return names.map((name, index) => [nameIn(name), item[index]] as const);
    });
  }

  #set(node: AstNode, frame: TemplateFrame): void {
    const value = evaluateNode(partOf(node, isNode(node['value']) ? 'value' : 'body'), frame, this);
    const targets = node['targets'] as readonly AstNode[];
    this.budget.items(targets.length);
    for (const target of targets) frame.assign(nameIn(target), value);
  }

  #import(node: AstNode): TemplateRecord {
    this.budget.round();
    const template = this.#load(nameIn(partOf(node, 'template')));
    return runTemplate(template, new Map(), this.#load, this.budget).exported;
  }

  #fromImport(node: AstNode, frame: TemplateFrame): void {
    const { members } = this.#import(node);
    const names = childrenOf(partOf(node, 'names'));
    this.budget.items(names.length);
    for (const name of names) {
      const [from, to] =
        name.typename === 'Pair' ? [partOf(name, 'key'), partOf(name, 'value')] : [name, name];
      frame.declare(nameIn(to), members.get(nameIn(from)));
    }
  }

  /** A macro whose body can read the names in `around`. */
  #macro(name: string, node: AstNode, around: TemplateFrame): TemplateMacro {
    const given = childrenOf(partOf(node, 'args'));
    const defaults = given.at(-1)?.typename === 'KeywordArgs' ? childrenOf(given.at(-1)!) : [];
    const positional = given.filter(({ typename }) => typename === 'Symbol').map(nameIn);
    return new TemplateMacro(name, ({ values, named }: TemplateArguments) => {
      const frame = new TemplateFrame(around, true);
      this.budget.items(positional.length + defaults.length);
      const caller = named.get('caller');
      if (caller !== undefined) frame.declare('caller', caller);
      positional.forEach((each, index) =>
        frame.declare(each, index < values.length ? values[index] : named.get(each)),
      );
      defaults.forEach((pair, index) => {
        const each = nameIn(partOf(pair, 'key'));
        const place = positional.length + index;
        if (place < values.length) frame.declare(each, values[place]);
        else if (named.has(each)) frame.declare(each, named.get(each));
        else frame.declare(each, evaluateNode(partOf(pair, 'value'), frame, this));
      });
      return this.write(partOf(node, 'body'), frame);
    });
  }
}

function loopAt(index: number, length: number): TemplateRecord {
  return new TemplateRecord(
    new Map<string, TemplateValue>([
      ['index', index + 1],
      ['index0', index],
      ['revindex', length - index],
      ['revindex0', length - index - 1],
      ['first', index === 0],
      ['last', index === length - 1],
      ['length', length],
    ]),
    'loop',
  );
}
