import type { Command, Option } from 'commander';
import type { Output, OutputFlags } from './report/output.ts';

/** Flags of every command. */
export interface CommonFlags extends OutputFlags {
  readonly series?: string;
  readonly directory?: string;
  readonly yes?: boolean;
}

/** Context passed to every command. */
export interface CommandContext {
  /** Absolute path of the workspace; throws the errors of `findRoot`. */
  readonly root: string;
  /** Absolute path of the repository that contains the tool. */
  readonly own: string;
  /** The whole command line. */
  readonly program: Command;
  readonly output: Output;
  readonly flags: CommonFlags;
}

/** The function of a command; resolves with the exit code. */
export type Run<F> = (
  context: CommandContext,
  names: readonly string[],
  flags: F,
) => Promise<number>;

/** A command: its words on the command line and its function. */
export interface CommandDefinition<F = object> {
  /** Name and operands, like `plan [images...]`. */
  readonly usage: string;
  readonly description: string;
  readonly options?: readonly Option[];
  /** Command lines for `--help`. */
  readonly examples?: readonly string[];
  /**
   * How it uses several series of `--series`: it runs for `each`, or gets `all` in one run. By
   * default it takes one.
   */
  readonly series?: 'each' | 'all';
  /**
   * Loads other packages and `compose/` with `import()`: all commands are registered at every
   * start.
   */
  readonly run: Run<F>;
}

/** Commands below one word, like `ccp deploy`. */
export interface CommandGroup {
  readonly name: string;
  readonly description: string;
  readonly commands: readonly (CommandDefinition<never> | CommandGroup)[];
}
