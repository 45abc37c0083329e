import { InvalidArgumentError } from 'commander';

/** The values of a repeatable option, in order. */
export function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/** A whole number from 1 to 9999. Throws commander's error for anything else. */
export function count(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text))
    throw new InvalidArgumentError('It must be a whole number from 1 to 9999.');
  return Number(text);
}
