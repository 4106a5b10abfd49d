/** The packed package, and a project made with it as a newcomer does: by commands, with npm. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { createInterface } from 'node:readline'

export interface Packed {
  /** The tarball's name in the folder that it was packed into. */
  readonly file: string
  /** What is in it. */
  readonly files: readonly string[]
}

/** Packs this repository into `folder` as it is published: compiled without source maps, also below `dist/`. */
export function packInto(folder: string): Packed {
  const args = ['pack', '--json', '--foreground-scripts=false', '--pack-destination', folder]
  const reported = JSON.parse(run('npm', args, process.cwd()))
  const entry = Array.isArray(reported) ? reported[0] : Object.values(reported)[0] // npm 12 names it by package
  return { file: entry.filename, files: entry.files.map((file: { path: string }) => file.path) }
}

type Variables = Readonly<Record<string, string | undefined>>

/** What `npm run` tells its own script is not for the commands of another project. */
const newcomer = (): Variables =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(npm_(package|lifecycle|command|config_local_prefix)|INIT_CWD|NODE_OPTIONS)/.test(name),
    ),
  )

/** What it prints; nothing can be asked. Throws when it fails. */
export const run = (command: string, args: readonly string[], cwd: string, env: Variables = {}): string =>
  execFileSync(command, args, {
    cwd,
    env: { ...newcomer(), ...env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })

/** Its exit code, and what it prints to both streams. */
export function runBoth(
  command: string,
  args: readonly string[],
  cwd: string,
): { readonly status: number | null; readonly text: string } {
  const env = { ...newcomer(), NO_COLOR: '1' }
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: 'utf8' })
  return { status, text: stdout + stderr }
}

export interface RunningScript {
  readonly baseUrl: string
  /** Ends npm and what it started. */
  readonly stop: () => void
}

/** `npm run dev` in the project; resolves when it says where the MCP endpoint is. */
export async function npmRunDev(project: string, port: number, env: Variables = {}): Promise<RunningScript> {
  const child = spawn('npm', ['run', 'dev'], {
    cwd: project,
    env: { ...newcomer(), LOG_LEVEL: 'silent', ...env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true, // a process group: npm hands no signal on to what `&&` started
  })
  const stop = (): void => stopGroup(child)
  for await (const line of createInterface({ input: child.stdout }))
    if (line.includes('MCP endpoint')) return { baseUrl: `http://localhost:${port}`, stop }
  throw new Error('npm run dev ended before it served')
}

function stopGroup({ pid, exitCode }: ChildProcess): void {
  if (pid !== undefined && exitCode === null) process.kill(-pid, 'SIGTERM')
}
