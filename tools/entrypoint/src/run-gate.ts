import { readFileSync } from 'node:fs';
import { CcpError, codeOf, messageOf } from '#core';
import { connectCluster } from '#engines/kubernetes';
import { parseArguments, USAGE } from './parse-arguments.ts';
import { runInForeground } from './run-in-foreground.ts';
import { waitForAll } from './wait-for-all.ts';

const NAMESPACE_FILE = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';
const INTERVAL_MS = 2_000;
const CANCELLED = 143;

export interface GateOutput {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** Runs the gate and returns its exit code. `stop` cancels waiting. */
export async function runGate(
  words: readonly string[],
  { out, err }: GateOutput,
  stop: AbortSignal,
  intervalMs = INTERVAL_MS,
): Promise<number> {
  const started = Date.now();
  const closing: (() => void)[] = [];
  const report = (message: string): void => err(`entrypoint: ${message}\n`);
  try {
    const request = parseArguments(words, ownNamespace());
    if (request === undefined) {
      out(USAGE);
      return 0;
    }
    const { conditions, timeoutMs, command } = request;
    const cluster = async (signal: AbortSignal) => {
      const { cluster: connected, close } = await connectCluster({ signal });
      closing.push(close);
      return connected;
    };
    await waitForAll(conditions, { timeoutMs, intervalMs, cluster, signal: stop, report }).finally(
      () => closing.forEach((close) => close()),
    );
    if (conditions.length > 0)
      report(`all conditions met after ${((Date.now() - started) / 1000).toFixed(1)} s`);
    return command.length === 0 ? 0 : await runInForeground(command);
  } catch (thrown) {
    const hint =
      thrown instanceof CcpError && thrown.hint !== undefined ? `\n  -> ${thrown.hint}` : '';
    report(`${messageOf(thrown)}${hint}`);
    if (codeOf(thrown) === 'cancelled') return CANCELLED;
    return codeOf(thrown) === 'usage' ? 2 : 1;
  }
}

function ownNamespace(): string {
  try {
    return readFileSync(NAMESPACE_FILE, 'utf8').trim();
  } catch {
    return 'default';
  }
}
