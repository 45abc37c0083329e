import type { OperatorEvent } from '#operator';
import type { Output } from '../../report/output.ts';

const WEBHOOK_MS = 10_000;

/** Prints the events of an operator, a line each; outcomes that repeat are left out. */
export function eventPrinter({ info, warn }: Pick<Output, 'info' | 'warn'>) {
  const last = new Map<string, string>();
  return (event: OperatorEvent): void => {
    switch (event.type) {
      case 'leader':
        return info(LEADER[event.state]);
      case 'reconciled': {
        if (last.get(event.resource) === event.outcome) return undefined;
        last.set(event.resource, event.outcome);
        return info(`${event.resource}: ${event.outcome} after ${event.milliseconds} ms`);
      }
      case 'drift':
        return warn(`${event.resource}: changed by others: ${event.objects.join(', ')}`);
      case 'note':
        return (event.warning ? warn : info)(`${event.resource}: ${event.message}`);
      case 'deploy':
        return event.event.type === 'step-ended'
          ? info(`${event.resource}: ${event.event.step} ${event.event.outcome.state}`)
          : undefined;
      case 'ages':
        return undefined;
    }
  };
}

const LEADER = {
  waiting: 'another operator leads; this one waits',
  taken: 'this operator leads',
  lost: 'another operator leads now',
} as const;

/** Posts each note as JSON to a URL; a webhook that fails is only reported. */
export function webhookPoster(url: string, { warn }: Pick<Output, 'warn'>) {
  return (event: OperatorEvent): void => {
    if (event.type !== 'note') return;
    const { resource, reason, message, warning } = event;
    void fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ resource, reason, message, warning }),
      signal: AbortSignal.timeout(WEBHOOK_MS),
    }).then(
      (answer) => {
        if (!answer.ok) warn(`the webhook answered ${answer.status}`);
      },
      (thrown: unknown) => warn(`the webhook failed: ${String(thrown)}`),
    );
  };
}
