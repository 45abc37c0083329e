import type { MachineFinding } from '../../report/doctor-text.ts';

/** Machine facts that the check of ports needs. */
export interface PortReaders {
  /** The port of the image store in its last run; undefined before the first. */
  readonly lastPort: () => number | undefined;
  /** Listens on a loopback port for a moment, 0 for any; resolves with the error code, if any. */
  readonly tryPort: (port: number) => Promise<string | undefined>;
  /** Addresses of this machine, with their interfaces. */
  readonly addresses: () => readonly { readonly name: string; readonly address: string }[];
}

/** Network of all clusters of `ccp up`, whose interfaces are called `ccp-N`. */
const CLUSTERS = { range: '10.251.0.0/16', start: '10.251.', own: /^ccp-\d+$/ };

/** The loopback port of the image store, and the addresses of local clusters. */
export async function checkHostPorts({
  lastPort,
  tryPort,
  addresses,
}: PortReaders): Promise<readonly MachineFinding[]> {
  return [await checkStorePort(lastPort(), tryPort), checkAddresses(addresses())];
}

async function checkStorePort(
  port: number | undefined,
  tryPort: PortReaders['tryPort'],
): Promise<MachineFinding> {
  const check = 'ports';
  const fault = await tryPort(port ?? 0);
  if (fault === undefined)
    return {
      check,
      outcome: 'ok',
      detail:
        port === undefined
          ? 'the image store can listen on 127.0.0.1'
          : `the image store's port ${port} on 127.0.0.1 is free`,
    };
  if (fault === 'EADDRINUSE')
    return {
      check,
      outcome: 'warning',
      detail: `the image store's port ${port} on 127.0.0.1 is in use by a running build or by another program`,
      hint: 'if no build runs, end the other program; else the next build takes another port',
    };
  return {
    check,
    outcome: 'failed',
    detail: `the image store cannot listen on 127.0.0.1 (${fault})`,
    hint: 'bring the loopback interface up: ip link set lo up',
  };
}

function checkAddresses(addresses: ReturnType<PortReaders['addresses']>): MachineFinding {
  const check = 'addresses';
  const { range, start, own } = CLUSTERS;
  const other = addresses.find(({ name, address }) => address.startsWith(start) && !own.test(name));
  if (other === undefined)
    return { check, outcome: 'ok', detail: `${range} is free for \`ccp up\`` };
  return {
    check,
    outcome: 'warning',
    detail: `${other.name} has the address ${other.address}; \`ccp up\` uses ${range}`,
    hint: `give ${other.name} another address, or use another cluster with --context`,
  };
}
