import { messageOf, type ImageName } from '#core';
import type { Clock } from '#ports';
import type { ImageLog } from './image-log.ts';
import type { EmitBuildEvent } from './types.ts';

type StepState = 'started' | 'cached' | 'done' | 'failed';

/** Reports the steps and output of one image, as events and in its log. */
export interface ImageReporter {
  /** The current step. */
  readonly current: string;
  step(name: string, state: StepState): void;
  output(step: string, text: string): void;
  /** Runs `work` as a step that ccp itself performs. */
  during<T>(name: string, work: () => Promise<T>): Promise<T>;
}

/** Reports to `emit` and `log`; calls `onStep` with the name of each step that starts. */
export function imageReporter(
  image: ImageName,
  log: ImageLog,
  clock: Clock,
  emit: EmitBuildEvent,
  onStep: (step: string) => void,
): ImageReporter {
  let current = 'start';
  const step = (name: string, state: StepState): void => {
    log.note(name, state);
    emit({ type: 'step', at: clock.now(), image, name, state });
    if (state !== 'started') return;
    current = name;
    onStep(name);
  };
  return {
    get current() {
      return current;
    },
    step,
    output: (name, text) => {
      log.write(name, text);
      emit({ type: 'output', at: clock.now(), image, text });
    },
    during: async (name, work) => {
      step(name, 'started');
      try {
        const result = await work();
        step(name, 'done');
        return result;
      } catch (thrown) {
        log.note(name, messageOf(thrown));
        step(name, 'failed');
        throw thrown;
      }
    },
  };
}
