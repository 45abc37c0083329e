import { Command, type Option } from 'commander';
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
  readonly output: Output;
  readonly flags: CommonFlags;
}

/** The function of a command; resolves with the exit code. */
export type Run<F> = (
  context: CommandContext,
  names: readonly string[],
  flags: F,
) => Promise<number>;

/** Adds a command to the program or to a group; `load` imports its function. */
export type RegisterCommand = <F>(
  usage: string,
  description: string,
  load: () => Promise<Run<F>>,
  options?: readonly Option[],
  group?: Command,
) => void;
