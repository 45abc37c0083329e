import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { platform, sha256 } from '#core';
import type { EngineBuildRequest } from '#ports';
import { hostShell, tarOf } from '#ports/testing';
import {
  connectEngine,
  startPrivateEngine,
  stopPrivateEngine,
  type DockerEngine,
} from './index.ts';

const folder = mkdtempSync(join(tmpdir(), 'ccp-bridge-'));
const id = sha256(folder).slice(0, 10);
const bridge = `ccpe-${id}`;
const namespace = `ccpt-${id}`;
const link = `ccpt${id}`;
const other = `ccpo${id}`;
const [GATE, OUTSIDE] = ['198.51.100.1', '198.51.100.2'];
/** Addresses of a bridge of another engine or cluster, and of a container behind it. */
const [OTHER, CONTAINER] = ['198.51.100.5', '198.51.100.6'];
let engine: DockerEngine;
let outside: ChildProcess;
let everywhere: Server;
let loopback: Server;

const ip = (...args: string[]): void => void execFileSync('ip', args);
const portOf = (server: Server): number => (server.address() as AddressInfo).port;
const listen = (host: string): Promise<Server> =>
  new Promise((resolve) => {
    const server = createServer((socket) => socket.end()).listen(0, host, () => resolve(server));
  });

beforeAll(async () => {
  everywhere = await listen('0.0.0.0');
  loopback = await listen('127.0.0.1');
  ip('netns', 'add', namespace);
  ip('link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace);
  ip('addr', 'add', `${GATE}/30`, 'dev', link);
  ip('link', 'set', link, 'up');
  ip('-n', namespace, 'addr', 'add', `${OUTSIDE}/30`, 'dev', 'eth0');
  ip('-n', namespace, 'link', 'set', 'eth0', 'up');
  ip('link', 'add', other, 'type', 'bridge');
  ip('addr', 'add', `${OTHER}/30`, 'dev', other);
  ip('link', 'set', other, 'up');
  ip('link', 'add', `${link}p`, 'type', 'veth', 'peer', 'name', 'eth1', 'netns', namespace);
  ip('link', 'set', `${link}p`, 'master', other, 'up');
  ip('-n', namespace, 'addr', 'add', `${CONTAINER}/30`, 'dev', 'eth1');
  ip('-n', namespace, 'link', 'set', 'eth1', 'up');
  ip('-n', namespace, 'route', 'add', 'default', 'via', OTHER);
  for (const each of [link, other])
    writeFileSync(`/proc/sys/net/ipv4/conf/${each}/forwarding`, '1');
  const serve = `require('net').createServer((s) => s.end()).listen(${portOf(everywhere)}, () => console.log('ready'))`;
  outside = spawn('ip', ['netns', 'exec', namespace, process.execPath, '-e', serve]);
  await new Promise((resolve) => outside.stdout!.once('data', resolve));
  const { endpoint } = await startPrivateEngine({ folder, say: () => undefined });
  engine = await connectEngine(endpoint);
}, 120_000);
afterAll(async () => {
  await engine.close();
  await stopPrivateEngine(folder);
  outside.kill();
  ip('netns', 'del', namespace);
  for (const each of [link, other]) spawnSync('ip', ['link', 'del', each]);
  everywhere.close();
  loopback.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The addresses (`HOST/PORT`) that a build step can connect to within 3 s. */
async function reached(
  network: EngineBuildRequest['network'],
  addresses: readonly string[],
): Promise<readonly string[]> {
  const tries = addresses
    .map(
      (address) => `( (exec 3<>/dev/tcp/${address}) 2>/dev/null && echo "reached ${address}." ) &`,
    )
    .join(' ');
  const tar = await tarOf({
    ...hostShell(['/bin/bash']),
    Dockerfile: `FROM scratch\nCOPY root/ /\nRUN ["/bin/bash", "-c", ${JSON.stringify(`${tries} sleep 3`)}]`,
  });
  let printed = '';
  await engine.build(
    {
      context: async function* () {
        yield tar;
      },
      dockerfile: 'Dockerfile',
      buildArgs: {},
      platform: platform('linux/amd64'),
      network,
      reference: 'bridge:1',
      noCache: true,
    },
    (event) => {
      if (event.type === 'output') printed += event.text;
    },
    new AbortController().signal,
  );
  return addresses.filter((address) => printed.includes(`reached ${address}.`));
}

const rules = (): string =>
  ['nat', 'filter']
    .map((table) => execFileSync('iptables', ['-t', table, '-S'], { encoding: 'utf8' }))
    .join('');

it('connects unlocked steps to the network, but not to services or containers of the machine', async () => {
  const own = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ family }) => family === 'IPv4')
    .map(({ address }) => `${address}/${portOf(everywhere)}`);
  const out = `${OUTSIDE}/${portOf(everywhere)}`;
  const behind = `${CONTAINER}/${portOf(everywhere)}`;
  const addresses = [out, behind, `127.0.0.1/${portOf(loopback)}`, ...own];
  expect(networkInterfaces()[bridge]).toBeDefined();
  expect(rules()).not.toContain(bridge);
  expect(await reached('none', addresses)).toEqual([]);
  expect(await reached('bridge', addresses)).toEqual([out]);
  expect(await reached('bridge', [out])).toEqual([out]);
  expect(rules().match(/MASQUERADE/g)).toHaveLength(1);
  expect(await reached('host', addresses)).toEqual(addresses);
}, 180_000);

it('removes bridge, rules and forwarding when the engine stops', async () => {
  await stopPrivateEngine(folder);
  expect(networkInterfaces()[bridge]).toBeUndefined();
  expect(rules()).not.toContain(bridge);
}, 60_000);
