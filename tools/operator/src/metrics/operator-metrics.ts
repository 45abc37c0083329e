import type { OperatorEvent } from '../reconcile/events.ts';

/** Upper bounds of the durations' buckets, in seconds. */
const BOUNDS = [0.1, 0.25, 0.5, 1, 2, 5, 10, 60, 600];

/** The last success of an action, in milliseconds since 1970, and whether that is too long ago. */
interface Age {
  readonly last: number | undefined;
  readonly old: boolean;
}

/** Counts events, and prints them in the text format of Prometheus. */
export interface OperatorMetrics {
  note(event: OperatorEvent): void;
  /** `now` is in milliseconds since 1970. */
  text(now: number): string;
}

export function operatorMetrics(): OperatorMetrics {
  const reconciles = new Map<string, number>();
  const drift = new Map<string, number>();
  const ready = new Map<string, number>();
  const backups = new Map<string, Age>();
  const buckets = BOUNDS.map(() => 0);
  let [milliseconds, count, leads] = [0, 0, 0];
  const add = (map: Map<string, number>, labels: string, by = 1): void =>
    void map.set(labels, (map.get(labels) ?? 0) + by);
  const lines = (name: string, map: ReadonlyMap<string, number>): string[] =>
    [...map].map(([labels, value]) => `${name}{${labels}} ${value}`);
  return {
    note: (event) => {
      if (event.type === 'leader') {
        leads = event.state === 'taken' ? 1 : 0;
        // What only a leader keeps up to date.
        for (const map of [ready, backups]) map.clear();
      }
      if (event.type === 'drift') add(drift, `resource="${event.resource}"`, event.objects.length);
      if (event.type === 'ages')
        for (const { id, last, old } of event.ages)
          backups.set(`resource="${event.resource}",action="${id}"`, {
            last: last === undefined ? undefined : Date.parse(last),
            old,
          });
      if (event.type !== 'reconciled') return;
      const seconds = event.milliseconds / 1000;
      add(reconciles, `resource="${event.resource}",outcome="${event.outcome}"`);
      ready.set(`resource="${event.resource}"`, event.outcome === 'Ready' ? 1 : 0);
      BOUNDS.forEach((bound, index) => {
        if (seconds <= bound) buckets[index]! += 1;
      });
      milliseconds += event.milliseconds;
      count += 1;
    },
    text: (now) =>
      [
        '# TYPE ccp_operator_leader gauge',
        `ccp_operator_leader ${leads}`,
        '# TYPE ccp_operator_reconciles_total counter',
        ...lines('ccp_operator_reconciles_total', reconciles),
        '# TYPE ccp_operator_reconcile_seconds histogram',
        ...BOUNDS.map(
          (bound, index) =>
            `ccp_operator_reconcile_seconds_bucket{le="${bound}"} ${buckets[index]}`,
        ),
        `ccp_operator_reconcile_seconds_bucket{le="+Inf"} ${count}`,
        `ccp_operator_reconcile_seconds_sum ${milliseconds / 1000}`,
        `ccp_operator_reconcile_seconds_count ${count}`,
        '# TYPE ccp_operator_ready gauge',
        ...lines('ccp_operator_ready', ready),
        '# TYPE ccp_operator_drifted_objects_total counter',
        ...lines('ccp_operator_drifted_objects_total', drift),
        '# TYPE ccp_operator_action_age_seconds gauge',
        ...[...backups].flatMap(([labels, { last }]) =>
          last === undefined
            ? []
            : [`ccp_operator_action_age_seconds{${labels}} ${Math.max(0, (now - last) / 1000)}`],
        ),
        '# TYPE ccp_operator_action_overdue gauge',
        ...[...backups].map(
          ([labels, { old }]) => `ccp_operator_action_overdue{${labels}} ${old ? 1 : 0}`,
        ),
        '',
      ].join('\n'),
  };
}
