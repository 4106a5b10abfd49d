/** `acmcp doctor`: the way of an MCP client to a tool call, walked from outside, with the cause where it breaks. */
import { readFileSync } from 'node:fs'
import { Option } from 'commander'
import { withEnvFile } from '../../../command-line/add-command.ts'
import { toSeconds, toUrl } from '../../../command-line/argument-types.ts'
import { type Add, addExamples, type CommandContext } from '../../../command-line/command.ts'
import { openBrowser } from '../../../terminal/open-browser.ts'
import { jsonDocument, printableInLine, type TableStyle } from '../../../terminal/table.ts'
import type { StepReport } from '../doctor.ts'
import type { HostsByReach } from '../hosts/known-hosts.ts'
import type { AskedProvider } from '../step.ts'

export const place = 610

export const add: Add = (program, start) => {
  const command = program
    .command('doctor')
    .description('walk the way of an MCP client to a tool call from outside, and name the broken link')
    .argument('[url]', 'the MCP endpoint; without it that of this folder, by BASE_URL', toUrl)
    .addOption(
      new Option(
        '--token <token>',
        'a token to go on with where nobody signs in, or the variable ACMCP_TOKEN',
      ).env('ACMCP_TOKEN'),
    )
    .addOption(new Option('--sign-in', 'sign in at the browser of this machine').conflicts('token'))
    .option('--ca <file>', 'authorities (PEM) to trust besides the public ones')
    .option('--timeout <seconds>', 'how long an answer may take: 10, unless told otherwise', toSeconds, 10)
    .option('--json', 'print one JSON document')
    .allowExcessArguments(false)
    .action((url: URL | undefined, { token, signIn = false, ca, timeout, json = false }: DoctorFlags) =>
      start((context) => {
        const checked = {
          url: url ?? null,
          token: token || null,
          isSigningIn: signIn,
          caFile: ca ?? null,
          json,
        }
        const options = { ...context, ...checked, timeoutSeconds: timeout, hosts: null }
        return context.besideApplication(() => run(options))
      }),
    )
  addExamples(command, [
    'acmcp doctor',
    'acmcp doctor https://api.example.org/mcp --sign-in',
    'ACMCP_TOKEN=eyJ... acmcp doctor https://api.example.org/mcp --json',
  ])
}

interface DoctorFlags {
  readonly token?: string
  readonly signIn?: boolean
  readonly ca?: string
  readonly timeout: number
  readonly json?: boolean
}

export interface DoctorCommandOptions
  extends TableStyle,
    Pick<CommandContext, 'cwd' | 'env' | 'clock' | 'print' | 'warn'> {
  /** Null = the address of `acmcp serve` in this folder with these variables. */
  readonly url: URL | null
  readonly token: string | null
  /** Whether the operator signs in at a browser of this machine. */
  readonly isSigningIn: boolean
  /** Holds authorities (PEM) that are trusted besides the public ones; null = none. */
  readonly caFile: string | null
  readonly timeoutSeconds: number
  readonly json: boolean
  /** Null = those that people have. */
  readonly hosts: HostsByReach | null
}

/** The exit code: 1 when a link is broken, also when no build tells the address, 2 when the file cannot be read. */
export function run(options: DoctorCommandOptions): Promise<0 | 1 | 2> {
  const { caFile, json, isTerminal, isSigningIn, timeoutSeconds, print, warn } = options
  const examine = async (): Promise<0 | 1 | 2> => {
    const { walk } = await import('../doctor.ts')
    const { hostsByReach } = await import('../hosts/known-hosts.ts')
    const ca = caFile === null ? null : readAuthorities(caFile, warn)
    if (ca === undefined) return 2
    const url = options.url ?? (await ownEndpoint(options))
    const reports: StepReport[] = []
    if (!json) print(`${url.href}\n`)
    const walking = {
      ...options,
      url,
      hosts: options.hosts ?? hostsByReach(url),
      ca,
      timeoutMs: timeoutSeconds * 1000,
      examineProviders: isSigningIn && options.url === null ? () => ownProviders(options) : null,
      showSignIn: isSigningIn ? (address: URL) => showSignIn(address, warn) : null,
    }
    await walk(walking, (report) => {
      reports.push(report)
      if (!json) for (const line of linesOf(report, options)) print(line)
    })
    const isWell = reports.every(({ finding }) => finding.state !== 'failed')
    if (json) print(jsonDocument({ url: url.href, ok: isWell, steps: reports.map(documentOf) }, isTerminal))
    return isWell ? 0 : 1
  }
  // of a server that is named the folder says nothing, and it may be another's
  return options.url === null ? withEnvFile(options.cwd, warn, examine) : examine()
}

/** Undefined after saying why not. */
function readAuthorities(file: string, warn: (line: string) => void): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'not readable'
    warn(`acmcp: ${file} cannot be read (${reason})`)
    return undefined
  }
}

/** Where the application of this folder is published. */
async function ownEndpoint({ cwd, env }: DoctorCommandOptions): Promise<URL> {
  const { publishedEndpoint } = await import('../../../../runtime/serve/last-build.ts')
  return publishedEndpoint(cwd, env)
}

/** Their secrets are those of this folder. */
async function ownProviders(options: DoctorCommandOptions): Promise<readonly AskedProvider[]> {
  const { examineProviders } = await import('../../../../runtime/serve/last-build.ts')
  return examineProviders(options.cwd, options.env, { ...options, timeoutMs: options.timeoutSeconds * 1000 })
}

function showSignIn(address: URL, warn: (line: string) => void): void {
  warn(`acmcp: sign in at ${address.href}`)
  openBrowser(address.href, warn)
}

type State = StepReport['finding']['state']

/** Of a terminal. */
const colours: Readonly<Record<State, number>> = { ok: 32, failed: 31, refused: 33, 'not tried': 2 }

const stateWidth = 'not tried'.length
const stepWidth = 'resource metadata'.length

/** The cause and the change stand under what failed, and under the hosts that are refused. */
function linesOf({ step, finding }: StepReport, { isTerminal, colour }: TableStyle): readonly string[] {
  const { state } = finding
  const detail = printableInLine(finding.detail)
  const shown = isTerminal ? state.padEnd(stateWidth) : state
  const painted = colour ? `\u001b[${colours[state]}m${shown}\u001b[0m` : shown
  const cells = [painted, isTerminal ? step.padEnd(stepWidth) : step, ...(detail === '' ? [] : [detail])]
  const line = cells.join(isTerminal ? '  ' : '\t').trimEnd()
  if (!('trouble' in finding)) return [line]
  const { cause, change } = finding.trouble
  return [line, `  ${cause}`, `  ${change}`]
}

/** `cause` and `change` are null where nothing failed and no host is refused. */
function documentOf({ step, finding }: StepReport): object {
  const { state, detail } = finding
  const { cause, change } = 'trouble' in finding ? finding.trouble : { cause: null, change: null }
  return { step, state, detail, cause, change }
}
