/** `acmcp dev` as a process of its own, and an application that is edited while it runs. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { renameSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { setTimeout as after } from 'node:timers/promises'
import { folderOf, write } from '../../cli/support/built-app.ts'
import type { Files } from '../../cli/support/memory-host.ts'
import { freePort } from '../../support/free-port.ts'

export const main: string = join(process.cwd(), 'dist/cli/main.js')

export type Test = Parameters<typeof folderOf>[0] & { teardown(clean: () => Promise<void>): void }
type Variables = Readonly<Record<string, string>>

export interface DevProcess {
  readonly root: string
  readonly baseUrl: string
  readonly process: ChildProcessWithoutNullStreams
  /** Resolves with the lines of both outputs up to the next one that holds the text, and forgets them; the port is `PORT`. */
  readonly until: (text: string) => Promise<readonly string[]>
  /** Resolves with exit code and signal when no process of it has its output open any more. */
  readonly gone: Promise<readonly unknown[]>
}

/** As editors save: a new file takes the name of the old one, which is one event and never half a file. */
export function save(root: string, path: string, content: string): void {
  write(root, '.saved', content)
  renameSync(join(root, '.saved'), join(root, path))
}

/** The process alone, as a group of its own, of which nothing is read; with `both` its standard error goes where its output goes. */
export function spawnDev(
  t: Test,
  root: string,
  { env, both = false }: { readonly env: Variables; readonly both?: boolean },
): ChildProcessWithoutNullStreams {
  const common = { PATH: process.env.PATH ?? '', LOG_LEVEL: 'silent', DATABASE_URL: 'sqlite::memory:' }
  const command = [process.execPath, main, 'dev']
  const [file = '', ...args] = both ? ['/bin/sh', '-c', 'exec "$0" "$@" 2>&1', ...command] : command
  const child = spawn(file, args, { cwd: root, env: { ...common, ...env }, detached: true })
  const gone = once(child, 'close')
  t.teardown(async () => {
    child.kill('SIGKILL')
    await gone
  })
  return child
}

/** `acmcp dev` of an application with these files, which was never built unless `before` does. */
export async function startDev(
  t: Test,
  files: Files,
  env: Variables = {},
  before: (root: string) => void = () => {},
): Promise<DevProcess> {
  const root = folderOf(t, files)
  before(root)
  return startDevIn(t, root, env)
}

/** `acmcp dev` in a folder that is there. */
export async function startDevIn(t: Test, root: string, env: Variables = {}): Promise<DevProcess> {
  const port = String(await freePort())
  const child = spawnDev(t, root, { env: { PORT: port, ...env }, both: true })
  const { say, until } = linesSaid(port)
  createInterface({ input: child.stdout }).on('line', say)
  const gone = once(child, 'close')
  return { root, baseUrl: `http://localhost:${port}`, process: child, until, gone }
}

/** Lines as they are said, until somebody asks for them. */
export function linesSaid(
  port: string,
): Pick<DevProcess, 'until'> & { readonly say: (line: string) => void } {
  const lines: string[] = []
  let read = 0
  let wake = (): void => {}
  const say = (line: string): void => {
    lines.push(line.replaceAll(port, 'PORT'))
    wake()
  }
  const until = async (wanted: string): Promise<readonly string[]> => {
    for (;;) {
      const at = lines.findIndex((line, index) => index >= read && line.includes(wanted))
      if (at >= 0) {
        const found = lines.slice(read, at + 1)
        read = at + 1
        return found
      }
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
  return { say, until }
}

/** Asks on a connection of its own: status, content type and body. */
export async function ask(url: string, headers: Variables = {}): Promise<readonly unknown[]> {
  const request = get(url, { agent: false, headers })
  const [response] = await once(request, 'response')
  return [response.statusCode, response.headers['content-type'], await text(response)]
}

/** Asks until the body begins so, and returns it: a worker hears of a build a moment after it is told on the terminal. */
export async function askUntil(url: string, beginning: string, headers: Variables = {}): Promise<string> {
  for (;;) {
    const [, , body] = await ask(url, headers)
    if (String(body).startsWith(beginning)) return String(body)
    await after(paceMs)
  }
}

/** Who asks without a pause takes the processor from the builds that he waits for. */
export const paceMs = 10

/** Asks again and again, each time anew, until told to stop: every status or error that came, each once. */
export function asking(url: string): { readonly stop: () => Promise<readonly unknown[]> } {
  const seen = new Set<unknown>()
  let isOver = false
  const again = async (): Promise<void> => {
    while (!isOver) {
      seen.add(await ask(url).then(([status]) => status, String))
      await after(paceMs)
    }
  }
  const askers = [again(), again(), again()]
  return {
    stop: async () => {
      isOver = true
      await Promise.all(askers)
      return [...seen].sort()
    },
  }
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', '#39': "'" }

/** What a page says, line by line, without its frame. */
export function pageText(html: string): readonly string[] {
  const [, content = ''] = /<main[^>]*>(.*)<\/main>/s.exec(html) ?? []
  const text = content.replace(/<[^>]*>/g, '').replace(/&(\w+|#39);/g, (_, name) => entities[name] ?? '?')
  return text.split('\n').filter((line) => line.trim() !== '')
}
