/** One thing a fake command does. */
export type FakeAct =
  | { readonly act: 'print'; readonly stream: 'stdout' | 'stderr'; readonly text: string }
  /** Prints what it is given on stdin. */
  | { readonly act: 'copy' }
  | { readonly act: 'wait'; readonly ms: number }
  | { readonly act: 'exit'; readonly code: number };

/**
 * Reads the little of a shell that tests need: `echo` (also `>&2`), `cat`, `sleep` and `exit` between `;` and `&&`. Any other
 * command succeeds in silence.
 */
export function readFakeShell(script: string): readonly FakeAct[] {
  return script.split(/;|&&/).flatMap((command) => actOf(command.trim()));
}

function actOf(command: string): FakeAct[] {
  const [word, ...rest] = command.split(/\s+/);
  const words = rest.filter((part) => part !== '>&2');
  if (word === 'echo') return [{ act: 'print', stream: words.length === rest.length ? 'stdout' : 'stderr', text: `${words.join(' ')}\n` }];
  if (word === 'cat') return [{ act: 'copy' }];
  if (word === 'sleep') return [{ act: 'wait', ms: Number(rest[0]) * 1000 }];
  if (word === 'exit') return [{ act: 'exit', code: Number(rest[0]) }];
  return [];
}
