import { CcpErrors, codeOf } from '#core';

/**
 * An exit code, its meaning for scripts, and its error codes; `word-*` matches every code with that
 * prefix.
 */
interface ExitCode {
  readonly exit: number;
  readonly name: string;
  readonly meaning: string;
  readonly codes: readonly string[];
}

/** Every exit code of `ccp`. An exact error code takes precedence over one with a star. */
export const EXIT_CODES: readonly ExitCode[] = [
  { exit: 0, name: 'done', meaning: 'The command succeeded.', codes: [] },
  {
    exit: 1,
    name: 'failed',
    meaning: 'A build, an image test or a check failed; the summary names it.',
    codes: [
      'build-*',
      'image-tests-failed',
      'statement-mismatch',
      'layer-invalid',
      'push-*',
      'pull-*',
      'run-failed',
      'output-too-long',
      'timeout',
      'rebuild-failed',
      'test-runner',
      'base-mismatch',
      'manifest-too-large',
      'gate-timeout',
      'command-not-started',
      'application-hook',
    ],
  },
  {
    exit: 2,
    name: 'usage or definition',
    meaning:
      'The command line, a setting, a definition, a template, an app spec, a site or a given file is invalid.',
    codes: [
      'usage',
      'endpoint-invalid',
      'proxy-invalid',
      'yaml-*',
      'definition-*',
      'workspace-missing',
      'overlay-invalid',
      'file-unreadable',
      'file-unwritable',
      'name-invalid',
      'size-invalid',
      'digest-invalid',
      'series-unknown',
      'image-unknown',
      'image-duplicate',
      'parent-missing',
      'graph-cycle',
      'template-*',
      'dockerfile-*',
      'context-*',
      'source-invalid',
      'source-no-ref',
      'python-extra-unknown',
      'python-project-unknown',
      'python-requirement-invalid',
      'plan-invalid',
      'plan-format',
      'image-set-*',
      'image-missing',
      'site-*',
      'certificate-expires',
      'app-*',
      'vocabulary-version',
      'provider-*',
      'reference-unknown',
      'action-*',
      'kolla-*',
      'port-taken',
      'env-reserved',
      'secret-in-*',
      'user-unknown',
      'config-*',
      'deploy-cycle',
      'field-invalid',
      'package-invalid',
      'mirror-invalid',
      'backup-invalid',
      'backup-key',
      'key-invalid',
      'cve-data-invalid',
      'application-*',
    ],
  },
  {
    exit: 3,
    name: 'lock',
    meaning:
      'A lock file is missing, out of date, edited manually or cannot be resolved, or a plan is out of date.',
    codes: [
      'lock-*',
      'plan-*',
      'statement-outdated',
      'debian-*',
      'python-*',
      'go-*',
      'npm-*',
      'zip-invalid',
      'source-ref-unknown',
    ],
  },
  {
    exit: 4,
    name: 'input',
    meaning: 'A locked input could not be fetched, or its checksum differs from the lock.',
    codes: [
      'cache-*',
      'fetch-*',
      'checksum-mismatch',
      'offline-missing',
      'mirror-*',
      'source-*',
      'input-*',
      'file-changed',
      'file-gone',
      'http-redirect',
      'index-invalid',
      'ca-unreadable',
    ],
  },
  {
    exit: 5,
    name: 'machine',
    meaning: 'This machine has no engine, a missing package, missing permissions or a full disk.',
    codes: ['engine-*', 'no-engine', 'machine-*', 'tool-missing', 'store-full', 'cache-full'],
  },
  {
    exit: 6,
    name: 'store',
    meaning:
      'The store or the private engine is in use by another run; an image or blob in the store is missing or damaged; a registry refused a request; or a published set is missing, incomplete or not trusted.',
    codes: [
      'engine-busy',
      'store-*',
      'registry-*',
      'credentials-invalid',
      'publish-*',
      'set-*',
      'release-*',
      'alias-*',
      'bundle-*',
      'untrusted',
    ],
  },
  {
    exit: 7,
    name: 'cluster',
    meaning:
      'The cluster does not answer or refuses a request, another run holds the lock of the site, a plan is out of date, or an object failed.',
    codes: [
      'cluster-*',
      'deploy-*',
      'operator-*',
      'host-*',
      'label-*',
      'application-state',
      'application-missing',
      'application-roles',
      'application-kubernetes',
      'application-record-invalid',
    ],
  },
  {
    exit: 126,
    name: 'no program',
    meaning: 'The command exists in the image but cannot be executed (ccp run).',
    codes: ['command-not-executable'],
  },
  {
    exit: 127,
    name: 'no command',
    meaning: 'The command does not exist in the image (ccp run).',
    codes: ['command-missing'],
  },
  {
    exit: 130,
    name: 'cancelled',
    meaning:
      'Ctrl-C, SIGTERM or a closed terminal; run the command again to continue (ccp run: 128 plus the signal number).',
    codes: ['cancelled'],
  },
];

/** Exit codes that commands return without an error. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  lock: 3,
  input: 4,
  machine: 5,
  cluster: 7,
  cancelled: 130,
} as const;

const EXACT = new Map(
  EXIT_CODES.flatMap(({ exit, codes }) =>
    codes.filter((code) => !code.endsWith('*')).map((code) => [code, exit] as const),
  ),
);
const STARTS = EXIT_CODES.flatMap(({ exit, codes }) =>
  codes.filter((code) => code.endsWith('*')).map((code) => [code.slice(0, -1), exit] as const),
);

/** The exit code of an error code; `undefined` for an unknown code. */
export function exitCodeFor(code: string): number | undefined {
  return EXACT.get(code) ?? STARTS.find(([start]) => code.startsWith(start))?.[1];
}

/** True for error codes of the machine itself: engine, packages, permissions, disk. */
export function isMachineFault(code: string): boolean {
  return exitCodeFor(code) === EXIT.machine;
}

/** Exit code for a thrown value; 1 if its code is unknown. */
export function exitCodeOf(thrown: unknown): number {
  const code = thrown instanceof CcpErrors ? thrown.findings[0]?.code : codeOf(thrown);
  return (code === undefined ? undefined : exitCodeFor(code)) ?? 1;
}

/** The list of exit codes as `ccp --help` prints it. */
export function exitCodesText(): string {
  return EXIT_CODES.map(
    ({ exit, name, meaning }) => `${String(exit).padStart(5)}  ${name.padEnd(20)} ${meaning}`,
  ).join('\n');
}
