import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { CcpError } from '#core';

const FIRST_SUBNET = 200;
const SUBNETS = 50;
const FORWARDING = '/proc/sys/net/ipv4/conf';

/** The bridge of one private engine. */
export interface PrivateBridge {
  /** Name of the network interface. */
  readonly name: string;
  /**
   * Absolute path of the file that lists the changed settings; a reboot removes it and the changes.
   */
  readonly changes: string;
}

/**
 * The bridge of the private engine with its socket in `run`. Interface names have at most 15
 * characters.
 */
export function bridgeIn(run: string): PrivateBridge {
  return { name: `ccpe-${basename(run).slice(0, 10)}`, changes: join(run, 'bridge.json') };
}

/** Settings of the machine that were changed so that packets of the bridge are forwarded. */
interface Changes {
  /** Arguments of iptables rules, without the command. */
  readonly rules: readonly (readonly string[])[];
  /** Interfaces on which forwarding was off. */
  readonly forwarding: readonly string[];
}

/**
 * Creates the bridge if it is missing: an interface with an address, not yet forwarded. Returns
 * false if the machine does not permit it; the engine then works without a bridge and cannot build
 * unlocked images.
 */
export function createBridge({ name }: PrivateBridge): boolean {
  if (existsSync(`/sys/class/net/${name}`)) return true;
  if (!run('ip', ['link', 'add', name, 'type', 'bridge'])) return false;
  for (let tries = 0; tries < SUBNETS; tries += 1) {
    const prefix = `172.31.${FIRST_SUBNET + tries}`;
    if (outputOf('ip', ['route', 'show', 'to', 'match', `${prefix}.1`]).includes(`${prefix}.`))
      continue;
    if (
      run('ip', ['addr', 'add', `${prefix}.1/24`, 'dev', name]) &&
      write(`/proc/sys/net/ipv6/conf/${name}/disable_ipv6`, '1') &&
      run('ip', ['link', 'set', name, 'up'])
    )
      return true;
    break;
  }
  run('ip', ['link', 'del', name]);
  return false;
}

/**
 * Forwards and masquerades packets of the bridge, except to services on this machine, and to
 * containers and pods behind other bridges. Does nothing if the rules exist; an interface that was
 * added since then gets its rule. A machine that did not forward before still does not forward
 * packets of other machines. Throws `engine-network`.
 */
export function enableForwarding(bridge: PrivateBridge): void {
  const { name } = bridge;
  const before = readChanges(bridge);
  const uplinks = [
    ...outputOf('ip', ['-4', 'route', 'show', 'default']).matchAll(/ dev (\S+)/g),
  ].map(([, uplink]) => uplink!);
  const accepted = [...new Set([...uplinks, ...outgoing(name)])].map((out) =>
    forwardRule('-i', name, '-o', out, '-j', 'ACCEPT'),
  );
  const known = new Set(before.rules.map((rule) => rule.join(' ')));
  if (
    before.rules.length > 0 &&
    accepted.every((rule) => known.has(rule.join(' '))) &&
    before.rules.every((rule) => iptables('-C', rule))
  )
    return;
  const [, subnet] =
    /inet (\d+\.\d+\.\d+)\.\d+\/24/.exec(outputOf('ip', ['addr', 'show', name])) ?? [];
  if (subnet === undefined) throw noNetwork('the private engine was started without a bridge');
  const closed = uplinks.filter((uplink) => !isForwarding(uplink));
  const responses = ['-m', 'conntrack', '--ctstate', 'RELATED,ESTABLISHED', '-j', 'ACCEPT'];
  // Rules are inserted at the head of a chain, so the last one of this list is checked first.
  const rules = [
    ['-t', 'nat', 'POSTROUTING', '-s', `${subnet}.0/24`, '!', '-o', name, '-j', 'MASQUERADE'],
    ...closed.map((uplink) => forwardRule('-i', uplink, '-j', 'DROP')),
    forwardRule('-o', name, '-j', 'DROP'),
    forwardRule('-i', name, '-j', 'DROP'),
    forwardRule('-o', name, ...responses),
    ...accepted,
    ['-t', 'filter', 'INPUT', '-i', name, '-j', 'DROP'],
  ];
  writeFileSync(
    bridge.changes,
    JSON.stringify({
      rules: [...before.rules, ...rules.filter((rule) => !known.has(rule.join(' ')))],
      forwarding: [...before.forwarding, ...closed],
    } satisfies Changes),
  );
  for (const rule of rules)
    if (!iptables('-C', rule) && !iptables('-I', rule))
      throw noNetwork(`iptables rejected the rule ${rule.join(' ')}`);
  for (const each of [name, ...uplinks])
    if (!write(`${FORWARDING}/${each}/forwarding`, '1'))
      throw noNetwork(`forwarding cannot be enabled on the interface ${each}`);
}

/**
 * Removes the bridge and reverts the changes of `enableForwarding`. Does nothing if it does not
 * exist.
 */
export function removeBridge(bridge: PrivateBridge): void {
  const { rules, forwarding } = readChanges(bridge);
  for (const uplink of forwarding) write(`${FORWARDING}/${uplink}/forwarding`, '0');
  for (const rule of rules) while (iptables('-D', rule));
  run('ip', ['link', 'del', bridge.name]);
}

function readChanges({ changes }: PrivateBridge): Changes {
  try {
    return JSON.parse(readFileSync(changes, 'utf8')) as Changes;
  } catch {
    return { rules: [], forwarding: [] };
  }
}

/** Interfaces to other machines: all but loopback, bridges and what is connected to a bridge. */
function outgoing(own: string): readonly string[] {
  const folder = '/sys/class/net';
  return readdirSync(folder).filter(
    (each) =>
      each !== 'lo' &&
      each !== own &&
      // The folder also has files, such as bonding_masters.
      existsSync(join(folder, each, 'address')) &&
      !['bridge', 'brport', 'master'].some((file) => existsSync(join(folder, each, file))),
  );
}

/** Arguments of a rule about forwarded packets. */
function forwardRule(...parts: readonly string[]): readonly string[] {
  return ['-t', 'filter', 'FORWARD', ...parts];
}

function isForwarding(device: string): boolean {
  try {
    return readFileSync(`${FORWARDING}/${device}/forwarding`, 'utf8').trim() === '1';
  } catch {
    return false;
  }
}

/** `rule` is `-t TABLE CHAIN SPECIFICATION…`. */
function iptables(
  command: '-C' | '-I' | '-D',
  [flag = '', table = '', ...rule]: readonly string[],
): boolean {
  return run('iptables', ['-w', flag, table, command, ...rule]);
}

function write(path: string, text: string): boolean {
  try {
    writeFileSync(path, text);
    return true;
  } catch {
    return !existsSync(path);
  }
}

function run(program: string, args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}

function outputOf(program: string, args: readonly string[]): string {
  return spawnSync(program, args, { encoding: 'utf8' }).stdout ?? '';
}

function noNetwork(reason: string): CcpError {
  return new CcpError({
    code: 'engine-network',
    message: `the private engine cannot connect build steps to the network: ${reason}`,
    hint: 'install ip and iptables and run `ccp clean --engine`; or set DOCKER_HOST to a running engine',
  });
}
