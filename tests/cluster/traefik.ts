import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPrograms, startProgram, type ProgramModule, type RunningProgram } from '#cluster';
import { freePorts } from './free-ports.ts';
import { CLUSTER_CACHE, type TestCluster } from './start-test-cluster.ts';

/** Traefik, which serves Ingresses in its own way, and by those annotations of ingress-nginx that it knows. */
const TRAEFIK_MODULE: ProgramModule = {
  name: 'traefik',
  folder: fileURLToPath(new URL('traefik', import.meta.url)),
  programs: { traefik: 'github.com/traefik/traefik/v3/cmd/traefik' },
  linkerFlags: [],
};

/** Classes of Ingress by the controller that Traefik is for each of them. */
export const CLASSES = { traefik: 'traefik.io/ingress-controller', nginx: 'k8s.io/ingress-nginx' } as const;

/** A controller of Ingresses that serves those of a test cluster on 127.0.0.1. */
export interface Controller {
  readonly http: number;
  readonly https: number;
  readonly program: RunningProgram;
}

/** Builds (once on a machine) and starts Traefik as it is where nothing is said, with two entry points of which none is all TLS. */
export async function startTraefik(test: TestCluster): Promise<Controller> {
  const { traefik } = await buildPrograms([TRAEFIK_MODULE], { cache: CLUSTER_CACHE, say: (sentence) => void process.stderr.write(`${sentence}\n`) });
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
