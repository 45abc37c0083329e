import type { ContainerCreateOptions } from 'dockerode';
import type { ContainerSpec } from '#ports';
import { RUN_LABEL, runLabel } from './run-label.ts';

/** Which streams the caller will attach. */
export interface ContainerUse {
  readonly stdin: boolean;
  readonly tty: boolean;
  /** Whether the engine stores the container's output for later requests. */
  readonly logs: boolean;
}

/** Converts a spec to the body of `POST /containers/create`. Undefined members are not sent. */
export function containerConfig(spec: ContainerSpec, use: ContainerUse): ContainerCreateOptions {
  return {
    Image: spec.image,
    Labels: { [RUN_LABEL]: runLabel() },
    AttachStdin: use.stdin,
    AttachStdout: true,
    AttachStderr: true,
    OpenStdin: use.stdin,
    StdinOnce: use.stdin,
    Tty: use.tty,
    Cmd: spec.command && [...spec.command],
    Entrypoint: spec.entrypoint && [...spec.entrypoint],
    Env: spec.env && Object.entries(spec.env).map(([name, value]) => `${name}=${value}`),
    User: spec.user,
    WorkingDir: spec.workdir,
    HostConfig: {
      NetworkMode: spec.network,
      ReadonlyRootfs: spec.readOnlyRoot ?? false,
      Privileged: spec.privileged ?? false,
      CapDrop: [...(spec.capDrop ?? [])],
      CapAdd: [...(spec.capAdd ?? [])],
      ...(spec.writableProc === true ? { ReadonlyPaths: [] } : {}),
      ...(spec.init === true ? { Init: true } : {}),
      Mounts: (spec.binds ?? []).map((bind) => ({
        Type: 'bind',
        Source: bind.source,
        Target: bind.target,
        ReadOnly: bind.readOnly,
      })),
      Tmpfs: Object.fromEntries((spec.tmpfs ?? []).map((path) => [path, ''])),
      LogConfig: use.logs
        ? { Type: 'json-file', Config: { 'max-size': '16m' } }
        : { Type: 'none', Config: {} },
    },
  };
}
