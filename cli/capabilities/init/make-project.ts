/** What `acmcp init` does: a new application, or what an existing project lacks to be one. It overwrites nothing. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { explained, InitError } from './init-error.ts'
import { commandOf } from './managers.ts'
import { devCommands } from './manifest.ts'
import { type Plan, planOf } from './plan.ts'
import type { Variant } from './project-files.ts'

export interface InitOptions {
  readonly cwd: string
  /** Of this process: package managers give their name there. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Of the package. */
  readonly version: string
  /** null = asked for, else the working directory. */
  readonly folder: string | null
  /** null = asked for, else the notes. */
  readonly variant: Variant | null
  /** Whether questions may be asked. */
  readonly isInteractive: boolean
  readonly print: (line: string) => void
  readonly warn: (line: string) => void
}

/** The exit code: 1 when nothing, or not everything, could be written. */
export async function makeProject(options: InitOptions): Promise<0 | 1> {
  const { cwd, env, version, print, warn } = options
  const choice = await chosen(options)
  if (choice === null) {
    warn('acmcp: nothing was written')
    return 1
  }
  try {
    const plan = planOf(resolve(cwd, choice.folder), choice.variant, {
      version,
      userAgent: env.npm_config_user_agent,
    })
    writeAll(plan)
    const byHand = [...plan.byHand, ...(await settingsByHand(plan))]
    for (const line of report(plan, byHand, relative(cwd, plan.root))) print(line)
    return 0
  } catch (error) {
    if (!(error instanceof InitError)) throw error
    warn(`acmcp: ${error.message}`)
    return 1
  }
}

async function chosen({
  cwd,
  folder,
  variant,
  isInteractive,
}: InitOptions): Promise<{ readonly folder: string; readonly variant: Variant } | null> {
  if (!isInteractive) return { folder: folder ?? '.', variant: variant ?? 'notes' }
  const { askInit } = await import('./prompts.ts')
  return askInit(cwd, { folder, variant })
}

/** Folders first: what cannot be written is found before there is half an application. */
function writeAll({ root, files }: Plan): void {
  const folders = new Set(files.map(({ path }) => dirname(join(root, path))))
  for (const folder of [root, ...folders])
    explained(`the folder ${folder} cannot be made`, () => makeFolder(folder))
  for (const { path, text } of files)
    explained(`${join(root, path)} cannot be written`, () =>
      writeFileSync(join(root, path), text, { flag: 'wx' }),
    )
}

/** With the folders above it. Node's own `recursive` never ends where a parent refuses with ENOENT, as `/proc` does. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  makeFolder(dirname(folder))
  mkdirSync(folder)
}

/** TypeScript is loaded only for settings that the user brought. */
async function settingsByHand({ root, kept }: Plan): Promise<readonly string[]> {
  if (!kept.includes('tsconfig.json')) return []
  const { tsconfigNeeds } = await import('./tsconfig-needs.ts')
  return tsconfigNeeds(root)
}

function report(plan: Plan, byHand: readonly string[], folder: string): readonly string[] {
  const { files, kept, needs } = plan
  const created = files.map(({ path }) => path)
  return [
    ...(created.length === 0 ? ['nothing to add: all of it is there'] : []),
    ...listed(`created${folder === '' ? '' : ` in ${folder}`}:`, created),
    ...listed('there already, unchanged:', [
      ...kept,
      ...needs.takenScripts.map((name) => `the script ${name} of package.json`),
    ]),
    ...listed('to do by hand:', byHand),
    ...listed('next:', nextSteps(plan, folder)),
  ]
}

const listed = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)]

function nextSteps(plan: Plan, folder: string): readonly string[] {
  const {
    needs: { commands, takenScripts },
    name,
  } = plan
  const manager = commandOf(plan.manager)
  return [
    ...(folder === '' ? [] : [`cd ${/^[\w./\\-]+$/.test(folder) ? folder : JSON.stringify(folder)}`]),
    ...commands,
    ...(commands.some((command) => !command.startsWith('npm pkg')) ? [] : [`${manager} install`]),
    ...(takenScripts.includes('dev') ? devCommands : [`${manager} run dev`]),
    'then give http://localhost:3000/mcp to an MCP client, such as',
    `  claude mcp add --transport http ${name} http://localhost:3000/mcp`,
  ]
}
