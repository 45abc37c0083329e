/**
 * A value in a running template: a primitive, a list created by the interpreter, a `Table` or a
 * `Macro`. Templates never receive objects or functions of the program.
 */
export type Value = undefined | null | boolean | number | string | readonly Value[] | Table | Macro;

/**
 * A record. Members are map entries, so that no name can select an object property or a prototype.
 */
export class Table {
  readonly members: ReadonlyMap<string, Value>;
  /**
   * The record's name in templates, if all its members are known; a missing member is then an
   * error.
   */
  readonly path: string | undefined;

  constructor(members: ReadonlyMap<string, Value>, path?: string) {
    this.members = members;
    this.path = path;
  }
}

/** Arguments of a call in a template. */
export interface Arguments {
  readonly values: readonly Value[];
  readonly named: ReadonlyMap<string, Value>;
}

/** A macro or the body of a call block, the only callable values. */
export class Macro {
  readonly name: string;
  readonly call: (given: Arguments) => string;

  constructor(name: string, call: (given: Arguments) => string) {
    this.name = name;
    this.call = call;
  }
}

/** True for a list; unlike `Array.isArray`, it also narrows readonly lists. */
export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

/** The kind of a value with its article, for messages. */
export function kindOf(value: Value): string {
  if (value === undefined) return 'an undefined value';
  if (value === null) return 'null';
  if (typeof value === 'string') return 'a text';
  if (typeof value === 'number') return 'a number';
  if (typeof value === 'boolean') return 'a boolean';
  if (value instanceof Table) return 'a record';
  return value instanceof Macro ? 'a macro' : 'a list';
}

/** False for null, undefined, false, 0, NaN and the empty text. */
export function isTrue(value: Value): boolean {
  return Boolean(value);
}
