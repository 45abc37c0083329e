import type { DeployEvent } from '#deploy';
import type { Output } from '../output.ts';
import { oneLine, takeBack } from './text.ts';

/** Steps under way that are shown at once on a terminal. */
const SHOWN = 15;
const COLUMNS = 80;
/** What is shown of a step that has nothing to wait for yet; one that ends so was done already, and is not told. */
const STARTS = 'starts';

/** Tells a deployment: a line for everything that is written or ends; on a terminal also, redrawn below, what each step waits for. */
export function deployReporter(output: Pick<Output, 'info' | 'draw' | 'terminal' | 'verbose'>): { emit(event: DeployEvent): void; end(): void } {
  const waiting = new Map<string, string>();
  let drawn: readonly string[] = [];
  const width = (): number => process.stderr.columns ?? COLUMNS;
  const clear = (): void => {
    if (drawn.length > 0) output.draw(takeBack(drawn, width()));
    drawn = [];
  };
  const redraw = (): void => {
    drawn = [...waiting].slice(0, SHOWN).map(([step, reason]) => oneLine(`  ${step}  ${reason}`, width() - 1));
    output.draw(drawn.map((line) => `${line}\n`).join(''));
  };
  return {
    emit: (event) => {
      if (event.type === 'step-waits') waiting.set(event.step, event.reason);
      else if (event.type === 'step-started') waiting.set(event.step, STARTS);
      const idle = event.type === 'step-ended' && event.outcome.state === 'done' && waiting.get(event.step) === STARTS;
      if (event.type === 'step-ended') waiting.delete(event.step);
      const lines = idle && !output.verbose ? [] : deployEventLines(event, output.verbose || !output.terminal);
      if (!output.terminal) return lines.forEach((line) => output.info(line));
      clear();
      for (const line of lines) output.info(line);
      redraw();
    },
    end: clear,
  };
}

/** The lines of an event that stay; with `all`, what a step waits for too. */
export function deployEventLines(event: DeployEvent, all: boolean): readonly string[] {
  switch (event.type) {
    case 'lock':
      if (event.state === 'waiting') return [`waiting up to ${event.seconds} s whether ${event.holder}, who holds the lock, still lives`];
      return event.state === 'taken-over' ? ['took the lock over from a run that has gone'] : [];
    case 'revision':
      return event.state === 'running' ? [`revision ${event.revision}`] : [];
    case 'written':
      return [`${VERBS[event.action]} ${event.key}${event.reason === undefined ? '' : `: ${event.reason}`}`];
    case 'step-started':
      return [];
    case 'step-waits':
      return all ? [`[${event.step}] ${event.key}: ${event.reason}`] : [];
    case 'step-ended':
      return ['done', 'failed'].includes(event.outcome.state) ? [`[${event.step}] ${event.outcome.state}`] : [];
  }
}

const VERBS = { create: 'made', update: 'changed', replace: 'replaced', prune: 'deleted', unstick: 'deleted' } as const;
