import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPrograms, startProgram, type ProgramModule, type RunningProgram } from '#cluster';
import { CLUSTER_CACHE } from './cluster-cache.ts';
import { freePorts } from './free-ports.ts';
import type { TestCluster } from './start-test-cluster.ts';

/**
 * Traefik, which serves its own Ingresses and those with the ingress-nginx annotations that it
 * supports.
 */
const TRAEFIK_MODULE: ProgramModule = {
  name: 'traefik',
  folder: fileURLToPath(new URL('traefik', import.meta.url)),
  programs: { traefik: 'github.com/traefik/traefik/v3/cmd/traefik' },
  linkerFlags: [],
};

/** Ingress classes, with the controller that Traefik acts as for each. */
export const CLASSES = {
  traefik: 'traefik.io/ingress-controller',
  nginx: 'k8s.io/ingress-nginx',
} as const;

/** An Ingress controller that serves a test cluster on 127.0.0.1. */
export interface Controller {
  readonly http: number;
  readonly https: number;
  readonly program: RunningProgram;
}

/**
 * Builds (once per machine) and starts Traefik with its defaults and two entry points without
 * enforced TLS.
 */
export async function startTraefik(test: TestCluster): Promise<Controller> {
  const { traefik } = await buildPrograms([TRAEFIK_MODULE], {
    cache: CLUSTER_CACHE,
    say: (sentence) => void process.stderr.write(`${sentence}\n`),
  });
  const [http, https] = (await freePorts(2)) as [number, number];
  const program = startProgram(
    'traefik',
    'env',
    [
      `KUBECONFIG=${test.kubeconfig}`,
      traefik!,
      '--global.checknewversion=false',
      '--global.sendanonymoususage=false',
      '--log.level=INFO',
      `--entrypoints.web.address=127.0.0.1:${http}`,
      `--entrypoints.websecure.address=127.0.0.1:${https}`,
      '--providers.kubernetesingress=true',
      '--providers.kubernetesingressnginx=true',
    ],
    join(test.folder, 'traefik.log'),
  );
  return { http, https, program };
}
