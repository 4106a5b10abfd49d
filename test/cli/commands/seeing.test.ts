/** `acmcp routes` and `acmcp tools`: what the last build serves. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { clientsByName } from '../../../cli/dialects/clients.ts'
import { spawnServe } from '../../flow/support.ts'
import { message } from '../../mcp/support/support.ts'
import { freePort } from '../../support/free-port.ts'
import { folderOf, type Ran, write } from '../support/built-app.ts'
import { acmcpHere, acmcpIn } from '../support/here.ts'
import { type Listed, pinOf, writtenPins } from '../support/pinned.ts'
import { acmcpWith, shopIn } from '../support/shop.ts'

const ofBase =
  'NotAcceptable 406, UnsupportedMediaType 415, MissingError 422, ValueError 400, JsonParseError 400, Unauthorized 401, Forbidden 403, NotFound 404, Conflict 409, AuthServerError default'

t.test('seeing: routes in a pipe are lines with tabs, as many as have the text', async (t) => {
  const root = await shopIn(t)
  const head = 'VERB\tPATH\tCONTROLLER\tFILTERS\tHANDLERS\tTOOL\n'
  const who = 'GET\t/api/who\tOrders#who\tbefore signIn\tSoldOut 409\torders_who\n'
  const create = 'POST\t/api/orders\tOrders#create\tbefore signIn\tSoldOut 409\torders_create\n'
  const up = 'GET\t/up/\tUp#show\t\t\t\n'
  const ran = (...args: readonly string[]): Promise<Ran> => acmcpHere(root, {}, 'routes', ...args)
  t.strictSame(
    acmcpWith(root, { KEEPS_RUNNING: '1' }, 'routes'),
    { status: 0, stdout: head + who + create + up, stderr: '' },
    'what an application leaves running keeps no command',
  )
  t.strictSame(await ran('POST', '/api'), { status: 0, stdout: head + create, stderr: '' })
  t.strictSame(await ran('soldout'), { status: 0, stdout: head + who + create, stderr: '' })
  t.strictSame(await ran('/nowhere'), { status: 1, stdout: '', stderr: 'acmcp: no route has /nowhere\n' })
  const { stdout } = await ran('up#', '--json')
  t.strictSame(JSON.parse(stdout).routes.length, 1)
  const [found] = JSON.parse(stdout).routes
  t.strictSame(
    { ...found, handlers: found.handlers.slice(-2) },
    {
      verb: 'GET',
      path: '/up/',
      websocket: false,
      controller: 'Up',
      method: 'show',
      filters: [],
      handlers: [
        { error: 'Conflict', status: 409 },
        { error: 'AuthServerError', status: null },
      ],
      tool: null,
    },
  )
})

t.test('seeing: on a terminal routes are a table, and what all handle is told once', async (t) => {
  const cwd = await shopIn(t)
  const { status, stdout } = await acmcpIn(
    { cwd, env: {}, isTerminal: true, colour: true },
    'routes',
    'orders',
  )
  t.equal(status, 0)
  t.strictSame(stdout.split('\n'), [
    '\u001b[1mVERB  PATH         CONTROLLER     FILTERS        HANDLERS     TOOL\u001b[0m',
    'GET   /api/who     Orders#who     before signIn  SoldOut 409  orders_who',
    'POST  /api/orders  Orders#create  before signIn  SoldOut 409  orders_create',
    '',
    `every route handles: ${ofBase}`,
    '',
  ])
})

t.test('seeing: without a build, and with one of other sources, that is said', async (t) => {
  const root = folderOf(t, {})
  const missing = `acmcp: there is no bundle at ${join(root, '.acmcp', 'app.mjs')}: run acmcp build\n`
  for (const command of ['routes', 'tools'])
    t.strictSame(await acmcpHere(root, {}, command), { status: 1, stdout: '', stderr: missing })
  const shop = await shopIn(t)
  write(shop, 'app/controllers/up.ts', 'export {}\n')
  t.equal(
    (await acmcpHere(shop, {}, 'routes', 'up#')).stderr,
    'acmcp: the bundle was not built from app/controllers/up.ts as it is now: run npx acmcp build\n',
  )
})

t.test('seeing: tools --json is what a client is told, at each address', async (t) => {
  const root = await shopIn(t)
  const env = { PORT: String(await freePort()), DEV_LOGIN: '1' }
  const server = await spawnServe(root, env)
  t.teardown(() => void server.process.kill('SIGKILL'))
  const bearer = (await acmcpHere(root, env, 'token')).stdout.trim()
  const { headers, message: list } = message('modern', 'tools/list')
  for (const toolbox of [[], ['orders']]) {
    const response = await fetch([`${server.baseUrl}/mcp`, ...toolbox].join('/'), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${bearer}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify(list),
    })
    const { result } = (await response.json()) as { result: { tools: unknown } } // of tools/list
    const { tools } = result
    t.strictSame(JSON.parse((await acmcpHere(root, {}, 'tools', ...toolbox, '--json')).stdout), { tools })
  }
  const lists = ['/mcp/orders', '/mcp'].map((path) => listedAt(`${server.baseUrl}${path}`, bearer))
  const [orders = [], atRoot = []] = (await Promise.all(lists)).map(pinsOf)
  const all = new Map([...orders, ...atRoot])
  t.equal(all.size, 7, 'two of the shop, one of which is a root tool, and five of the endpoint')
  const linesOf = (pins: Iterable<readonly [string, string]>): string =>
    [...pins].map((pin) => `${pin.join('  ')}\n`).join('')
  t.strictSame(await acmcpHere(root, {}, 'tools', '--pins'), { status: 0, stdout: linesOf(all), stderr: '' })
  t.equal((await acmcpHere(root, {}, 'tools', 'orders', '--pins')).stdout, linesOf(orders))
  const { stdout } = await acmcpHere(root, {}, 'tools', 'orders', '--pins', '--json')
  t.strictSame(JSON.parse(stdout), Object.fromEntries(orders))
  const written = Object.entries(writtenPins(readFileSync(join(root, 'generated/mcp.yml'), 'utf8')))
  t.strictSame(
    orders,
    written.map(([name, [pin]]) => [name, pin]),
  )
  t.match((await acmcpHere(root, {}, 'tools', '--pins', '--tokens')).stderr, "'--pins' cannot be used with")
})

/** What a client of 2026-07-28 is told. */
async function listedAt(url: string, bearer: string): Promise<readonly Listed[]> {
  const { headers, message: body } = message('modern', 'tools/list')
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${bearer}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(body),
  })
  const { result } = (await response.json()) as { result: { tools: readonly Listed[] } } // of tools/list
  return result.tools
}

const pinsOf = (tools: readonly Listed[]): readonly (readonly [string, string])[] =>
  tools.map((tool) => [tool.name, pinOf(tool)])

t.test('tools --for: what a client would not take of the list, with what becomes of it', async (t) => {
  const root = await shopIn(t)
  const ran = (...args: readonly string[]): Promise<Ran> => acmcpHere(root, {}, 'tools', ...args)
  for (const [name, client] of Object.entries(clientsByName))
    t.strictSame(await ran('orders', '--for', name), {
      status: 0,
      stdout: `${client} takes all of it: 2 tools\n`,
      stderr: '',
    })
  const long = await shopIn(t)
  for (const file of ['app.mjs', 'catalogue.mjs'].map((name) => `.acmcp/${name}`))
    write(long, file, readFileSync(join(long, file), 'utf8').replaceAll('orders_create', 'o'.repeat(60)))
  const { status, stdout } = await acmcpHere(long, {}, 'tools', 'orders', '--for', 'cursor', '--json')
  t.strictSame(
    [status, JSON.parse(stdout)],
    [
      1,
      [
        {
          what: `${'o'.repeat(60)} its name with that of the server, acmcp, has 66 characters, 60 fit`,
          otherwise: 'the tool is left out',
          source: 'github.com/awslabs/mcp/issues/1283',
        },
      ],
    ],
  )
  t.match(
    (await ran('--for', 'nobody')).stderr,
    'Allowed choices are anthropic, openai, gemini, vscode, cursor, claude-code',
  )
})

t.test('seeing: tools as text, and an unknown toolbox', async (t) => {
  const root = await shopIn(t)
  t.strictSame(acmcpWith(root, { KEEPS_RUNNING: '1' }, 'tools', 'orders'), {
    status: 0,
    stdout: `orders_who (reads)
  Tells who asks.

orders_create (writes)
  Orders something.
  arguments: code, amount, tags?, note?
`,
    stderr: '',
  })
  t.strictSame(await acmcpHere(root, {}, 'tools', 'order'), {
    status: 2,
    stdout: '',
    stderr: 'acmcp: there is no toolbox order. Did you mean orders?\n',
  })
})

t.test('seeing: --tokens is the measure of mcp.yml', async (t) => {
  const root = await shopIn(t)
  const { toolboxes }: { toolboxes: readonly { tools: readonly { name: string; tokens: number }[] }[] } =
    parse(readFileSync(join(root, 'generated/mcp.yml'), 'utf8'))
  const reviewed = toolboxes.flatMap(({ tools }) => tools.map(({ name, tokens }) => [name, tokens]))
  const { tokens } = JSON.parse((await acmcpHere(root, {}, 'tools', 'orders', '--tokens', '--json')).stdout)
  t.strictSame(Object.entries(tokens), reviewed)
  const { stdout: text } = await acmcpHere(root, {}, 'tools', 'orders', '--tokens')
  totalStands(t, text, Object.values<number>(tokens))
})

function totalStands(t: Test, text: string, costs: readonly number[]): void {
  const sum = costs.reduce((total, cost) => total + cost, 0)
  t.equal(
    text.trimEnd().split('\n').at(-1),
    `2 tools, about ${sum} tokens: four characters of description and input schema are one`,
  )
  for (const cost of costs) t.match(text, `about ${cost} tokens)`)
}
