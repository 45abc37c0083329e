import { bytesValue, numberValue, readFields, textValue } from './protobuf.ts';

/** A build step in BuildKit's terms. Times are in milliseconds since 1970. */
export interface Vertex {
  readonly digest: string;
  readonly name: string;
  readonly cached: boolean;
  readonly started?: number;
  readonly completed?: number;
  /** Empty if the step did not fail. */
  readonly error: string;
}

/** Output of a RUN step. Chunks may split lines and UTF-8 characters. */
export interface VertexLog {
  readonly vertex: string;
  readonly bytes: Uint8Array;
}

/** The content of one BuildKit status message. */
export interface Trace {
  readonly vertexes: readonly Vertex[];
  readonly logs: readonly VertexLog[];
}

/**
 * Decodes one `moby.buildkit.trace` message: a `moby.buildkit.v1.StatusResponse`. Field numbers are
 * defined in BuildKit's api/services/control/control.proto. Transfer statuses and warnings are
 * ignored.
 */
export function readTrace(bytes: Uint8Array): Trace {
  const vertexes: Vertex[] = [];
  const logs: VertexLog[] = [];
  for (const field of readFields(bytes)) {
    if (field.number === 1) vertexes.push(readVertex(bytesValue(field)));
    if (field.number === 3) logs.push(readLog(bytesValue(field)));
  }
  return { vertexes, logs };
}

function readVertex(bytes: Uint8Array): Vertex {
  const vertex: { -readonly [K in keyof Vertex]: Vertex[K] } = {
    digest: '',
    name: '',
    cached: false,
    error: '',
  };
  for (const field of readFields(bytes)) {
    if (field.number === 1) vertex.digest = textValue(field);
    if (field.number === 3) vertex.name = textValue(field);
    if (field.number === 4) vertex.cached = numberValue(field) !== 0;
    if (field.number === 5) vertex.started = readTimestamp(bytesValue(field));
    if (field.number === 6) vertex.completed = readTimestamp(bytesValue(field));
    if (field.number === 7) vertex.error = textValue(field);
  }
  return vertex;
}

function readLog(bytes: Uint8Array): VertexLog {
  let vertex = '';
  let message = new Uint8Array();
  for (const field of readFields(bytes)) {
    if (field.number === 1) vertex = textValue(field);
    if (field.number === 4) message = Buffer.from(bytesValue(field));
  }
  return { vertex, bytes: message };
}

/** `google.protobuf.Timestamp`: seconds and nanoseconds. */
function readTimestamp(bytes: Uint8Array): number {
  let milliseconds = 0;
  for (const field of readFields(bytes))
    milliseconds += field.number === 1 ? numberValue(field) * 1000 : numberValue(field) / 1e6;
  return milliseconds;
}
