/** Default width of a terminal. */
const COLUMNS = 80;

/** The terminal properties in use; tests pass a fake. */
export interface Screen {
  readonly columns: number;
  readonly now: () => number;
}

/** The terminal of stderr. */
export function systemScreen(): Screen {
  return {
    get columns() {
      return process.stderr.columns ?? COLUMNS;
    },
    now: () => Date.now(),
  };
}
