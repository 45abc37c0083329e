import { StringDecoder } from 'node:string_decoder';
import type { EngineEvents } from '#ports';
import type { Trace, Vertex } from './build-trace.ts';

const KEPT_LINES = 20;
const KEPT_LENGTH = 500;

/** The step at which a build failed. */
export interface FailedStep {
  readonly name: string;
  readonly error: string;
  /** The last lines it printed, at most 20, each at most 500 characters. */
  readonly lines: readonly string[];
}

/** Converts traces to events, and records the output that explains a failed build. */
export interface BuildProgress {
  take(trace: Trace): void;
  /** The first step that failed itself; steps stopped because another one failed are skipped. */
  failedStep(): FailedStep | undefined;
}

interface Step {
  readonly name: string;
  readonly decoder: StringDecoder;
  state: 'waiting' | 'started' | 'ended';
  error: string;
  lines: string[];
  /** Unfinished last line. */
  open: string;
}

/** Emits one event per change of a step's state; BuildKit repeats a vertex with every change. */
export function buildProgress(emit: EngineEvents): BuildProgress {
  const steps = new Map<string, Step>();

  const stepOf = (digest: string, name: string): Step => {
    const known = steps.get(digest);
    if (known !== undefined) return known;
    const step: Step = {
      name,
      decoder: new StringDecoder(),
      state: 'waiting',
      error: '',
      lines: [],
      open: '',
    };
    steps.set(digest, step);
    return step;
  };

  const advance = (vertex: Vertex): void => {
    const step = stepOf(vertex.digest, vertex.name);
    const event = { type: 'step', id: vertex.digest, name: vertex.name } as const;
    if (vertex.started !== undefined && step.state === 'waiting') {
      step.state = 'started';
      emit({ ...event, state: 'started' });
    }
    if (vertex.completed === undefined || step.state === 'ended') return;
    step.state = 'ended';
    step.error = vertex.error;
    const took =
      vertex.started === undefined
        ? {}
        : { took: Math.round(Math.max(0, vertex.completed - vertex.started)) };
    if (vertex.error !== '') emit({ ...event, state: 'failed', ...took });
    else if (vertex.cached) emit({ ...event, state: 'cached' });
    else emit({ ...event, state: 'done', ...took });
  };

  const print = (digest: string, bytes: Uint8Array): void => {
    const step = stepOf(digest, '');
    const text = step.decoder.write(bytes);
    if (text === '') return;
    emit({ type: 'output', id: digest, text });
    const lines = (step.open + text).split('\n');
    step.open = lines.pop()!.slice(-KEPT_LENGTH);
    step.lines = [...step.lines, ...lines.map((line) => line.slice(0, KEPT_LENGTH))].slice(
      -KEPT_LINES,
    );
  };

  return {
    take: ({ vertexes, logs }) => {
      for (const log of logs) print(log.vertex, log.bytes);
      for (const vertex of vertexes) advance(vertex);
    },
    failedStep: () => {
      const failed = [...steps.values()].filter((step) => step.error !== '');
      const step = failed.find(({ error }) => !error.includes('context canceled')) ?? failed[0];
      return (
        step && {
          name: step.name,
          error: step.error,
          lines: [...step.lines, step.open].filter((line) => line !== '').slice(-KEPT_LINES),
        }
      );
    },
  };
}
