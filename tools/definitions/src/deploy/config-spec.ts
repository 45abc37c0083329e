/** A plain value of a configuration file or an environment; text may hold `${reference}`s. `null` takes a lower layer's value away. */
export type SpecScalar = string | number | boolean;

/** One text for each item of a list reference; `${item}` in `value` is the item. */
export interface EachValue {
  readonly each: string;
  readonly value: string;
}

/** A value of a configuration file: plain, one text for each item of a list, a list, or a map of such. */
export type ConfigValue = SpecScalar | EachValue | readonly ConfigValue[] | { readonly [key: string]: ConfigValue | null };

/** Counts only where that optional requirement is met, or is not. */
export type Condition = `requires.${string}` | `not requires.${string}`;

/** Part of a configuration file; later layers win key by key, a whole text by text. */
export interface ConfigLayer {
  readonly when?: Condition;
  readonly content: string | { readonly [key: string]: ConfigValue | null };
}

/** A configuration file by name in `config`, written from its layers. */
export interface ConfigSpec {
  readonly format: 'ini' | 'properties' | 'yaml' | 'text';
  readonly executable?: boolean;
  readonly layers: readonly ConfigLayer[];
}
