import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ContainerRunner, KubernetesObject, RunningContainer } from '#ports';

interface Ingress {
  readonly tls?: readonly { readonly hosts: readonly string[]; readonly secretName: string }[];
  readonly rules: readonly {
    readonly host: string;
    readonly http: {
      readonly paths: readonly { readonly backend: { readonly service: { readonly name: string; readonly port: { readonly name: string } } } }[];
    };
  }[];
}

/** What stands in for a cluster with an Ingress controller. */
export interface WayInPlace {
  readonly image: string;
  /** That of the pods, where a Service is its port at loopback. */
  readonly network: string;
  /** For the proxy's files; holds the certificate of each Secret as NAME.crt and NAME.key. */
  readonly folder: string;
}

/** Does with our HAProxy what an Ingress controller does with the Ingresses of a site, which may hold its own certificates only; ready when it resolves. */
export async function openWayIn(
  runner: ContainerRunner,
  objects: readonly KubernetesObject[],
  { image, network, folder }: WayInPlace,
): Promise<RunningContainer> {
  const ingresses = objects.filter(({ kind }) => kind === 'Ingress').map(({ spec }) => spec as unknown as Ingress);
  const files = join(folder, 'way-in');
  const certificates = join(files, 'certificates');
  mkdirSync(certificates, { recursive: true });
  for (const secret of new Set(ingresses.flatMap(({ tls = [] }) => tls.map(({ secretName }) => secretName)))) {
    writeFileSync(join(certificates, `${secret}.pem`), ['crt', 'key'].map((kind) => readFileSync(join(folder, `${secret}.${kind}`), 'utf8')).join(''), {
      mode: 0o644,
    });
  }
  writeFileSync(join(files, 'haproxy.cfg'), configuration(ingresses, objects), { mode: 0o644 });
  const running = await runner.start({
    image,
    command: ['haproxy', '-W', '-db', '-f', '/etc/way-in/haproxy.cfg'],
    network,
    user: '0:0',
    capDrop: ['ALL'],
    capAdd: ['NET_BIND_SERVICE'],
    readOnlyRoot: true,
    binds: [{ source: files, target: '/etc/way-in', readOnly: true }],
  });
  const listens = async (): Promise<boolean> => (await running.exec(['bash', '-c', 'exec 3<>/dev/tcp/127.0.0.1/443']).catch(() => undefined))?.exitCode === 0;
  for (let tries = 0; !(await listens()); tries++) {
    if (tries > 50) throw new Error(`HAProxy does not start:\n${await running.logs()}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return running;
}

/** http sends hosts with a certificate to https; https tells who is behind it that it was. */
function configuration(ingresses: readonly Ingress[], objects: readonly KubernetesObject[]): string {
  const ways = ingresses.flatMap(({ tls = [], rules }) =>
    rules.map(({ host, http }) => ({ host, service: http.paths[0]!.backend.service, secure: tls.some(({ hosts }) => hosts.includes(host)) })),
  );
  const lines = (indented: readonly string[]): string => indented.map((line) => `    ${line}\n`).join('');
  const to = (list: typeof ways): readonly string[] => list.map(({ host, service }) => `use_backend ${service.name} if { hdr(host) -i ${host} }`);
  const portOf = ({ name, port }: (typeof ways)[number]['service']): number => {
    const { spec } = objects.find(({ kind, metadata }) => kind === 'Service' && metadata.name === name)!;
    return (spec as { ports: readonly { name: string; port: number }[] }).ports.find((each) => each.name === port.name)!.port;
  };
  const secure = ways.filter((way) => way.secure);
  const plain = ways.filter((way) => !way.secure);
  const timeouts = ['connect 5s', 'client 60s', 'server 60s', 'tunnel 1h'].map((timeout) => `timeout ${timeout}`);
  const toHttps = secure.map(({ host }) => `http-request redirect scheme https code 308 if { hdr(host) -i ${host} }`);
  const ofHttps = ['bind 127.0.0.1:443 ssl crt /etc/way-in/certificates', 'http-request set-header X-Forwarded-Proto https'];
  return [
    `global\n${lines(['log stdout format raw local0'])}`,
    `defaults\n${lines(['mode http', 'log global', 'option httplog', 'option forwardfor', ...timeouts])}`,
    `frontend http\n${lines(['bind 127.0.0.1:80', ...toHttps, ...to(plain)])}`,
    `frontend https\n${lines([...ofHttps, ...to(secure)])}`,
    ...ways.map(({ service }) => `backend ${service.name}\n${lines([`server pod 127.0.0.1:${portOf(service)}`])}`),
  ].join('\n');
}
