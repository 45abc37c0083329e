import { CcpError } from '#core';
import type { CommandDefinition } from '../command.ts';

/** `ccp nx` with options before it: without them the launcher runs Nx directly. */
export const nx: CommandDefinition = {
  usage: 'nx [arguments...]',
  description: 'run Nx with the Node.js and npm packages of ccp',
  examples: ['ccp nx graph', 'ccp nx build keystone', 'ccp nx affected -t build'],
  run: async () => {
    throw new CcpError({
      code: 'usage',
      message: '`nx` must come before all options: every argument after it is passed to Nx',
      hint: 'use `ccp nx ARGUMENTS`',
    });
  },
};
