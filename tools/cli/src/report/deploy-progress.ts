import type { DeployEvent } from '#rollout';
import type { Output } from './output.ts';
import { oneLine, eraseLines } from './text.ts';

/** Maximum number of running steps shown on a terminal. */
const SHOWN = 15;
const COLUMNS = 80;
/** Text of a step that does not wait yet; if it ends so, it was already done and is not printed. */
const STARTS = 'starting';

/**
 * Reports a deployment: a line for each write and finished step; on a terminal also a redrawn block
 * with the waiting steps.
 */
export function deployReporter(output: Pick<Output, 'info' | 'draw' | 'terminal' | 'verbose'>): {
  emit(event: DeployEvent): void;
  end(): void;
} {
  const waiting = new Map<string, string>();
  let drawn: readonly string[] = [];
  const width = (): number => process.stderr.columns ?? COLUMNS;
  const clear = (): void => {
    if (drawn.length > 0) output.draw(eraseLines(drawn, width()));
    drawn = [];
  };
  const redraw = (): void => {
    drawn = [...waiting]
      .slice(0, SHOWN)
      .map(([step, reason]) => oneLine(`  ${step}  ${reason}`, width() - 1));
    output.draw(drawn.map((line) => `${line}\n`).join(''));
  };
  return {
    emit: (event) => {
      if (event.type === 'step-waits') waiting.set(event.step, event.reason);
      else if (event.type === 'step-started') waiting.set(event.step, STARTS);
      const idle =
        event.type === 'step-ended' &&
        event.outcome.state === 'done' &&
        waiting.get(event.step) === STARTS;
      if (event.type === 'step-ended') waiting.delete(event.step);
      const lines =
        idle && !output.verbose ? [] : deployEventLines(event, output.verbose || !output.terminal);
      if (!output.terminal) return lines.forEach((line) => output.info(line));
      clear();
      for (const line of lines) output.info(line);
      redraw();
    },
    end: clear,
  };
}

/** The permanent lines of an event; with `all` also the reasons that steps wait for. */
export function deployEventLines(event: DeployEvent, all: boolean): readonly string[] {
  switch (event.type) {
    case 'lock':
      if (event.state === 'waiting')
        return [
          `waiting up to ${event.seconds} s for the lock of the site, held by ${event.holder}`,
        ];
      return event.state === 'taken-over' ? ['took over the lock of a run that ended'] : [];
    case 'run-waits':
      return [`waiting until the run of ${event.holder} ends`];
    case 'revision':
      return event.state === 'running' ? [`revision ${event.revision}`] : [];
    case 'written':
      return [
        `${VERBS[event.action]} ${event.key}${event.reason === undefined ? '' : `: ${event.reason}`}`,
      ];
    case 'warning':
      return [`warning: ${event.text}`];
    case 'step-started':
      return [];
    case 'step-waits':
      return all ? [`[${event.step}] ${event.key}: ${event.reason}`] : [];
    case 'step-ended':
      return ['done', 'failed'].includes(event.outcome.state)
        ? [`[${event.step}] ${event.outcome.state}`]
        : [];
  }
}

const VERBS = {
  create: 'created',
  update: 'changed',
  replace: 'replaced',
  prune: 'deleted',
  unstick: 'deleted',
} as const;
