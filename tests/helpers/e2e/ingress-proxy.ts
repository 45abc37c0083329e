import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ContainerRunner, KubernetesObject, RunningContainer } from '#ports';

interface Ingress {
  readonly tls?: readonly { readonly hosts: readonly string[]; readonly secretName: string }[];
  readonly rules: readonly {
    readonly host: string;
    readonly http: {
      readonly paths: readonly {
        readonly backend: {
          readonly service: { readonly name: string; readonly port: { readonly name: string } };
        };
      }[];
    };
  }[];
}

/** Image, network and folder of the proxy. */
export interface ProxyPlace {
  readonly image: string;
  /** Network of the pods, where each Service is a port on loopback. */
  readonly network: string;
  /** Folder for the proxy's files, with the certificate of each Secret as NAME.crt and NAME.key. */
  readonly folder: string;
}

/**
 * Starts HAProxy in place of an Ingress controller for the Ingresses of a site, which may use only
 * the site's certificates. Resolves when it is ready.
 */
export async function startIngressProxy(
  runner: ContainerRunner,
  objects: readonly KubernetesObject[],
  { image, network, folder }: ProxyPlace,
): Promise<RunningContainer> {
  const ingresses = objects
    .filter(({ kind }) => kind === 'Ingress')
    .map(({ spec }) => spec as unknown as Ingress);
  const files = join(folder, 'ingress-proxy');
  const certificates = join(files, 'certificates');
  mkdirSync(certificates, { recursive: true });
  for (const secret of new Set(
    ingresses.flatMap(({ tls = [] }) => tls.map(({ secretName }) => secretName)),
  )) {
    writeFileSync(
      join(certificates, `${secret}.pem`),
      ['crt', 'key']
        .map((kind) => readFileSync(join(folder, `${secret}.${kind}`), 'utf8'))
        .join(''),
      {
        mode: 0o644,
      },
    );
  }
  writeFileSync(join(files, 'haproxy.cfg'), configuration(ingresses, objects), { mode: 0o644 });
  const running = await runner.start({
    image,
    command: ['haproxy', '-W', '-db', '-f', '/etc/ingress-proxy/haproxy.cfg'],
    network,
    user: '0:0',
    capDrop: ['ALL'],
    capAdd: ['NET_BIND_SERVICE'],
    readOnlyRoot: true,
    binds: [{ source: files, target: '/etc/ingress-proxy', readOnly: true }],
  });
  const listens = async (): Promise<boolean> =>
    (await running.exec(['bash', '-c', 'exec 3<>/dev/tcp/127.0.0.1/443']).catch(() => undefined))
      ?.exitCode === 0;
  for (let tries = 0; !(await listens()); tries++) {
    if (tries > 50) throw new Error(`HAProxy does not start:\n${await running.logs()}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return running;
}

/** Redirects http to https for hosts with a certificate, and sets X-Forwarded-Proto on https. */
function configuration(
  ingresses: readonly Ingress[],
  objects: readonly KubernetesObject[],
): string {
  const routes = ingresses.flatMap(({ tls = [], rules }) =>
    rules.map(({ host, http }) => ({
      host,
      service: http.paths[0]!.backend.service,
      secure: tls.some(({ hosts }) => hosts.includes(host)),
    })),
  );
  const lines = (indented: readonly string[]): string =>
    indented.map((line) => `    ${line}\n`).join('');
  const to = (list: typeof routes): readonly string[] =>
    list.map(({ host, service }) => `use_backend ${service.name} if { hdr(host) -i ${host} }`);
  const portOf = ({ name, port }: (typeof routes)[number]['service']): number => {
    const { spec } = objects.find(
      ({ kind, metadata }) => kind === 'Service' && metadata.name === name,
    )!;
    return (spec as { ports: readonly { name: string; port: number }[] }).ports.find(
      (each) => each.name === port.name,
    )!.port;
  };
  const secure = routes.filter((route) => route.secure);
  const plain = routes.filter((route) => !route.secure);
  const timeouts = ['connect 5s', 'client 60s', 'server 60s', 'tunnel 1h'].map(
    (timeout) => `timeout ${timeout}`,
  );
  const toHttps = secure.map(
    ({ host }) => `http-request redirect scheme https code 308 if { hdr(host) -i ${host} }`,
  );
  const ofHttps = [
    'bind 127.0.0.1:443 ssl crt /etc/ingress-proxy/certificates',
    'http-request set-header X-Forwarded-Proto https',
  ];
  return [
    `global\n${lines(['log stdout format raw local0'])}`,
    `defaults\n${lines(['mode http', 'log global', 'option httplog', 'option forwardfor', ...timeouts])}`,
    `frontend http\n${lines(['bind 127.0.0.1:80', ...toHttps, ...to(plain)])}`,
    `frontend https\n${lines([...ofHttps, ...to(secure)])}`,
    ...routes.map(
      ({ service }) =>
        `backend ${service.name}\n${lines([`server pod 127.0.0.1:${portOf(service)}`])}`,
    ),
  ].join('\n');
}
