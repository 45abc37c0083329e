/** A value that a site may set, of the type of its default. */
export interface Setting {
  readonly description: string;
  readonly default: string | number | boolean;
  /** Least that a whole number may be. */
  readonly minimum?: number;
}
