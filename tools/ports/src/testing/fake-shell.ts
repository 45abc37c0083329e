/** An action of a fake command. */
export type FakeAct =
  | { readonly act: 'print'; readonly stream: 'stdout' | 'stderr'; readonly text: string }
  /** Prints its stdin. */
  | { readonly act: 'copy' }
  | { readonly act: 'wait'; readonly ms: number }
  | { readonly act: 'exit'; readonly code: number };

/**
 * Parses the shell syntax that tests need: `echo` (also `>&2`), `cat`, `sleep` and `exit`,
 * separated by `;` or `&&`. Other commands succeed without output.
 */
export function readFakeShell(script: string): readonly FakeAct[] {
  return script.split(/;|&&/).flatMap((command) => actOf(command.trim()));
}

function actOf(command: string): FakeAct[] {
  const [word, ...rest] = command.split(/\s+/);
  const words = rest.filter((part) => part !== '>&2');
  if (word === 'echo')
    return [
      {
        act: 'print',
        stream: words.length === rest.length ? 'stdout' : 'stderr',
        text: `${words.join(' ')}\n`,
      },
    ];
  if (word === 'cat') return [{ act: 'copy' }];
  if (word === 'sleep') return [{ act: 'wait', ms: Number(rest[0]) * 1000 }];
  if (word === 'exit') return [{ act: 'exit', code: Number(rest[0]) }];
  return [];
}
