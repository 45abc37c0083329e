import type { CommandDefinition, CommandGroup } from '../command.ts';
import { affected } from './affected.ts';
import { build } from './build.ts';
import { cache } from './cache.ts';
import { clean } from './clean.ts';
import { completion } from './completion.ts';
import { deploy } from './deploy/index.ts';
import { down } from './down.ts';
import { explain } from './explain.ts';
import { fetchCommand } from './fetch.ts';
import { graph } from './graph.ts';
import { inspect } from './inspect.ts';
import { lock } from './lock.ts';
import { nx } from './nx.ts';
import { plan } from './plan.ts';
import { render } from './render.ts';
import { run } from './run.ts';
import { test } from './test.ts';
import { up } from './up.ts';

/** All commands, in the order of `ccp --help`. */
export const COMMANDS: readonly (CommandDefinition<never> | CommandGroup)[] = [
  build,
  plan,
  explain,
  affected,
  graph,
  lock,
  fetchCommand,
  render,
  run,
  inspect,
  test,
  cache,
  clean,
  deploy,
  up,
  down,
  nx,
  completion,
];
