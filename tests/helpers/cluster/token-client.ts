import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** Requests since the last reset. */
export interface TokenReport {
  readonly requests: number;
  /** Failed requests by cause: a status or an error code. */
  readonly failures: Readonly<Record<string, number>>;
  /** Longest time without a success, in seconds. */
  readonly stall: number;
  readonly medianMs: number;
  readonly worstMs: number;
}

/** Two clients that request tokens from identity, each with new connections and no retry. */
export interface TokenClient {
  reset(): void;
  report(): TokenReport;
  /** Issued tokens, oldest first. */
  readonly tokens: readonly string[];
  /** Ends after the requests that are under way. */
  stop(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly token: string | undefined;
}

const CLIENTS = 2;
const PAUSE_MS = 500;
const TIMEOUT_MS = 60_000;

/** Calls identity with a new connection. Rejects with the socket's error, or after a minute. */
export async function callIdentity(
  url: string,
  headers: Readonly<Record<string, string>>,
  body?: object,
): Promise<Answer> {
  return await new Promise((resolve, reject) => {
    const call = request(
      url,
      {
        agent: false,
        method: body === undefined ? 'GET' : 'POST',
        headers: { 'Content-Type': 'application/json', Connection: 'close', ...headers },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      },
      (answer) => {
        answer.resume().on('end', () => {
          const token = answer.headers['x-subject-token'];
          resolve({ status: answer.statusCode ?? 0, token: token as string | undefined });
        });
        answer.on('error', reject);
      },
    );
    call.on('error', reject);
    call.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/**
 * Starts a client of the administrator at `url`. With `validate`, each new token is also validated,
 * together with a random earlier one.
 */
export function startTokenClient(
  url: string,
  password: string,
  { validate = false }: { readonly validate?: boolean } = {},
): TokenClient {
  const domain = { id: 'default' };
  const login = {
    auth: {
      identity: {
        methods: ['password'],
        password: { user: { name: 'admin', domain, password } },
      },
      scope: { project: { name: 'admin', domain } },
    },
  };
  const tokens: string[] = [];
  let durations: number[] = [];
  let failures: Record<string, number> = {};
  let [last, stall] = [Date.now(), 0];
  const expectStatus = ({ status, token }: Answer, wanted: number): string => {
    if (status !== wanted) throw new Error(String(status));
    return token ?? '';
  };
  const once = async (): Promise<void> => {
    const from = Date.now();
    try {
      const token = expectStatus(await callIdentity(`${url}/auth/tokens`, {}, login), 201);
      tokens.push(token);
      const earlier = tokens[Math.floor(Math.random() * tokens.length)]!;
      for (const subject of validate ? [token, earlier] : []) {
        const headers = { 'X-Auth-Token': token, 'X-Subject-Token': subject };
        expectStatus(await callIdentity(`${url}/auth/tokens`, headers), 200);
      }
      const now = Date.now();
      durations.push(now - from);
      [stall, last] = [Math.max(stall, now - last), now];
    } catch (thrown) {
      const { code, message } = thrown as NodeJS.ErrnoException;
      const cause = String(code ?? message);
      failures[cause] = (failures[cause] ?? 0) + 1;
    }
  };
  let stopped = false;
  const running = Array.from({ length: CLIENTS }, async () => {
    while (!stopped) {
      await once();
      await delay(PAUSE_MS);
    }
  });
  return {
    tokens,
    reset: () => {
      [durations, failures, last, stall] = [[], {}, Date.now(), 0];
    },
    report: () => {
      const sorted = durations.toSorted((a, b) => a - b);
      const failed = Object.values(failures).reduce((sum, count) => sum + count, 0);
      return {
        requests: sorted.length + failed,
        failures,
        stall: Math.round(Math.max(stall, Date.now() - last) / 100) / 10,
        medianMs: sorted[Math.floor(sorted.length / 2)] ?? 0,
        worstMs: sorted.at(-1) ?? 0,
      };
    },
    stop: async () => {
      stopped = true;
      await Promise.all(running);
    },
  };
}
