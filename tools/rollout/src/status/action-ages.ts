import type { LiveObject } from '#ports';
import { keyOf, type Home, type ObjectKey, type RenderedAction, type RenderedSite } from '#site';
import type { ActionRun } from '../record/run-store.ts';
import type { Ledger } from '../record/ledger.ts';

/** The age of an action's last good run, of an action that must not be too old. */
export interface ActionAge {
  readonly id: string;
  /** RFC 3339; absent if it never ran well, or not within the kept history. */
  readonly last?: string;
  /** Seconds. */
  readonly maxAge: number;
  readonly old: boolean;
}

interface AgeFacts {
  /** The site, which keys depend on. */
  readonly home: Home;
  readonly rendered: Pick<RenderedSite, 'steps' | 'actions'>;
  readonly runs: readonly ActionRun[];
  readonly ledger: Ledger;
  readonly object: (key: ObjectKey) => LiveObject | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * The ages of actions with a `maxAge`, from runs by people and by schedules. An action that never
 * ran is old once the site is.
 */
export function actionAges({ home, rendered, runs, ledger, object, now }: AgeFacts): ActionAge[] {
  const first = Object.values(ledger)
    .map(({ at }) => at)
    .sort()[0];
  return rendered.actions.flatMap((action) => {
    const { id, maxAge } = action;
    if (maxAge === undefined) return [];
    const byPerson = runs.findLast((run) => run.action === id && run.state === 'good')?.endedAt;
    const times = [byPerson, ...scheduledRuns(rendered, action, { object, home })]
      .filter((time) => time !== undefined)
      .sort((a, b) => Date.parse(a) - Date.parse(b));
    const last = times.at(-1);
    const since = last ?? first;
    const old = since !== undefined && now - Date.parse(since) > maxAge * 1000;
    return [{ id, maxAge, old, ...(last === undefined ? {} : { last }) }];
  });
}

const COMPONENT = 'app.kubernetes.io/component';
const INSTANCE = 'app.kubernetes.io/instance';

/** When the CronJobs of an action last succeeded. */
function scheduledRuns(
  { steps }: AgeFacts['rendered'],
  { job }: RenderedAction,
  { object, home }: Pick<AgeFacts, 'object' | 'home'>,
): readonly (string | undefined)[] {
  return steps
    .flatMap(({ objects }) => objects)
    .filter(({ kind, spec }) => {
      if (kind !== 'CronJob') return false;
      const { labels = {} } = (spec as CronSpec).jobTemplate.metadata;
      return [COMPONENT, INSTANCE].every((label) => labels[label] === job.metadata.labels?.[label]);
    })
    .map((cron) => {
      const status = object(keyOf(cron, home))?.['status'] as CronStatus | undefined;
      return status?.lastSuccessfulTime;
    });
}

interface CronStatus {
  readonly lastSuccessfulTime?: string;
}

interface CronSpec {
  readonly jobTemplate: {
    readonly metadata: { readonly labels?: Readonly<Record<string, string>> };
  };
}

/** The status line of an action's age. */
export function ageLine({ id, last, maxAge, old }: ActionAge): string {
  const limit = maxAge % 3600 === 0 ? `${maxAge / 3600} hours` : `${maxAge} seconds`;
  if (last === undefined)
    return old ? `  ! ${id}  has not succeeded in ${limit}` : `  · ${id}  has not succeeded yet`;
  return old
    ? `  ! ${id}  last succeeded at ${last}, more than ${limit} ago`
    : `  ✓ ${id}  last succeeded at ${last}`;
}
