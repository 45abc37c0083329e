/**
 * A value in a running template: a primitive, a list created by the interpreter, a `TemplateRecord`
 * or a `TemplateMacro`. Templates never receive objects or functions of the program.
 */
export type TemplateValue =
  | undefined
  | null
  | boolean
  | number
  | string
  | readonly TemplateValue[]
  | TemplateRecord
  | TemplateMacro;

/**
 * A record. Members are map entries, so that no name can select an object property or a prototype.
 */
export class TemplateRecord {
  readonly members: ReadonlyMap<string, TemplateValue>;
  /**
   * The record's name in templates, if all its members are known; a missing member is then an
   * error.
   */
  readonly path: string | undefined;

  constructor(members: ReadonlyMap<string, TemplateValue>, path?: string) {
    this.members = members;
    this.path = path;
  }
}

/** Arguments of a call in a template. */
export interface TemplateArguments {
  readonly values: readonly TemplateValue[];
  readonly named: ReadonlyMap<string, TemplateValue>;
}

/** A macro or the body of a call block, the only callable values. */
export class TemplateMacro {
  readonly name: string;
  readonly call: (given: TemplateArguments) => string;

  constructor(name: string, call: (given: TemplateArguments) => string) {
    this.name = name;
    this.call = call;
  }
}

/** True for a list; unlike `Array.isArray`, it also narrows readonly lists. */
export function isList(value: TemplateValue): value is readonly TemplateValue[] {
  return Array.isArray(value);
}

/** The kind of a value with its article, for messages. */
export function kindOf(value: TemplateValue): string {
  if (value === undefined) return 'an undefined value';
  if (value === null) return 'null';
  if (typeof value === 'string') return 'a text';
  if (typeof value === 'number') return 'a number';
  if (typeof value === 'boolean') return 'a boolean';
  if (value instanceof TemplateRecord) return 'a record';
  return value instanceof TemplateMacro ? 'a macro' : 'a list';
}

/** False for null, undefined, false, 0, NaN and the empty text. */
export function isTrue(value: TemplateValue): boolean {
  return Boolean(value);
}
