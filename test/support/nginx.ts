/** A real nginx, where one is installed. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { temporaryFolder } from '../flow/support.ts'

export const nginxProgram: string | null =
  ['/usr/sbin/nginx', '/usr/local/sbin/nginx', '/opt/homebrew/bin/nginx'].find((path) => existsSync(path)) ??
  null

/** Workers of root's would be nobody's, who may not read the folder. */
const asRoot = process.getuid?.() === 0 ? 'user root;\n' : ''

/** Files of its own in a folder of its own: nothing of the machine's. */
function folderWith(http: string): string {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'logs'))
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const temporary = kinds.map((kind) => `  ${kind}_temp_path ${folder}/${kind};`).join('\n')
  writeFileSync(
    join(folder, 'nginx.conf'),
    `${asRoot}daemon off;\nworker_processes 1;\npid ${folder}/nginx.pid;\nerror_log ${folder}/logs/error.log notice;\nevents { worker_connections 512; }\nhttp {\n  access_log off;\n${temporary}\n${http}\n}\n`,
  )
  return folder
}

/** What it says of the configuration; empty = nothing is wrong. */
export function nginxComplaints(program: string, http: string): string {
  const folder = folderWith(http)
  const { status, stderr } = spawnSync(program, ['-p', folder, '-c', join(folder, 'nginx.conf'), '-t'], {
    encoding: 'utf8',
  })
  return status === 0 ? '' : stderr
}

/** Serves what is inside of `http { … }` at `port` until the end of the test. Throws with what it said when it does not start. */
export async function startNginx(
  t: { teardown(clean: () => Promise<void>): void },
  program: string,
  { http, port }: { readonly http: string; readonly port: number },
): Promise<void> {
  const folder = folderWith(http)
  const child = spawn(program, ['-p', folder, '-c', join(folder, 'nginx.conf')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  t.teardown(() => ended(child))
  for (;;) {
    if (child.exitCode !== null) throw new Error(`nginx does not start:\n${said}`)
    if (await accepts(port)) return
    await new Promise(setImmediate)
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  await exit
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}
