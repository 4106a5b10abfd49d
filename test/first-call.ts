/** `npm run bench:first-call`: from the packed tarball and an empty folder to a tool call by a real MCP client: commands and
 *  seconds, with an empty npm cache and with a warm one. Then, under `dev`, from saving an edit to the first `tools/list` that
 *  shows it. Needs the registry; with `-- --edits` only the edits are measured, on this repository as it is linked, and nothing is
 *  asked. */
import { mkdirSync, rmSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { answerOf, clientKinds, signedIn } from './flow/client-kinds.ts'
import { temporaryFolder } from './flow/support.ts'
import { importPackages, linkedProject, timesToTools } from './support/dev-edits.ts'
import { freePort } from './support/free-port.ts'
import { npmRunDev, packInto, run } from './support/packed.ts'

/** To reach: with a warm cache, and by the median edit. */
const most = { commands: 3, seconds: 120, editMs: 1000 }
const edits = 15

interface Step {
  readonly name: string
  readonly isCommand: boolean
  readonly seconds: number
}

const isEditsAlone = process.argv.includes('--edits')
const folder = temporaryFolder()
const file = isEditsAlone ? '' : packInto(folder).file
const cache = join(folder, 'cache')

async function timed<Result>(steps: Step[], name: string, work: () => Result): Promise<Awaited<Result>> {
  const start = performance.now()
  const result = await work()
  const isCommand = name.startsWith('$ ')
  steps.push({ name, isCommand, seconds: (performance.now() - start) / 1000 })
  return result
}

/** The three commands in a new folder, then a client of the SDK, which signs in by OAuth with the development login. */
async function firstCall(project: string): Promise<readonly Step[]> {
  mkdirSync(project)
  const env = { npm_config_cache: cache }
  const steps: Step[] = []
  const tarball = `../${file}`
  await timed(steps, '$ npx --yes acmcp.tgz init --yes', () =>
    run('npx', ['--yes', tarball, 'init', '--yes'], project, env),
  )
  await timed(steps, '$ npm install', () => run('npm', ['install'], project, env))
  const port = await freePort()
  const served = await timed(steps, '$ npm run dev, until it serves', () => npmRunDev(project, port, env))
  try {
    await timed(steps, 'client: sign-in, tools/list, tools/call', () => callTool(served.baseUrl))
  } finally {
    served.stop()
  }
  return steps
}

async function callTool(baseUrl: string): Promise<void> {
  const [kind] = clientKinds
  if (kind === undefined) throw new Error('there is no client')
  const { client } = await signedIn(kind, baseUrl)
  const { tools } = await client.listTools()
  if (!tools.some(({ name }) => name === 'notes_create')) throw new Error('the tool is not listed')
  const answer = answerOf(await client.callTool({ name: 'notes_create', arguments: { text: 'first' } }))
  const { text } = answer.structured as { text?: string } // a note
  if (answer.isError || text !== 'first') throw new Error(`the call failed: ${JSON.stringify(answer)}`)
  await client.close()
}

const total = (steps: readonly Step[]): number => steps.reduce((sum, { seconds }) => sum + seconds, 0)

function print(cold: readonly Step[], warm: readonly Step[]): void {
  const row = (...cells: readonly string[]): void => console.log(`| ${cells.join(' | ')} |`)
  row('step', 'cold npm cache', 'warm npm cache')
  row('---', '---:', '---:')
  cold.forEach(({ name, seconds }, index) => {
    row(name, `${seconds.toFixed(1)} s`, `${warm[index]?.seconds.toFixed(1)} s`)
  })
  row('total', `${total(cold).toFixed(1)} s`, `${total(warm).toFixed(1)} s`)
  console.log(
    `\n${commandsIn(warm)} commands (at most ${most.commands}), no question; at most ${most.seconds} s warm`,
  )
}

const commandsIn = (steps: readonly Step[]): number => steps.filter(({ isCommand }) => isCommand).length

/** Whether the first call is as near as it should be. */
async function measureFirstCall(): Promise<boolean> {
  const cold = await firstCall(join(folder, 'cold'))
  rmSync(join(cache, '_npx'), { recursive: true }) // what npx installed is no cache of downloads
  const warm = await firstCall(join(folder, 'warm'))
  print(cold, warm)
  return commandsIn(warm) <= most.commands && total(warm) < most.seconds
}

/** Whether edits of both applications are seen soon enough: what `init` makes, and the same with types of zod and Kysely. */
async function measureEdits(project: string, install: () => void): Promise<boolean> {
  console.log(
    `\nunder dev, from saving an edit to the first tools/list that shows it (median below ${most.editMs} ms)`,
  )
  const own = await measure('the example of init', project)
  install()
  importPackages(project)
  const importing = await measure('with zod and kysely', project)
  return Math.max(own, importing) < most.editMs
}

async function measure(name: string, project: string): Promise<number> {
  const times = await timesToTools(project, edits)
  const [least = 0, median = 0, longest = 0] = [0, Math.floor(edits / 2), edits - 1].map((at) => times[at])
  const [load = 0] = loadavg()
  const ms = [least, median, longest].map((count) => `${Math.round(count)} ms`)
  console.log(
    `${name}: ${edits} edits, min ${ms[0]}, median ${ms[1]}, max ${ms[2]} (load ${load.toFixed(1)})`,
  )
  return median
}

try {
  const isNear = isEditsAlone || (await measureFirstCall())
  const project = join(folder, isEditsAlone ? 'linked' : 'warm')
  if (isEditsAlone) linkedProject(project)
  const install = (): void => {
    if (!isEditsAlone) run('npm', ['install', 'zod', 'kysely'], project, { npm_config_cache: cache })
  }
  const isSoon = await measureEdits(project, install)
  process.exitCode = isNear && isSoon ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
