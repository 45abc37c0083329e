import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAuthority, createCertificate } from '#cluster';
import type { RunningContainer } from '#ports';
import { openEngineSite, type EngineSite } from '../helpers/e2e/engine-site.ts';
import { commandOutput } from '../helpers/e2e/command-output.ts';
import { runSiteSteps } from '../helpers/e2e/run-site-steps.ts';
import { startIngressProxy } from '../helpers/e2e/ingress-proxy.ts';

// A site with public https endpoints; only the site trusts the authority of its certificate.
const HOSTS = {
  identity: 'identity.example.org',
  image: 'image.example.org',
  dashboard: 'dashboard.example.org',
};
const UPLOAD = 3_000_000;

/** Logs in to the dashboard like a browser; prints JSON. */
const LOGIN = `
import json, os, re, requests
browser = requests.Session()
url = "https://${HOSTS.dashboard}/auth/login/"
page = browser.get(url)
token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text).group(1)
form = {"csrfmiddlewaretoken": token, "username": "admin", "password": os.environ["OS_PASSWORD"], "region": "default", "next": "/"}
answer = browser.post(url, data=form, headers={"Origin": "https://${HOSTS.dashboard}", "Referer": url}, allow_redirects=False)
cookies = {cookie.name: cookie.secure for cookie in browser.cookies}
strange = requests.get("http://127.0.0.1:8080/auth/login/", headers={"Host": "evil.example.org"}).status_code
print(json.dumps({"status": answer.status_code, "to": answer.headers.get("Location"), "cookies": cookies, "strange": strange}))
`;

/** Sends the request in the arguments; prints status, headers and text as JSON. */
const ASK = `
import json, requests, sys
answer = requests.get(sys.argv[1], allow_redirects=False)
print(json.dumps({"status": answer.status_code, "location": answer.headers.get("Location"), "authenticate": answer.headers.get("WWW-Authenticate"), "text": answer.text}))
`;

let open: EngineSite;
let folder: string;
let proxy: RunningContainer;
let client: RunningContainer;

/** The site's client with the environment of an external user. */
const outside = (...command: readonly string[]): Promise<string> =>
  commandOutput(client, [
    'env',
    `OS_AUTH_URL=https://${HOSTS.identity}/v3`,
    'OS_INTERFACE=public',
    ...command,
  ]);
const python = (text: string, ...args: readonly string[]): Promise<string> =>
  commandOutput(client, [
    'sh',
    '-c',
    'REQUESTS_CA_BUNDLE=$OS_CACERT exec python "$@"',
    'sh',
    '-c',
    text,
    ...args,
  ]);
const ask = async (
  url: string,
): Promise<{
  status: number;
  location: string | null;
  authenticate: string | null;
  text: string;
}> => JSON.parse(await python(ASK, url));

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ccp-public-'));
  await createAuthority(folder);
  await createCertificate(folder, {
    name: 'certificate',
    subject: '/CN=cloud',
    use: 'serverAuth',
    names: Object.values(HOSTS).map((host) => `DNS:${host}`),
  });
  const one = 'settings: { processes: 1 }';
  open = await openEngineSite(
    ['mariadb', 'memcached', 'keystone', 'glance', 'horizon', 'openstackclient', 'haproxy'],
    `
  mariadb: {}
  memcached: {}
  keystone: { ${one}, hosts: { api: "https://${HOSTS.identity}" } }
  glance: { ${one}, hosts: { api: "https://${HOSTS.image}" } }
  horizon: { ${one}, hosts: { dashboard: "https://${HOSTS.dashboard}" } }
  openstackclient: {}
expose: { ingress: { class: test } }
tls: { secret: certificate, ca: ${JSON.stringify(readFileSync(join(folder, 'ca.crt'), 'utf8'))} }`,
  );
  const steps = open.site.steps
    .filter(({ id, phase }) => id !== 'secrets' && phase !== 'expose')
    .map((step) => ({ ...step, waitsFor: step.waitsFor.filter((id) => id !== 'secrets') }));
  const running = await runSiteSteps(steps, open.pods);
  client = running.get('openstackclient')!;
  proxy = await startIngressProxy(open.engine, open.objects, {
    image: open.imageOf('haproxy'),
    network: open.pods.network,
    folder,
  });
});

afterAll(async () => {
  await proxy?.remove();
  await open?.close();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

it('issues a token to an external client, and serves the public URLs of the catalogue', async () => {
  const endpoints = JSON.parse(
    await outside('openstack', 'endpoint', 'list', '--interface', 'public', '--format', 'json'),
  ) as { URL: string }[];
  expect(endpoints.map(({ URL: url }) => url).sort()).toEqual([
    `https://${HOSTS.identity}/v3`,
    `https://${HOSTS.image}`,
  ]);
  await outside(
    'sh',
    '-c',
    `head -c ${UPLOAD} /dev/zero > /tmp/image && openstack image create --disk-format raw --container-format bare --file /tmp/image big`,
  );
  expect(
    await outside('openstack', 'image', 'show', 'big', '--format', 'value', '--column', 'size'),
  ).toBe(String(UPLOAD));
});

it.each([
  [`https://${HOSTS.identity}/v3`, `https://${HOSTS.identity}/v3/`],
  [`https://${HOSTS.image}/versions`, `https://${HOSTS.image}/v2/`],
])('returns public links in responses of %s', async (url, link) => {
  const { text } = await ask(url);
  expect([
    ...new Set([...text.matchAll(/"(https?:\/\/[^/"]+\/v[23]\/)"/g)].map(([, found]) => found)),
  ]).toEqual([link]);
});

it('returns the public identity URL to clients without a token', async () => {
  expect(await ask(`https://${HOSTS.image}/v2/images`)).toMatchObject({
    status: 401,
    authenticate: `Keystone uri="https://${HOSTS.identity}/v3"`,
  });
});

it('redirects http to https', async () => {
  expect(await ask(`http://${HOSTS.identity}/v3`)).toMatchObject({
    status: 308,
    location: `https://${HOSTS.identity}/v3`,
  });
});

it('fails with a certificate error for clients that do not trust the authority', async () => {
  const { exitCode, stderr } = await client.exec([
    'env',
    '--unset=OS_CACERT',
    `OS_AUTH_URL=https://${HOSTS.identity}/v3`,
    'openstack',
    'token',
    'issue',
  ]);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('CERTIFICATE_VERIFY_FAILED')]);
});

it('logs in to the dashboard with a session for https only, and rejects unknown hosts', async () => {
  expect(JSON.parse(await python(LOGIN))).toEqual({
    status: 302,
    to: '/',
    cookies: expect.objectContaining({ csrftoken: true, sessionid: true }),
    strange: 400,
  });
});
