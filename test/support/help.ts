/** What `acmcp --help` knows, to judge command lines that texts show. */
import type { Command } from 'commander'
import { createProgram } from '../../cli/program.ts'

const program = await createProgram('0.0.0', async () => {}) // none is run

/** The help of `acmcp` itself when there is no such command. */
function helpOf(names: readonly string[]): string {
  const command = names.reduce<Command>(
    (found, name) => found.commands.find((item) => item.name() === name) ?? found,
    program,
  )
  return command.helpInformation()
}

/** Flags of `acmcp` itself, which stand before a command or behind it. */
const everywhere = program.options.flatMap(({ long }) => long ?? [])

const commandsIn = (help: string): readonly string[] =>
  [...(help.split(/^Commands:$/m)[1] ?? '').matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, name = '']) => name)

const flagsIn = (help: string): readonly string[] =>
  [...help.matchAll(/(?<=\s|^)--?[a-z][\w-]*/gm)].map(([flag]) => flag)

/** What is wrong with `acmcp build --check` and the like in a line of a text; null when each command and flag exists. */
export function wrongCommand(line: string): string | null {
  for (const [, text = ''] of line.matchAll(/(?<![\w@/.-]|install )acmcp((?: +[^\s`|;&#]+)*)/g)) {
    const words = text.split(' ').filter((word) => word !== '')
    const path: string[] = []
    for (const word of words) {
      const inner = commandsIn(helpOf(path))
      if (word.startsWith('-')) {
        if (![...flagsIn(helpOf(path)), ...everywhere].includes(word.split('=')[0] ?? ''))
          return `acmcp ${path.join(' ')} has no ${word}`
      } else if (inner.includes(word)) path.push(word)
      else if (inner.length > 0 && /^[a-z]/.test(word))
        return `there is no command acmcp ${[...path, word].join(' ')}`
    }
  }
  return null
}
