/** One server of `npm run bench:call`, a process of its own whose working directory is the checkout that is measured, so that what is
 *  imported stands in an older one too. `build KIND` builds an application and prints its folder; otherwise the argument is a `Serving`
 *  as JSON. Tells a token; answers what is asked with a `Cost`, a body or a number. */
import { createHook } from 'node:async_hooks'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { FastifyInstance } from 'fastify'
import type * as Testing from '../../../runtime/testing.ts'
import type * as BareRoute from '../http/bare-route.ts'
import type * as McpApp from '../mcp/mcp-app.ts'
import { applications, type Question, type Serving } from './call-rows.ts'
import { Dispatch, type Sent } from './dispatch.ts'
import { quantile } from './quantile.ts'

/** Microseconds of processor time of one request. */
export interface Cost {
  readonly main: number
  readonly all: number
}

const load = async <Module>(file: string): Promise<Module> =>
  import(pathToFileURL(join(process.cwd(), 'dist', file)).href)

async function build(kind: string): Promise<void> {
  const { buildApplication } = await load<typeof McpApp>('test/bench/mcp/mcp-app.js')
  const { tools, options } = applications[kind] ?? { tools: 1, options: {} }
  process.stdout.write(buildApplication(tools, { imports: 'packages', ...options }))
}

async function serve({
  folder,
  store,
  config,
}: Serving): Promise<{ server: FastifyInstance; token: string }> {
  if (folder === null) {
    const { bareRoute } = await load<typeof BareRoute>('test/bench/http/bare-route.js')
    return { server: bareRoute(), token: '' }
  }
  const { openTestApp } = await load<typeof Testing>('runtime/testing.js')
  const app = await openTestApp({
    cwd: folder,
    environment: { databaseUrl: `sqlite:${store}`, production: true, logLevel: 'error' },
    change: (bundle) => ({ ...bundle, config: { ...(bundle.config as object), ...config } }), // defineApp's object
  })
  return { server: app.application.server, token: await app.accessToken() }
}

/** Source: proc(5), /proc/pid/task/tid/schedstat: nanoseconds. */
function used(): Cost {
  const { user, system } = process.cpuUsage()
  const schedstat = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8')
  return { main: Number(schedstat.split(' ')[0]) / 1000, all: user + system }
}

/** So many are measured at one go; what the rest of the machine does makes some of these dearer. */
const together = 1000

/** What a quarter of the thousands stay below: what else the machine does only adds. The first is not counted: rows of the audit that
 *  other requests have left may be written meanwhile. */
async function costOf(dispatch: Dispatch, sent: Sent, count: number): Promise<Cost> {
  const costs: Cost[] = []
  await dispatch.send(sent, together)
  for (let done = 0; done < count; done += together) {
    const before = used()
    await dispatch.send(sent, together)
    const { main, all } = used()
    costs.push({ main: (main - before.main) / together, all: (all - before.all) / together })
  }
  const lower = (of: (cost: Cost) => number): number => quantile(costs.map(of), 1 / 4)
  return { main: lower(({ main }) => main), all: lower(({ all }) => all) }
}

/** With those that only async_hooks see: V8 makes one more for each `await`. */
async function promisesOf(dispatch: Dispatch, sent: Sent, count: number): Promise<number> {
  let made = 0
  const hook = createHook({
    init: (_id, type) => {
      if (type === 'PROMISE') made += 1
    },
  }).enable()
  await dispatch.send(sent, count)
  hook.disable()
  return made / count
}

async function answerQuestions(serving: Serving): Promise<void> {
  const { server, token } = await serve(serving)
  await server.ready()
  const dispatch = new Dispatch(server)
  process.on('message', async (question: Question) => {
    const { what, sent, count } = question
    if (what === 'answer') process.send?.(await dispatch.answer(sent))
    else if (what === 'promises') process.send?.(await promisesOf(dispatch, sent, count))
    else process.send?.(await costOf(dispatch, sent, count))
  })
  process.on('disconnect', () => process.exit())
  process.send?.(token)
}

const [first = '', kind = ''] = process.argv.slice(2)
if (first === 'build') await build(kind)
else await answerQuestions(JSON.parse(first))
