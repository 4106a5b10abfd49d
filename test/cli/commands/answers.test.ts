/** `acmcp routes --answers` and `acmcp build --strict answers`: what leaves, and what no type cuts. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { run as routes } from '../../../cli/commands/routes.ts'
import { builtFolder } from '../../support/linked.ts'
import { acmcpHere } from '../support/here.ts'

const files = (answers: string): Readonly<Record<string, string>> => ({
  'package.json': '{"name":"desk","version":"1.0.0","private":true,"type":"module"}',
  'app/config.ts': `import { defineApp } from 'acmcp'

export const config = defineApp({ mcp: { serverName: 'Desk' }${answers} })
`,
  'app/controllers/desk.ts': `import { Controller, type WebSocket } from 'acmcp'

export interface User {
  id: string
  /** @secret */
  hash: string
  more?: unknown
  friends: User[]
}
export interface Loose { id: string; [name: string]: string | number }

/**
 * A desk.
 *
 * @base /desk
 */
export class Desk extends Controller {
  /**
   * All users.
   *
   * @get /users
   */
  users(): User[] { return [] }
  /**
   * What is left.
   *
   * @get /left
   */
  left() { return { id: 1, name: 'a' as string | null } }
  /**
   * A text or nothing.
   *
   * @get /maybe
   */
  maybe(): Promise<string | null> { return Promise.resolve(null) }
  /**
   * With an index.
   *
   * @get /loose
   */
  loose(): Loose { return { id: '' } }
  /**
   * A dictionary.
   *
   * @get /names
   */
  names(): Record<string, Date> { return {} }
  /**
   * Anything.
   *
   * @get /any
   */
  any(): unknown { return 1 }
  /**
   * Rendered.
   *
   * @get /rendered
   */
  rendered() { return this.render({ json: 1 }) }
  /**
   * Rendered by type.
   *
   * @get /typed
   * @returns {User} 202 soon
   */
  typed() { return this.render({ status: 202, json: {} }) }
  /**
   * Bytes.
   *
   * @get /bytes
   */
  bytes(): ReadableStream<Uint8Array> { return new ReadableStream() }
  /**
   * Events.
   *
   * @get /events
   */
  async *events(): AsyncIterable<User> {}
  /**
   * Nothing.
   *
   * @post /clear
   */
  clear(): void {}
  /**
   * Messages.
   *
   * @websocket /chat
   */
  chat(socket: WebSocket): void { socket.close() }
}
`,
})

const folder = await builtFolder(files(''))
const head = ['VERB', 'PATH', 'TOOL', 'ANSWERS', 'LEFT OUT FOR MODELS', 'WHOLE']
const unknown = 'more: unknown'
const expected = [
  ['GET', '/desk/users', 'desk_users', 'User[]', '[].hash', `[].${unknown}`],
  ['GET', '/desk/left', 'desk_left', '{ id, name } (inferred)', '', ''],
  ['GET', '/desk/maybe', 'desk_maybe', 'string | null', '', ''],
  ['GET', '/desk/loose', 'desk_loose', 'Loose', '', 'an index signature'],
  ['GET', '/desk/names', 'desk_names', '{ [name]: Date }', '', ''],
  ['GET', '/desk/any', 'desk_any', 'unknown', '', 'unknown'],
  ['GET', '/desk/rendered', 'desk_rendered', 'rendered', '', 'rendered without a declared type'],
  ['GET', '/desk/typed', 'desk_typed', 'User', 'hash', unknown],
  ['GET', '/desk/bytes', 'desk_bytes', 'bytes', '', 'bytes'],
  ['GET', '/desk/events', '', 'events of User', '[].hash', `[].${unknown}`],
  ['POST', '/desk/clear', 'desk_clear', 'nothing', '', ''],
  ['WEBSOCKET', '/desk/chat', '', 'messages', '', 'messages of a WebSocket'],
]
const lines = (rows: readonly (readonly string[])[]): string =>
  [head, ...rows].map((row) => `${row.join('\t')}\n`).join('')

t.test('routes --answers: what leaves, what models do not get, and what passes whole and why', async (t) => {
  t.strictSame(await acmcpHere(folder, {}, 'routes', '--answers'), {
    status: 0,
    stdout: lines(expected),
    stderr: '',
  })
  const found = await acmcpHere(folder, {}, 'routes', '--answers', 'index signature')
  t.equal(found.stdout, lines(expected.filter(([, path]) => path === '/desk/loose')))
})

t.test('routes --answers: on a terminal it is a table, and --json has it by route', async (t) => {
  const printed: string[] = []
  const print = (line: string): void => void printed.push(line)
  const style = { isTerminal: true, colour: false }
  const asked = { cwd: folder, text: 'typed', answers: true, json: false, print, warn: () => {} }
  t.equal(await routes({ ...asked, ...style }), 0)
  t.strictSame(printed, [
    'VERB  PATH         TOOL        ANSWERS  LEFT OUT FOR MODELS  WHOLE',
    `GET   /desk/typed  desk_typed  User     hash                 ${unknown}`,
  ])
  const { stdout } = await acmcpHere(folder, {}, 'routes', '--answers', '--json', 'typed')
  t.strictSame(JSON.parse(stdout).routes[0].answer, {
    type: 'User',
    isInferred: false,
    leavesOut: ['hash'],
    whole: [{ path: 'more', why: 'unknown' }],
  })
  const plain = await acmcpHere(folder, {}, 'routes', '--json', 'typed')
  t.notOk('answer' in JSON.parse(plain.stdout).routes[0])
})

t.test("routes --answers: answers: 'whole' is a reason of every route", async (t) => {
  const whole = await builtFolder(files(`, answers: 'whole'`))
  const { stdout } = await acmcpHere(whole, {}, 'routes', '--answers', 'names')
  t.equal(stdout, lines([['GET', '/desk/names', 'desk_names', '{ [name]: Date }', '', "answers: 'whole'"]]))
})

t.test('routes --answers: a build of an older version must be made again', async (t) => {
  const old = await builtFolder(files(''))
  const facts = join(old, '.acmcp/answers.json')
  rmSync(facts)
  t.equal((await acmcpHere(old, {}, 'routes')).status, 0)
  t.strictSame(await acmcpHere(old, {}, 'routes', '--answers'), {
    status: 1,
    stdout: '',
    stderr: `acmcp: ${facts} is missing: run acmcp build\n`,
  })
})

t.test('build --strict answers: an answer of a tool that passes whole is an error', async (t) => {
  const check = async (...strict: readonly string[]): Promise<readonly string[]> => {
    const { stdout } = await acmcpHere(folder, {}, 'build', '--check', '--format', 'json', ...strict)
    return JSON.parse(stdout).diagnostics.map(
      ({ code, severity, message }: { code: string; severity: string; message: string }) =>
        `${code} ${severity} ${message}`,
    )
  }
  t.strictSame(await check('--strict'), [])
  t.strictSame(await check('--strict', 'answers'), [
    'ACM343 error [].more of desk_users passes whole: unknown',
    'ACM343 error the answer of desk_loose passes whole: an index signature',
    'ACM343 error the answer of desk_any passes whole: unknown',
    'ACM343 error the answer of desk_rendered passes whole: rendered without a declared type',
    'ACM343 error more of desk_typed passes whole: unknown',
    'ACM343 error the answer of desk_bytes passes whole: bytes',
  ])
})
