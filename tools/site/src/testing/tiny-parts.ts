import type { Container, Job, PortSpec } from '#definitions';

/** Position of a value in an imaginary file. */
export const position = (path: readonly (string | number)[]) => ({
  file: `${path.join('.')}.yaml`,
});
/** Values that every app has. */
export const common = { schema: '1.0.0', user: { uid: 1000, gid: 1000 }, position };
/** A container with one port. */
export const container = (
  command: string,
  port: number,
  from: PortSpec['from'] = 'consumers',
): Container => ({
  command: [command],
  ports: { main: { port, from } },
  resources: {},
});
/** A job of a phase. */
export const job = (phase: Job['phase'], command: string): Job => ({
  phase,
  role: 'any',
  command: [command],
  resources: {},
});
