/** `acmcp completion`: a script with which bash or zsh completes commands, options and their choices, printed from the
 *  definition of the command line. */
import type { Command, Option } from 'commander'
import { fullName } from './program.ts'

export type Shell = 'bash' | 'zsh'

export const completionScript = (shell: Shell, program: Command): string =>
  script(levelsOf(program), shell === 'bash' ? bash : zsh)

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

/** What differs between the two shells. */
interface Dialect {
  readonly head: readonly string[]
  /** The words between the program and the one that is completed, and the last of them. */
  readonly before: string
  readonly last: string
  /** Keeps what may follow. */
  readonly found: (words: readonly string[]) => string
  readonly shown: (word: Word) => string
  readonly tail: readonly string[]
}

function script(levels: readonly Level[], { head, before, last, found, shown, tail }: Dialect): string {
  return [
    ...head,
    `  for word in ${before}; do`,
    '    case "$command $word" in',
    ...commandCases(levels),
    '    esac',
    '  done',
    `  case "$command ${last}" in`,
    ...choiceCases(levels, found),
    '    (*) case "$command" in',
    ...levels.map(
      ({ name, commands, options }) =>
        `      (${quoted(name)}) ${found([...commands, ...options].map(shown))} ;;`,
    ),
    '    esac ;;',
    '  esac',
    ...tail,
  ].join('\n')
}

const bash: Dialect = {
  head: [
    '# bash completion for acmcp, in ~/.bashrc: source <(acmcp completion bash)',
    '_acmcp() {',
    `  local word found='' command=''`,
  ],
  before: `"\${COMP_WORDS[@]:1:COMP_CWORD-1}"`,
  last: `\${COMP_WORDS[COMP_CWORD-1]}`,
  found: (words) => `found=${quoted(words.join(' '))}`,
  shown: ({ word }) => word,
  tail: [
    `  COMPREPLY=($(compgen -W "$found" -- "\${COMP_WORDS[COMP_CWORD]}"))`,
    '}',
    'complete -o default -F _acmcp acmcp',
  ],
}

const zsh: Dialect = {
  head: [
    '#compdef acmcp',
    '# zsh completion for acmcp, in ~/.zshrc after compinit: source <(acmcp completion zsh)',
    '_acmcp() {',
    `  local word command=''`,
    '  local -a found',
  ],
  before: `"\${(@)words[2,CURRENT-1]}"`,
  last: `\${words[CURRENT-1]}`,
  found: (words) => `found=(${words.map(quoted).join(' ')})`,
  /** `word:what it does` */
  shown: ({ word, description }) =>
    description === '' ? word : `${word}:${description.replaceAll(':', '\\:')}`,
  tail: [
    "  _describe 'acmcp' found || _files",
    '}',
    'if [[ "$funcstack[1]" == _acmcp ]]; then _acmcp "$@"; else compdef _acmcp acmcp; fi',
  ],
}
