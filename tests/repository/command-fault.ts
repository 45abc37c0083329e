import type { Command, Option } from 'commander';
import { counted } from '#core';

/** The words of a shell line up to a comment, a pipe, a redirection or the end of the command. */
export function shellWords(line: string): readonly string[] {
  const words: string[] = [];
  for (const [word] of line.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'|&;<>#]|(?<=\S)#)+|[|&;<>#]/g)) {
    if (/^[|&;<>#]$/.test(word)) break;
    words.push(word.replaceAll(/["']/g, ''));
  }
  return words;
}

/** Why `program` would refuse these words after its name; undefined if it accepts them. */
export function commandFault(program: Command, words: readonly string[]): string | undefined {
  let command = program;
  const names: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] as string;
    if (word === '--') return countFault(command, names.concat(words.slice(index + 1)));
    if (/^-./.test(word)) {
      const [flag, value] = word.split('=', 2) as [string, string?];
      const option = optionsOf(command).find(({ short, long }) => flag === short || flag === long);
      if (option === undefined) return `${command.name()} has no option ${flag}`;
      if (option.required && value === undefined && ++index === words.length)
        return `${flag} lacks its value`;
    } else {
      const next = command.commands.find(
        (each) => each.name() === word || each.aliases().includes(word),
      );
      if (command.commands.length === 0) names.push(word);
      else if (next !== undefined) command = next;
      else if (word === 'help') return undefined;
      else return `${command.name()} has no command ${word}`;
      if (command.name() === 'nx') return undefined;
    }
  }
  return countFault(command, names);
}

function countFault(command: Command, names: readonly string[]): string | undefined {
  const { registeredArguments } = command;
  const fewest = registeredArguments.filter(({ required }) => required).length;
  const most =
    registeredArguments.at(-1)?.variadic === true ? Infinity : registeredArguments.length;
  if (names.length < fewest) return `${command.name()} needs ${counted(fewest, 'argument')}`;
  return names.length > most ? `${command.name()} takes ${counted(most, 'argument')}` : undefined;
}

/** Options of the command and of the groups that it is in. */
function optionsOf(command: Command): readonly Option[] {
  const help = command.createHelp();
  const own = help.visibleOptions(command);
  return command.parent === null ? own : [...own, ...optionsOf(command.parent)];
}
