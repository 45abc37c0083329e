import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPrograms, type ProgramModule } from '#cluster';
import type { RegistryLogin } from '#ports';
import { CLUSTER_CACHE } from '../cluster/cluster-cache.ts';

/** The conformance suite of the OCI distribution specification. */
const CONFORMANCE_MODULE: ProgramModule = {
  name: 'conformance',
  folder: fileURLToPath(new URL('conformance', import.meta.url)),
  programs: { conformance: 'github.com/opencontainers/distribution-spec/conformance' },
  linkerFlags: [],
};

/** Counts of the suite's tests, and a line for each failed one. */
export interface ConformanceResult {
  readonly tests: number;
  readonly skipped: number;
  readonly failures: readonly string[];
}

/**
 * Runs all parts of the suite (pull, push, discovery, management) against the registry at `address`
 * (`HOST:PORT`, plain HTTP). Writes its reports into `folder`. Throws if the suite does not run.
 */
export async function runConformance(
  address: string,
  login: RegistryLogin,
  folder: string,
): Promise<ConformanceResult> {
  const { conformance } = await buildPrograms([CONFORMANCE_MODULE], {
    cache: CLUSTER_CACHE,
    say: (sentence) => void process.stderr.write(`${sentence}\n`),
  });
  const output = await outputOf(conformance!, folder, {
    OCI_REGISTRY: address,
    OCI_TLS: 'disabled',
    OCI_USERNAME: login.user,
    OCI_PASSWORD: login.password,
    OCI_RESULTS_DIR: folder,
    OCI_API_BLOBS_DIGEST_HEADER: 'true',
    OCI_API_BLOBS_UPLOAD_CANCEL: 'true',
    OCI_API_MANIFESTS_DIGEST_HEADER: 'true',
  });
  const report = await readFile(join(folder, 'junit.xml'), 'utf8').catch(() => {
    throw new Error(`the conformance suite wrote no report:\n${output}`);
  });
  const count = (name: string): number =>
    Number(new RegExp(`<testsuites[^>]* ${name}="(\\d+)"`).exec(report)?.[1]);
  return {
    tests: count('tests'),
    skipped: count('skipped'),
    failures: output.split('\n').filter((line) => line.includes('failed test')),
  };
}

function outputOf(
  program: string,
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (data: string) => (text += data));
    child.once('error', reject);
    child.once('close', () => resolve(text));
  });
}
