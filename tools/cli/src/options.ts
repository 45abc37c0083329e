import { InvalidArgumentError, Option } from 'commander';
import { CcpError } from '#core';

/** The values of a repeatable option, in order. */
export function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/** The values of a repeatable option, separated by commas. */
export function joinNames(text: string, before?: string): string {
  return before === undefined ? text : `${before},${text}`;
}

/** A whole number from 1 to 9999. Throws commander's error for anything else. */
export function parseCount(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text))
    throw new InvalidArgumentError('It must be a whole number from 1 to 9999.');
  return Number(text);
}

/** A whole number of at most nine digits. Throws commander's error for anything else. */
export function parseNumber(text: string): number {
  if (!/^(?:0|[1-9]\d{0,8})$/.test(text))
    throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

/** Throws `usage` if a text format was chosen together with `--json`. */
export function refuseFormatWithJson(
  { json }: { readonly json: boolean },
  format: string | undefined,
): void {
  if (!json || format === undefined) return;
  throw new CcpError({
    code: 'usage',
    message: `--format ${format} and --json cannot be used together`,
    hint: 'leave out one of them',
  });
}

/** Options of the commands that use a cluster. */
export const CLUSTER = [
  new Option('--kubeconfig <file>', 'kubeconfig file (default: KUBECONFIG or ~/.kube/config)'),
  new Option('--context <name>', 'kubeconfig context (default: cluster.context of the site)'),
];
/** Option of the commands that render a site. */
export const SET = new Option(
  '--set <file>',
  'image set to deploy: a manifest, or a bundle of `ccp release bundle` (default: that of the last build)',
);
/** Options of the commands that apply a site. */
export const CONTRACT = new Option(
  '--contract',
  'also run the contract jobs, after which a rollback to the previous release is impossible',
);
export const CONFLICTS = [
  new Option(
    '--take <field>',
    'take ownership of a field that another field manager set: [KIND/NAME:]FIELD; repeatable',
  ).argParser(collect),
  new Option(
    '--leave <field>',
    'leave a field to the field manager that set it: [KIND/NAME:]FIELD; repeatable',
  ).argParser(collect),
];
export const CHECKS = new Option('--checks', 'run the checks of the apps once the site is healthy');
export const JOBS = new Option(
  '-j, --jobs <number>',
  'number of steps to run in parallel',
).argParser(parseCount);

/** Options of the commands that use a registry. */
export const TO = new Option('--to <registry>', 'registry and path, like registry.example.org/ccp');
export const FROM = new Option(
  '--from <registry>',
  'registry and path that the images come from, like registry.example.org/ccp; or a bundle, like oci-archive:FILE',
);
export const TRUST = new Option(
  '--trust <file>',
  'public key of a trusted publisher; repeatable (default: `trust` in .ccp.yaml)',
).argParser(collect);
/** `--no-statements` of commands that publish a set. */
export const STATEMENTS = new Option(
  '--no-statements',
  'publish without package lists, provenance and test results',
);
export const DEEP = new Option(
  '--deep',
  'read every byte of images and app specs, instead of asking for the sizes of blobs',
);
/** Options for the passphrase of a private key. */
export const PASSPHRASE = [
  new Option('--passphrase-file <file>', 'file with the passphrase of the key'),
  new Option('--passphrase-command <command>', 'command that prints the passphrase of the key'),
];
/** Options of the commands that sign. */
export const KEY = [
  new Option('--key <file>', 'private key to sign with, in PKCS#8 form'),
  ...PASSPHRASE,
];

/** `--policy` of commands that publish a set. */
export const DECISIONS = new Option(
  '--policy <file>',
  'CVE policy whose `not-affected` decisions become OpenVEX statements',
);

/** Options of the commands that look for vulnerabilities. */
export const CVE_DATA = [
  new Option('--debian <file>', "JSON file of Debian's security tracker"),
  new Option(
    '--osv <path>',
    'folder or zip of OSV records for PyPI, Go and npm; repeatable',
  ).argParser(collect),
  new Option('--policy <file>', 'policy: states that fail, and reviewed decisions'),
  new Option('--vex <file>', 'OpenVEX document to apply; repeatable').argParser(collect),
];

/** Options of the commands about the operator. */
export const OPERATOR_NAMESPACE = new Option(
  '-n, --namespace <name>',
  'namespace of the operator and of the Lease by which one operator leads',
).default('ccp-operator');
export const OPERATOR_CLUSTER = [
  new Option('--kubeconfig <file>', 'kubeconfig file (default: KUBECONFIG or ~/.kube/config)'),
  new Option('--context <name>', "kubeconfig context (default: the kubeconfig's current one)"),
];
export const OPERATOR_OBJECTS = [
  OPERATOR_NAMESPACE,
  new Option('--image <reference>', 'image with ccp, by digest (default: that of the image set)'),
  new Option('--replicas <number>', 'operators, of which one leads (default: 1)').argParser(
    parseCount,
  ),
  new Option('--webhook <url>', 'post each event of a resource as JSON to this URL'),
  SET,
  TRUST,
];
