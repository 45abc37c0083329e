/** Pause between two looks at the claims of other runs, in milliseconds. */
export const POLL_MS = 500;
/** Looks by the run with the first claim, before it continues. */
export const CLAIM_POLLS = 6;
/** Looks by a run that finds an older claim, before it ignores that claim: its run was killed. */
export const DEAD_POLLS = 12;

/** Waits between two looks. */
export type Sleep = (ms: number) => Promise<unknown>;
