import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { report } from './measure.ts';

// Reads a published release with tools of others, and keeps each answer. Exits with 1 if an
// installed tool refuses the release, or accepts a signature of another key.
// cosign 2 reads attestations in a form of its own, so it is not asked for the provenance.
// Usage: foreign-tools.bench.ts --from HOST/PATH --key FILE --other-key FILE VERSION IMAGE:TAG
// Tools: crane, oras, skopeo, cosign; `--cosign FILE` can be repeated for several versions.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    from: { type: 'string' },
    key: { type: 'string' },
    'other-key': { type: 'string' },
    cosign: { type: 'string', multiple: true, default: ['cosign'] },
  },
});
const { from = '', key = '', 'other-key': other = '', cosign } = values;
const [version = '', tagged = ''] = positionals;
const image = `${from}/${tagged}`;
const set = `${from}/ccp.sets:${version}`;
const folder = mkdtempSync(join(tmpdir(), 'ccp-foreign-'));

interface Check {
  readonly tool: string;
  readonly check: string;
  readonly command: readonly string[];
  /** True if the tool must refuse. */
  readonly refused?: boolean;
}

const flags = ['--insecure-ignore-tlog=true', '--allow-http-registry'];
const checks: readonly Check[] = [
  {
    tool: 'crane',
    check: 'all layers of an image',
    command: ['crane', 'validate', '--insecure', '--remote', image],
  },
  {
    tool: 'skopeo',
    check: 'an image',
    command: ['skopeo', 'inspect', '--tls-verify=false', `docker://${image}`],
  },
  {
    tool: 'oras',
    check: 'the statements of an image',
    command: ['oras', 'discover', '--plain-http', image],
  },
  {
    tool: 'oras',
    check: 'the image set',
    command: ['oras', 'pull', '--plain-http', '-o', folder, set],
  },
  ...cosign.flatMap((tool): readonly Check[] => [
    {
      tool,
      check: 'signature of an image',
      command: [tool, 'verify', '--key', key, ...flags, image],
    },
    { tool, check: 'signature of the set', command: [tool, 'verify', '--key', key, ...flags, set] },
    {
      tool,
      check: 'signature of another key',
      command: [tool, 'verify', '--key', other, ...flags, image],
      refused: true,
    },
    {
      tool,
      check: 'provenance of an image',
      command: [
        tool,
        'verify-attestation',
        '--key',
        key,
        ...flags,
        '--type',
        'slsaprovenance1',
        image,
      ],
    },
  ]),
];

const versions = new Map<string, string>();
const asked = checks.filter(
  ({ tool, check }) =>
    check !== 'provenance of an image' || !versionOf(tool).startsWith('cosign 2'),
);
const results = asked.map(({ tool, check, command: [program = '', ...args], refused = false }) => {
  const { status, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    timeout: 120_000,
  });
  const name = tool.split('/').at(-1)!;
  if (error !== undefined) return { tool: name, check, result: 'not installed' };
  const last = stderr.trim().split('\n').at(-1) ?? '';
  const ok = (status === 0) !== refused;
  const text = status === 0 ? 'accepted' : 'refused';
  return {
    tool: versionOf(tool),
    check,
    result: text,
    ok,
    ...(status === 0 ? {} : { message: last.slice(0, 200) }),
  };
});

function versionOf(tool: string): string {
  const known = versions.get(tool);
  if (known !== undefined) return known;
  const name = tool.split('/').at(-1)!;
  const { stdout } = spawnSync(tool, [name === 'skopeo' ? '--version' : 'version'], {
    encoding: 'utf8',
  });
  // Debian's cosign prints no version of its own; an unpacked package has it in the path.
  const number = /\d+\.\d+\.\d+/.exec(tool.includes('/') ? tool : stdout)?.[0];
  versions.set(tool, number === undefined ? name : `${name} ${number}`);
  return versions.get(tool)!;
}

rmSync(folder, { recursive: true });
report('foreign-tools', { version, image: tagged, results });
for (const { tool, check, result } of results) console.log(`${tool}: ${check}: ${result}`);
process.exitCode = results.every((each) => !('ok' in each) || each.ok) ? 0 : 1;
