import { codeOf } from '#core';
import type { CommandContext, CommandDefinition } from '../command.ts';
import { EXIT } from '../report/exit-codes.ts';

/** `ccp doctor`: checks of this machine, each with a hint. Ends with 5 if a check fails. */
export const doctor: CommandDefinition = {
  usage: 'doctor',
  description:
    'check the engine, git, disk space, kernel, ports, mirrors of the settings and clock of this machine; changes nothing',
  examples: ['ccp doctor', 'ccp doctor --json'],
  run: async (context) => {
    const { own, output } = context;
    const { examineMachine } = await import('../compose/doctor/examine-machine.ts');
    const { colourCheck } = await import('../report/colour.ts');
    const { doctorText } = await import('../report/doctor-text.ts');
    const checks = await examineMachine(rootOf(context), own);
    output.result(doctorText(checks), { checks }, colourCheck);
    return checks.some(({ outcome }) => outcome === 'failed') ? EXIT.machine : EXIT.done;
  },
};

/** The workspace; undefined where there is none. A folder that -C names must be one. */
function rootOf(context: CommandContext): string | undefined {
  try {
    return context.root;
  } catch (thrown) {
    if (context.flags.directory !== undefined || codeOf(thrown) !== 'usage') throw thrown;
    return undefined;
  }
}
