import { canonicalJson, counted, sha256, type Json } from '#core';
import type { DeployPlan } from '#rollout';

/** Hash of everything that a plan changes: a plan that does the same has the same hash. */
export function planHash({ content, objects, prune, steps, rollbackTo }: DeployPlan): string {
  const changed = objects
    .filter(({ action }) => action !== 'unchanged')
    .map(({ key, action, changes, conflicts }) => ({ key, action, changes, conflicts }));
  return sha256(
    canonicalJson({
      content,
      changed,
      prune: prune.map(({ key }) => key),
      deferred: steps.filter(({ deferred }) => deferred !== undefined).map(({ id }) => id),
      rollbackTo: rollbackTo ?? null,
    } as unknown as Json),
  );
}

/** A plan in one sentence. */
export function planSummary({
  objects,
  prune,
  rolls,
  schemaHops = [],
  revision,
}: DeployPlan): string {
  const of = (...actions: readonly string[]): number =>
    objects.filter(({ action }) => actions.includes(action)).length;
  const pods = rolls.reduce((sum, roll) => sum + roll.pods, 0);
  return [
    `revision ${revision}: ${of('create')} to create`,
    `${of('update', 'replace')} to change`,
    `${prune.length} to prune`,
    `${counted(pods, 'pod')} replaced`,
    ...(schemaHops.length === 0
      ? []
      : [
          `${counted(schemaHops.length, 'database schema')} changed${schemaHops.some(({ rollback }) => rollback === 'no') ? ', which forbids a rollback' : ''}`,
        ]),
  ].join(', ');
}
