import { bytesOf, numberOf, readFields, textOf } from './protobuf.ts';

/** A step of a build as BuildKit knows it. Times are milliseconds since 1970. */
export interface Vertex {
  readonly digest: string;
  readonly name: string;
  readonly cached: boolean;
  readonly started?: number;
  readonly completed?: number;
  /** Empty where the step did not fail. */
  readonly error: string;
}

/** Output of a RUN step: bytes, cut anywhere. */
export interface VertexLog {
  readonly vertex: string;
  readonly bytes: Uint8Array;
}

/** What one message of BuildKit tells of the steps of a build. */
export interface Trace {
  readonly vertexes: readonly Vertex[];
  readonly logs: readonly VertexLog[];
}

/**
 * Reads one `moby.buildkit.trace` message: a `moby.buildkit.v1.StatusResponse`. Field numbers are those of BuildKit's
 * api/services/control/control.proto; transfer statuses and warnings are left alone.
 */
export function readTrace(bytes: Uint8Array): Trace {
  const vertexes: Vertex[] = [];
  const logs: VertexLog[] = [];
  for (const field of readFields(bytes)) {
    if (field.number === 1) vertexes.push(readVertex(bytesOf(field)));
    if (field.number === 3) logs.push(readLog(bytesOf(field)));
  }
  return { vertexes, logs };
}

function readVertex(bytes: Uint8Array): Vertex {
  const vertex: { -readonly [K in keyof Vertex]: Vertex[K] } = { digest: '', name: '', cached: false, error: '' };
  for (const field of readFields(bytes)) {
    if (field.number === 1) vertex.digest = textOf(field);
    if (field.number === 3) vertex.name = textOf(field);
    if (field.number === 4) vertex.cached = numberOf(field) !== 0;
    if (field.number === 5) vertex.started = readTimestamp(bytesOf(field));
    if (field.number === 6) vertex.completed = readTimestamp(bytesOf(field));
    if (field.number === 7) vertex.error = textOf(field);
  }
  return vertex;
}

function readLog(bytes: Uint8Array): VertexLog {
  let vertex = '';
  let message = new Uint8Array();
  for (const field of readFields(bytes)) {
    if (field.number === 1) vertex = textOf(field);
    if (field.number === 4) message = Buffer.from(bytesOf(field));
  }
  return { vertex, bytes: message };
}

/** `google.protobuf.Timestamp`: seconds and nanoseconds. */
function readTimestamp(bytes: Uint8Array): number {
  let milliseconds = 0;
  for (const field of readFields(bytes)) milliseconds += field.number === 1 ? numberOf(field) * 1000 : numberOf(field) / 1e6;
  return milliseconds;
}
