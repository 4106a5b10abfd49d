/** Every command and option of the command line as entries, from the definition that it runs by. */
import type { Argument, Command, Option } from 'commander'
import { commandsOf, examplesOf, fullName } from '../command-line/command.ts'
import type { Entry, Fact } from './entry.ts'

export function commandEntries(program: Command): readonly Entry[] {
  return commandsOf(program).flatMap((command) => [
    toEntry(command),
    ...visible(command).map((option) => optionEntry(command, option)),
  ])
}

const visible = (command: Command): readonly Option[] => command.options.filter(({ hidden }) => !hidden)

function toEntry(command: Command): Entry {
  const name = fullName(command)
  return {
    kind: 'command',
    name,
    aliases: [`acmcp ${name}`, ...(name.includes(' ') ? [command.name()] : [])],
    facts: [
      ['written', `acmcp ${name} ${command.usage()}`.trim()],
      ...command.registeredArguments.map(argumentFact),
      ...visible(command).map((option): Fact => [option.flags, textOf(option)]),
    ],
    meaning: sentence(command.description()),
    samples: examplesOf(command).map((text) => ({ label: 'example', text })),
  }
}

function argumentFact(argument: Argument): Fact {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`
  return [argument.required ? `<${name}>` : `[${name}]`, argument.description]
}

/** Its text, what it takes and what it is without it. */
function textOf({ description, argChoices, defaultValue }: Option): string {
  const choices = argChoices === undefined ? [] : [`one of ${argChoices.join(', ')}`]
  const fallback = typeof defaultValue === 'string' ? [`default ${defaultValue}`] : []
  const more = [...choices, ...fallback].join('; ')
  return more === '' ? description : `${description} (${more})`
}

function optionEntry(command: Command, option: Option): Entry {
  const name = fullName(command)
  const long = option.long ?? option.flags
  return {
    kind: 'option',
    name: `${name} ${long}`,
    aliases: [long, long.replace(/^--/, ''), `acmcp ${name} ${long}`],
    facts: [['written', `acmcp ${name} ${option.flags}`]],
    meaning: sentence(textOf(option)),
    samples: examplesOf(command)
      .filter((text) => text.split(' ').includes(long))
      .map((text) => ({ label: 'example', text })),
  }
}

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`
