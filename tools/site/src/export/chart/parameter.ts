import type { SiteInput } from '../../model/types.ts';

/** A value of a site that a chart can change without ccp. */
export interface Parameter {
  /** Instance whose objects it changes; absent for values of the whole site. */
  readonly instance?: string;
  /** Where values.yaml of the chart has it; below `global` for values of the whole site. */
  readonly path: readonly string[];
  readonly value: string | number | boolean;
  /** Comment in values.yaml. */
  readonly description: string;
  /** JSON Schema of the value. */
  readonly schema: object;
  /** Inputs with other values, the best one first. None is like `value` in its first character. */
  readonly probes: readonly Probe[];
}

export interface Probe {
  readonly value: string | number | boolean;
  readonly input: SiteInput;
  /** True if its result is the answer, unless the site cannot have the value. */
  readonly isFinal?: boolean;
}
