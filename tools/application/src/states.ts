import { CcpError } from '#core';

/** The states of an application, as StarlingX's system inventory names them. */
export type ApplicationState =
  | 'uploading'
  | 'uploaded'
  | 'upload-failed'
  | 'applying'
  | 'applied'
  | 'apply-failed'
  | 'updating'
  | 'recovering'
  | 'update-failed'
  | 'removing'
  | 'remove-failed';

/** The commands that change the state of an application. */
export type ApplicationVerb = 'upload' | 'apply' | 'update' | 'remove' | 'delete' | 'abort';

/** States of a run that is under way, and the state after its failure. */
const FAILED = {
  uploading: 'upload-failed',
  applying: 'apply-failed',
  updating: 'update-failed',
  recovering: 'update-failed',
  removing: 'remove-failed',
} as const satisfies Partial<Record<ApplicationState, ApplicationState>>;

/** A state of a run that is under way. */
export type BusyState = keyof typeof FAILED;

/**
 * The states in which each verb is allowed; `missing` is an application that is not uploaded. A
 * busy state is that of a run that was killed: the verb continues it.
 */
const ALLOWED: Readonly<Record<ApplicationVerb, readonly (ApplicationState | 'missing')[]>> = {
  upload: ['missing', 'uploading'],
  apply: ['uploaded', 'applied', 'apply-failed', 'update-failed', 'applying'],
  update: ['applied', 'update-failed', 'updating', 'recovering'],
  remove: ['applied', 'apply-failed', 'update-failed', 'remove-failed', 'removing'],
  delete: ['uploaded', 'upload-failed', 'uploading'],
  abort: ['applying', 'updating', 'recovering', 'removing'],
};

/** Whether a run of this state is under way, or was killed. */
export function isBusy(state: ApplicationState): state is BusyState {
  return Object.hasOwn(FAILED, state);
}

/** The state of an application after a failed run. */
export function failedState(state: BusyState): ApplicationState {
  return FAILED[state];
}

/** The verbs that are allowed in a state. */
function verbsOf(state: ApplicationState | 'missing'): readonly ApplicationVerb[] {
  return (Object.keys(ALLOWED) as ApplicationVerb[]).filter((verb) =>
    ALLOWED[verb].includes(state),
  );
}

/** Throws `application-state` if a verb is not allowed in a state. */
export function checkVerb(name: string, verb: ApplicationVerb, state: ApplicationState): void {
  if (ALLOWED[verb].includes(state)) return;
  const commands = verbsOf(state).map((each) => `ccp application ${each}`);
  throw new CcpError({
    code: 'application-state',
    message: `${name} is ${state}: \`ccp application ${verb}\` needs ${listed(ALLOWED[verb])}`,
    hint: `in this state use ${commands.join(', ')}`,
  });
}

function listed(states: readonly (ApplicationState | 'missing')[]): string {
  const [last, ...others] = states
    .filter((state) => state === 'missing' || !isBusy(state))
    .map((state) => (state === 'missing' ? 'no application of this name' : state))
    .reverse();
  if (last === undefined) return 'a run that is under way';
  return others.length === 0 ? last : `${others.reverse().join(', ')} or ${last}`;
}
