import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CommandContext } from '../command.ts';
import { createProgram } from '../program.ts';
import { completion } from './completion.ts';

const ZSH = spawnSync('zsh', ['--version']).status === 0;
const FISH = spawnSync('fish', ['--version']).status === 0;
const scripts: Record<string, string> = {};
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ccp-completion-'));
  const folders = [
    'cloud/images/keystone/files',
    'cloud/images/nova',
    'cloud/images/_shared',
    'cloud/deploy-specs/example',
    'cloud/deploy-specs/local',
    'my own/images/greeter',
    'fpath',
  ];
  for (const each of folders) mkdirSync(join(folder, each), { recursive: true });
  writeFileSync(
    join(folder, 'cloud/images/series.yaml'),
    '# a\nseries:\n  "2026.1":\n    codename: gazpacho\n  lts:\n    codename: flamingo\n',
  );
  writeFileSync(
    join(folder, 'my own/overlay.yaml'),
    'base: "../cloud" # below\nseries:\n  own:\n    codename: own\n',
  );
  const program = await createProgram(
    fileURLToPath(new URL('../../../..', import.meta.url)),
    () => undefined,
  );
  for (const shell of ['bash', 'zsh', 'fish']) {
    await completion.run(
      {
        program,
        output: { result: (text: string) => void (scripts[shell] = text) },
      } as unknown as CommandContext,
      [shell],
      {},
    );
  }
  writeFileSync(join(folder, 'fpath/_ccp'), scripts['zsh']!);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A line up to the cursor, the expected completions, and the current folder. */
const ROWS: readonly (readonly [line: string, offered: string, from?: string])[] = [
  ['ccp pl', 'plan'],
  ['ccp --json pl', 'plan'],
  ['ccp --se', '--series'],
  ['ccp --series 2026.1 build ', 'keystone nova'],
  ['ccp build keystone n', 'nova'],
  ['ccp build --series ', '2026.1 lts all'],
  ['ccp build --series a', 'all'],
  ['ccp graph --format ', 'tree dot mermaid json'],
  ['ccp graph --format=m', 'mermaid'],
  ['ccp affected keystone --format t', 'text'],
  ['ccp keygen --type ', 'ed25519 p256'],
  ['ccp test --group c', 'cluster cloud'],
  ['ccp build --series=2', '2026.1'],
  ['ccp --series=lts build k', 'keystone'],
  ['ccp render ', 'example local'],
  ['ccp deploy a', 'apply action'],
  ['ccp deploy plan ', 'example local'],
  ['ccp deploy plan example ', ''],
  ['ccp deploy action ', 'list run'],
  ['ccp deploy action run l', 'local'],
  ['ccp help re', 'render release'],
  ['ccp help deploy sc', 'scale'],
  ['ccp help build ', ''],
  ['ccp completion ', 'bash zsh fish'],
  ['ccp deploy apply --kubeconfig ', ''],
  ['ccp deploy apply --kubeconfig file l', 'local'],
  ['ccp deploy rollback --t', '--to --take'],
  ['ccp cache p', 'prune'],
  ['ccp build ', 'keystone nova', 'cloud/images/keystone/files'],
  ['ccp render e', 'example', 'cloud/images'],
  ['ccp build ', '', '.'],
  ['ccp -C cloud build ', 'keystone nova', '.'],
  ['ccp build --directory=cloud k', 'keystone', '.'],
  ['ccp -C my\\ own build ', 'greeter keystone nova', '.'],
  ['ccp -C "my own" build --series ', '2026.1 lts own all', '.'],
  ['ccp -C my\\ own render ', '', '.'],
];

const wordsOf = (line: string): readonly string[] =>
  line.match(/"[^"]*"|(?:\\ |[^ =])+|=|(?<= )$/g) ?? [];

test.each(ROWS.map(([line, offered, from = 'cloud']) => ({ line, offered, from })))(
  'bash completes "$line" in $from',
  ({ line, offered, from }) => {
    const words = wordsOf(line).map((word) => `'${word}'`);
    const printed = execFileSync(
      'bash',
      [
        '-c',
        `${scripts['bash']}\nCOMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _ccp; echo "\${COMPREPLY[*]}"`,
      ],
      { cwd: join(folder, from), encoding: 'utf8' },
    );
    expect(printed.trim()).toBe(offered);
  },
);

test('offers every option of the program itself in bash', () => {
  const printed = execFileSync('bash', ['-c', `${scripts['bash']}\n_ccp_words -`], {
    encoding: 'utf8',
  });
  expect(printed.trim().split('\n')).toEqual([
    '--help',
    '--version',
    '--series',
    '--directory',
    '--json',
    '--yes',
    '--quiet',
    '--verbose',
  ]);
});

test('offers the same words in zsh as in bash, autoloaded or sourced', () => {
  const [shared, own] = scripts['zsh']!.split('\n_ccp() {\n') as [string, string];
  expect(shared).toBe(`#compdef ccp\n${scripts['bash']!.split('\n_ccp() {\n')[0]}`);
  expect(own).toMatch(
    /\nif \[\[ \$funcstack\[1\] == _ccp \]\]; then _ccp "\$@"; else compdef _ccp ccp; fi$/,
  );
});

/**
 * A zsh in a terminal of its own gets each line and a TAB; what it would add goes to a file, a line
 * each, and files are left out.
 */
const DRIVER = `
zmodload zsh/zpty
zpty typed zsh -f -i
say() { zpty -w typed $1; zpty -w typed 'print E""ND'; local seen; zpty -r typed seen $'*END\\r\\n*' }
say 'PS1= PS2= PROMPT_SP= ; unsetopt zle_bracketed_paste 2>/dev/null; stty kill undef columns 500; bindkey -e; bindkey "^I" complete-word'
say "HOME=$FOLDER"
say $SETUP
say 'compadd() { local -a found; builtin compadd -O found "$@"; print -rn -- "$found" >>$FOLDER/printed; (( $#found )) }; _files() { : }'
while IFS=$'\\t' read -r from line; do
  say "cd $from"
  zpty -wn typed $line$'\\t'$'\\x15'
  say 'print >>$FOLDER/printed'
done
`;

describe.skipIf(!ZSH)('zsh', () => {
  test.each([
    ['source', 'autoload -Uz compinit; compinit -D -u; source $FOLDER/fpath/_ccp'],
    ['fpath', 'fpath=($FOLDER/fpath $fpath); autoload -Uz compinit; compinit -D -u'],
  ])('completes each line, installed by %s', { timeout: 120_000 }, (_, setup) => {
    rmSync(join(folder, 'printed'), { force: true });
    const input = ROWS.map(([line, , from = 'cloud']) => `${join(folder, from)}\t${line}\n`).join(
      '',
    );
    execFileSync('zsh', ['-f', '-c', DRIVER], {
      input,
      env: { ...process.env, FOLDER: folder, SETUP: setup },
      timeout: 100_000,
    });
    const printed = readFileSync(join(folder, 'printed'), 'utf8').split('\n');
    expect(ROWS.map(([line], index) => `${line}: ${printed[index]?.trim() ?? ''}`)).toEqual(
      ROWS.map(([line, offered]) => `${line}: ${offered}`),
    );
  });
});

test('runs the functions of the bash script in sh from the fish script', () => {
  const [, written] = /^set -g __ccp_functions '(.*?[^\\\\])'\n/s.exec(scripts['fish']!)!;
  expect(written!.replaceAll(/\\(.)/gs, '$1')).toBe(scripts['bash']!.split('\n_ccp() {\n')[0]);
});

describe.skipIf(!FISH)('fish, if it is installed', () => {
  /** The completions of a line with their descriptions; files are left out. */
  const completed = (line: string, from: string): readonly string[] =>
    execFileSync(
      'fish',
      [
        '--no-config',
        '-c',
        'eval $FISH_SCRIPT; function __fish_complete_path; end; complete -C $argv[1]',
        line,
      ],
      {
        cwd: join(folder, from),
        encoding: 'utf8',
        env: { ...process.env, HOME: folder, FISH_SCRIPT: scripts['fish']! },
      },
    )
      .split('\n')
      .filter((word) => word !== '');

  test.each(ROWS.map(([line, offered, from = 'cloud']) => ({ line, offered, from })))(
    'completes "$line" in $from',
    ({ line, offered, from }) => {
      const words = completed(line, from).map((word) => word.replace(/\t.*|^--\w+=/g, ''));
      expect(words.sort()).toEqual(offered.split(' ').filter(Boolean).sort());
    },
  );

  test('completes a value behind its option, and describes commands', () => {
    expect(completed('ccp build --series=2', 'cloud')).toEqual(['--series=2026.1']);
    expect(completed('ccp compl', 'cloud')).toEqual([`completion\t${completion.description}`]);
  });
});
