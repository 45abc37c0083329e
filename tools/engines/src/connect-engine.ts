import { CcpError, platform } from '#core';
import type { EngineInfo } from '#ports';
import { requestJson } from './docker-request.ts';
import type { DockerEngine } from './docker-engine.ts';
import { buildOnEngine } from './docker-build.ts';
import {
  pruneImages,
  pullToEngine,
  pushFromEngine,
  untagAll,
  untagImage,
} from './docker-images.ts';
import { dockerRunner } from './docker-runner.ts';
import { parseEndpoint, type Endpoint } from './endpoint.ts';
import { engineError } from './engine-error.ts';
import { pingEngine } from './ping-engine.ts';

/**
 * Maps the kernel's architecture names, which engines report, to those of the OCI image
 * specification.
 */
const ARCHITECTURES: Readonly<Record<string, string>> = { x86_64: 'amd64', aarch64: 'arm64' };

export interface ConnectOptions {
  /** Timeout of the first response in milliseconds; default 5,000. */
  readonly timeoutMs?: number;
}

/**
 * Connects to the Docker Engine at `unix:///path` or `tcp://host:port` and pings it. Throws
 * `endpoint-invalid` for an invalid endpoint and `engine-unreachable` if the engine does not
 * respond.
 */
export async function connectEngine(
  endpoint: string,
  { timeoutMs = 5000 }: ConnectOptions = {},
): Promise<DockerEngine> {
  const at = parseEndpoint(endpoint);
  await pingEngine(at, timeoutMs);
  const docker = await openClient(at);
  const name = at.name;
  return {
    ...dockerRunner(docker, name),
    name,
    info: async (signal) => {
      try {
        return readInfo(
          name,
          (await requestJson(docker, { method: 'GET', path: '/info', signal })) as Record<
            string,
            unknown
          >,
        );
      } catch (thrown) {
        throw engineError(thrown, {
          engine: name,
          doing: `read the system information of ${name}`,
          refused: 'engine-failed',
        });
      }
    },
    build: (request, events, signal) => buildOnEngine(docker, name, request, events, signal),
    push: (reference, signal, login) => pushFromEngine(docker, name, reference, signal, login),
    pull: (reference, signal, login) => pullToEngine(docker, name, reference, signal, login),
    untag: (reference) => untagImage(docker, name, reference),
    untagAll: (prefixes) => untagAll(docker, name, prefixes),
    prune: () => pruneImages(docker, name),
  };
}

/** Sets every option: dockerode reads missing ones from DOCKER_HOST and related variables. */
async function openClient(at: Endpoint) {
  // dockerode loads gRPC, protobufjs and ssh2 (0.1 s, 30 MB), so it is imported only when needed.
  const { default: Docker } = await import('dockerode');
  const none = {
    ca: undefined,
    cert: undefined,
    key: undefined,
    timeout: undefined,
    username: undefined,
  };
  return at.kind === 'unix'
    ? new Docker({
        ...none,
        protocol: 'http',
        socketPath: at.path,
        host: undefined,
        port: undefined,
      })
    : new Docker({
        ...none,
        protocol: 'http',
        socketPath: undefined,
        host: at.host,
        port: at.port,
      });
}

function readInfo(name: string, info: Readonly<Record<string, unknown>>): EngineInfo {
  const {
    ID: key,
    DockerRootDir: root,
    ServerVersion: version,
    OSType: system,
    Architecture: architecture,
    NCPU: cpus,
    MemTotal: memory,
  } = info;
  if (
    typeof key !== 'string' ||
    typeof root !== 'string' ||
    typeof version !== 'string' ||
    typeof architecture !== 'string' ||
    typeof cpus !== 'number' ||
    typeof memory !== 'number'
  ) {
    throw new CcpError({
      code: 'engine-invalid',
      message: `the engine ${name} returned incomplete system information (GET /info)`,
      hint: 'use a Docker Engine: --engine, `engines` in .ccp.yaml, or DOCKER_HOST',
    });
  }
  if (system !== 'linux')
    throw new CcpError({
      code: 'engine-invalid',
      message: `the engine ${name} runs ${String(system)} containers; ccp needs linux containers`,
    });
  // The ID of Engine 20.10 is a key in /etc/docker, which two engines on one machine share.
  return {
    id: `${key} ${root}`,
    version,
    platform: platform(`linux/${ARCHITECTURES[architecture] ?? architecture}`),
    cpus,
    memory,
  };
}
