import { expect, it } from 'vitest';
import { codeOf, messageOf } from '#core';
import { checkVerb, failedState, isBusy, type ApplicationState } from './states.ts';

const STATES: readonly ApplicationState[] = [
  ...(['uploading', 'uploaded', 'upload-failed', 'applying', 'applied', 'apply-failed'] as const),
  ...(['updating', 'recovering', 'update-failed', 'removing', 'remove-failed'] as const),
];
const VERBS = ['upload', 'apply', 'update', 'remove', 'delete', 'abort'] as const;

it('allows these verbs in each state', () => {
  const rows = STATES.map((state) => {
    const allowed = VERBS.filter((verb) => {
      try {
        checkVerb('cloud', verb, state);
        return true;
      } catch (thrown) {
        expect(codeOf(thrown)).toBe('application-state');
        return false;
      }
    });
    return `${state}: ${allowed.join(', ')}`;
  });
  expect(rows.join('\n')).toMatchInlineSnapshot(`
    "uploading: upload, delete
    uploaded: apply, delete
    upload-failed: delete
    applying: apply, abort
    applied: apply, update, remove
    apply-failed: apply, remove
    updating: update, abort
    recovering: update, abort
    update-failed: apply, update, remove
    removing: remove, abort
    remove-failed: remove"
  `);
});

it('names the states that a refused verb needs, and the verbs of this state', () => {
  const refusal = (verb: (typeof VERBS)[number], state: ApplicationState): string => {
    try {
      checkVerb('cloud', verb, state);
    } catch (thrown) {
      return messageOf(thrown);
    }
    return 'allowed';
  };
  expect(refusal('update', 'uploaded')).toBe(
    'cloud is uploaded: `ccp application update` needs applied or update-failed',
  );
  expect(refusal('abort', 'applied')).toBe(
    'cloud is applied: `ccp application abort` needs a run that is under way',
  );
});

it('has a failed state for each busy one', () => {
  expect(STATES.filter(isBusy).map((state) => `${state} ${failedState(state)}`)).toEqual([
    'uploading upload-failed',
    'applying apply-failed',
    'updating update-failed',
    'recovering update-failed',
    'removing remove-failed',
  ]);
});
