import { CcpError, platform } from '#core';
import type { EngineInfo } from '#ports';
import { askValue } from './ask-engine.ts';
import type { DockerEngine } from './docker-engine.ts';
import { buildImage } from './docker-build.ts';
import { pruneImages, pullImage, pushImage, untagAll, untagImage } from './docker-images.ts';
import { dockerRunner } from './docker-runner.ts';
import { parseEndpoint, type Endpoint } from './endpoint.ts';
import { engineError } from './engine-error.ts';
import { pingEngine } from './ping-engine.ts';

/** The architectures of the OCI image specification for the kernel's names, which an engine tells. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x86_64: 'amd64', aarch64: 'arm64' };

export interface ConnectOptions {
  /** How long the engine may take for its first answer, milliseconds; 5,000 by default. */
  readonly timeoutMs?: number;
}

/**
 * Connects to the Docker Engine at `unix:///path` or `tcp://host:port` and asks it once, so that a wrong endpoint is known
 * at once. Raises `endpoint-invalid` for an endpoint of another form and `engine-unreachable` where nothing answers.
 */
export async function connectEngine(endpoint: string, { timeoutMs = 5000 }: ConnectOptions = {}): Promise<DockerEngine> {
  const at = parseEndpoint(endpoint);
  await pingEngine(at, timeoutMs);
  const docker = await openClient(at);
  const name = at.name;
  return {
    ...dockerRunner(docker, name),
    name,
    info: async (signal) => {
      try {
        return readInfo(name, (await askValue(docker, { method: 'GET', path: '/info', signal })) as Record<string, unknown>);
      } catch (thrown) {
        throw engineError(thrown, { engine: name, doing: 'ask for its facts', refused: 'engine-failed' });
      }
    },
    build: (request, events, signal) => buildImage(docker, name, request, events, signal),
    push: (reference, signal) => pushImage(docker, name, reference, signal),
    pull: (reference, signal) => pullImage(docker, name, reference, signal),
    untag: (reference) => untagImage(docker, name, reference),
    untagAll: (prefixes) => untagAll(docker, name, prefixes),
    prune: () => pruneImages(docker, name),
  };
}

/** Every option is given, since dockerode takes those that are absent from DOCKER_HOST and its kin. */
async function openClient(at: Endpoint) {
  // It loads gRPC, protobufjs and ssh2 (0.1 s, 30 MB): not before an engine is really wanted.
  const { default: Docker } = await import('dockerode');
  const none = { ca: undefined, cert: undefined, key: undefined, timeout: undefined, username: undefined };
  return at.kind === 'unix'
    ? new Docker({ ...none, protocol: 'http', socketPath: at.path, host: undefined, port: undefined })
    : new Docker({ ...none, protocol: 'http', socketPath: undefined, host: at.host, port: at.port });
}

function readInfo(name: string, info: Readonly<Record<string, unknown>>): EngineInfo {
  const { ID: key, DockerRootDir: root, ServerVersion: version, OSType: system, Architecture: architecture, NCPU: cpus, MemTotal: memory } = info;
  if (
    typeof key !== 'string' ||
    typeof root !== 'string' ||
    typeof version !== 'string' ||
    typeof architecture !== 'string' ||
    typeof cpus !== 'number' ||
    typeof memory !== 'number'
  ) {
    throw new CcpError({ code: 'engine-invalid', message: `the engine ${name} does not tell its facts as a Docker Engine does` });
  }
  if (system !== 'linux') throw new CcpError({ code: 'engine-invalid', message: `the engine ${name} runs containers of ${String(system)}, not of linux` });
  // Engine 20.10 names itself by a key in /etc/docker, which two engines of one machine share.
  return { id: `${key} ${root}`, version, platform: platform(`linux/${ARCHITECTURES[architecture] ?? architecture}`), cpus, memory };
}
