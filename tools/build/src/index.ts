export { openCommitted, openDurations, writeCommitted } from './durations.ts';
export { durationTable, estimateDurations } from './estimate-durations.ts';
export type { EstimatedDuration, KnownDurations } from './estimate-durations.ts';
export { faultOf } from './outcome.ts';
export { runBuild } from './run-build.ts';
export {
  randomImageGraph,
  type RandomGraph,
  type RandomGraphShape,
} from './schedule/random-graph.ts';
export {
  simulate,
  type SchedulingOrder,
  type SimulatedTask,
  type Simulation,
} from './schedule/simulate.ts';
export { lowerBound, type Task } from './schedule/task.ts';
export { testImage } from './image-tests/test-image.ts';
export type * from './image-tests/types.ts';
export type * from './types.ts';
