export { systemClock } from './clock.ts';
export { estimateDurations, openDurations } from './durations.ts';
export { runBuild } from './run-build.ts';
export { isTransient, withRetries, type RetryPolicy } from './retry.ts';
export { randomImageGraph, type RandomGraph, type RandomGraphShape } from './schedule/random-graph.ts';
export { simulate, type SchedulingOrder, type SimulatedTask, type Simulation } from './schedule/simulate.ts';
export { lowerBound, remainingPaths, type Task } from './schedule/task.ts';
export type * from './image-tests/types.ts';
export type * from './types.ts';
