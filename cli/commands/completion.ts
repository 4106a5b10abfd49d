/** `acmcp completion`: a script with which bash or zsh completes commands, options and their choices, printed from the
 *  definition of the command line. */
import type { Command, Option } from 'commander'
import { fullName } from './program.ts'

export type Shell = 'bash' | 'zsh'

export const completionScript = (shell: Shell, program: Command): string =>
  shell === 'bash' ? bashScript(levelsOf(program)) : zshScript(levelsOf(program))

/** What may follow one command, or the program itself. */
interface Level {
  /** `store backup`; empty for the program. */
  readonly name: string
  readonly commands: readonly Word[]
  readonly options: readonly Word[]
  /** What may follow an option, or be an argument. */
  readonly choices: readonly { readonly after: readonly string[]; readonly words: readonly string[] }[]
}

interface Word {
  readonly word: string
  readonly description: string
}

function levelsOf(command: Command): readonly Level[] {
  const name = command.parent === null ? '' : fullName(command)
  const options = command.options.filter(({ hidden }) => !hidden)
  const level: Level = {
    name,
    commands: command.commands.map((one) => ({ word: one.name(), description: one.description() })),
    options: [...options.map(wordOf), { word: '--help', description: 'display help' }],
    choices: options.flatMap(({ argChoices, short, long }) =>
      argChoices === undefined
        ? []
        : [{ after: [short, long].filter((flag) => flag !== undefined), words: argChoices }],
    ),
  }
  const given = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices)
  const own = given.length === 0 ? level : withArguments(level, given)
  return [own, ...command.commands.flatMap(levelsOf)]
}

const wordOf = ({ long, flags, description }: Option): Word => ({ word: long ?? flags, description })

/** They stand where a command would. */
const withArguments = (level: Level, words: readonly string[]): Level => ({
  ...level,
  commands: words.map((word) => ({ word, description: '' })),
})

/** The command that the words so far are: of `case`, where `$command` is the one so far. */
function commandCases(levels: readonly Level[]): readonly string[] {
  const names = levels.map(({ name }) => name).filter((name) => name !== '')
  return names.map((name) => {
    const above = name.split(' ').slice(0, -1).join(' ')
    return `      (${quoted(`${above} ${name.split(' ').at(-1)}`)}) command=${quoted(name)} ;;`
  })
}

const choiceCases = (
  levels: readonly Level[],
  found: (words: readonly string[]) => string,
): readonly string[] =>
  levels.flatMap(({ name, choices }) =>
    choices.map(({ after, words }) => {
      const pattern = after.map((flag) => quoted(`${name} ${flag}`)).join(' | ')
      return `    (${pattern}) ${found(words)} ;;`
    }),
  )

/** For a shell; nothing in it is read as anything else. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

function bashScript(levels: readonly Level[]): string {
  const found = (words: readonly string[]): string => `found=${quoted(words.join(' '))}`
  const words = ({ commands, options }: Level): readonly string[] =>
    [...commands, ...options].map(({ word }) => word)
  return [
    '# bash completion for acmcp, in ~/.bashrc: source <(acmcp completion bash)',
    '_acmcp() {',
    `  local word found='' command=''`,
    `  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do`,
    '    case "$command $word" in',
    ...commandCases(levels),
    '    esac',
    '  done',
    `  case "$command \${COMP_WORDS[COMP_CWORD-1]}" in`,
    ...choiceCases(levels, found),
    '    (*) case "$command" in',
    ...levels.map((level) => `      (${quoted(level.name)}) ${found(words(level))} ;;`),
    '    esac ;;',
    '  esac',
    `  COMPREPLY=($(compgen -W "$found" -- "\${COMP_WORDS[COMP_CWORD]}"))`,
    '}',
    'complete -o default -F _acmcp acmcp',
  ].join('\n')
}

function zshScript(levels: readonly Level[]): string {
  const list = (words: readonly string[]): string => `found=(${words.map(quoted).join(' ')})`
  /** `word:what it does` */
  const described = ({ word, description }: Word): string =>
    description === '' ? word : `${word}:${description.replaceAll(':', '\\:')}`
  return [
    '#compdef acmcp',
    '# zsh completion for acmcp, in ~/.zshrc after compinit: source <(acmcp completion zsh)',
    '_acmcp() {',
    `  local word command=''`,
    '  local -a found',
    `  for word in "\${(@)words[2,CURRENT-1]}"; do`,
    '    case "$command $word" in',
    ...commandCases(levels),
    '    esac',
    '  done',
    `  case "$command \${words[CURRENT-1]}" in`,
    ...choiceCases(levels, list),
    '    (*) case "$command" in',
    ...levels.map(
      ({ name, commands, options }) =>
        `      (${quoted(name)}) ${list([...commands, ...options].map(described))} ;;`,
    ),
    '    esac ;;',
    '  esac',
    "  _describe 'acmcp' found || _files",
    '}',
    'if [[ "$funcstack[1]" == _acmcp ]]; then _acmcp "$@"; else compdef _acmcp acmcp; fi',
  ].join('\n')
}
