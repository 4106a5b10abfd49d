/** A process that runs suites one after the other, so that the runtime, the compiler and TypeScript are loaded, and the standard
 *  library's types are parsed, once for many of them. Each is a subtest of its own on standard output. `pool.ts` sends the paths. */
import asyncHooks from 'node:async_hooks'
import { register, syncBuiltinESMExports } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** What the pool sends; `'end'` at the end. */
export interface SuiteOrder {
  readonly suite: string
  readonly timeoutMs: number
}

/** What it is answered: the worker waits for a suite, and holds this much memory. */
export interface WorkerIsFree {
  readonly residentBytes: number
}

/** `tap` follows every promise with a hook, to tell whose an error is that nobody caught: a fifth of the CPU of a suite of requests.
 *  Here the suite that runs is the one. */
async function tapWithoutHooks(): Promise<typeof import('tap')> {
  const { createHook } = asyncHooks
  const inert: asyncHooks.AsyncHook = { enable: () => inert, disable: () => inert }
  const replace = (make: typeof createHook): void => {
    asyncHooks.createHook = make
    syncBuiltinESMExports()
  }
  replace(() => inert)
  const tap = await import('tap')
  replace(createHook)
  return tap
}

const { default: root } = await tapWithoutHooks()
const { enter } = await import('./running-suite.ts')
register('./resolution.js', import.meta.url)
process.setMaxListeners(0) // each suite may clean up at the end of the process
const folder = process.cwd()
const env = { ...process.env }

async function run({ suite, timeoutMs }: SuiteOrder): Promise<void> {
  await root.test(suite, { timeout: timeoutMs }, async (t) => {
    enter(t)
    await import(pathToFileURL(resolve(suite)).href)
  })
  process.chdir(folder)
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
  Object.assign(process.env, env)
  isFree()
}

function isFree(): void {
  const message: WorkerIsFree = { residentBytes: process.memoryUsage.rss() }
  process.channel?.ref() // `tap` lets the process end where nothing else keeps it
  process.send?.(message)
}

process.on('message', (order: SuiteOrder | 'end') => void (order === 'end' ? process.exit() : run(order)))
process.once('disconnect', () => process.exit()) // the pool is gone
isFree()
