import { messageOf, type ImageName } from '#core';
import type { ImageLog } from './image-log.ts';
import type { Clock, EmitBuildEvent } from './types.ts';

type StepState = 'started' | 'cached' | 'done' | 'failed';

/** Tells what happens with one image, as events and in its log. */
export interface ImageTold {
  /** The step under way. */
  readonly current: string;
  step(name: string, state: StepState): void;
  output(step: string, text: string): void;
  /** Runs `work` as a step of the tool itself. */
  during<T>(name: string, work: () => Promise<T>): Promise<T>;
}

/** Joins events and log; `onStep` hears the name of every step that starts. */
export function tellImage(image: ImageName, log: ImageLog, clock: Clock, emit: EmitBuildEvent, onStep: (step: string) => void): ImageTold {
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
