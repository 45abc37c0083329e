/** A scalar in a configuration file or an environment; text can contain `${reference}`s. */
export type SpecScalar = string | number | boolean;

/** One text for each item of a list reference; `${item}` in `value` is the item. */
export interface EachValue {
  readonly each: string;
  readonly value: string;
}

/**
 * A value of a configuration file: a scalar, one text for each item of a list, a list, or a map;
 * null removes an earlier value.
 */
export type ConfigValue =
  SpecScalar | EachValue | readonly ConfigValue[] | { readonly [key: string]: ConfigValue | null };

/** True if that optional requirement is met, or is not met. */
export type RequirementCondition = `requires.${string}` | `not requires.${string}`;

/** Part of a configuration file; later layers override single keys, or the whole of a text. */
export interface ConfigLayer {
  readonly when?: RequirementCondition;
  readonly content: string | { readonly [key: string]: ConfigValue | null };
}

/** A configuration file by name in `config`, composed of its layers. */
export interface ConfigSpec {
  readonly format: 'ini' | 'properties' | 'yaml' | 'text';
  readonly executable?: boolean;
  /** Pods are not replaced when the content changes: the file changes in running pods. */
  readonly live?: boolean;
  readonly layers: readonly ConfigLayer[];
}
