/** The document names one way to send a body, and those that the application asks for; forms and texts are taken as well. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { parse } from 'yaml'
import { openTestApp } from '../../../runtime/testing.ts'
import { built, folderOf } from '../support/built-app.ts'

t.setTimeout(120_000)

/** How a value of texts is sent as each built-in type. */
const senders: Readonly<Record<string, (value: unknown) => readonly [type: string, body: string]>> = {
  'application/json': (value) => ['application/json', JSON.stringify(value)],
  'application/x-www-form-urlencoded': (value) => [
    'application/x-www-form-urlencoded',
    new URLSearchParams(Object.entries(Object(value))).toString(),
  ],
  'multipart/form-data': (value) => [
    'multipart/form-data; boundary=XX',
    Object.entries(Object(value))
      .map(([name, text]) => `--XX\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`)
      .join('')
      .concat('--XX--\r\n'),
  ],
  'text/plain': (value) => ['text/plain', String(value)],
  'application/x-own': (value) => ['application/x-own', JSON.stringify(value)],
}

const object = { a: 'x', b: '5' }
const form = ['application/x-www-form-urlencoded', 'multipart/form-data']
const text = ['text/plain']
type Case = readonly [parameters: string, value: unknown, alsoTaken: readonly string[]]
const bodies: readonly Case[] = [
  ['a: string, b: string', object, form],
  ['body: Body<{ a: string; b: string }>', object, form],
  ['body: Body<Named>', object, form],
  ['body: Body<Narrow>', object, form],
  ['body: Body<Record<string, string>>', object, form],
  ['body: Body<Map<string, string>>', object, form],
  ['body: Body<{ a: string } | { c: string }>', object, form],
  ['body: Body<Tagged>', { kind: 'cat', lives: '9' }, form],
  ['body: Body<Named | null>', object, form],
  ['body: Body<string[]>', ['x'], text],
  ['body: Body<string>', 'hello', text],
  ["body: Body<'red' | 'blue'>", 'red', text],
  ['body: Body<Date>', '2020-01-02T03:04:05Z', text],
  ['body: Body<bigint>', '12', text],
  ['body: Body<boolean>', true, text],
  ['body: Body<number>', 5, text],
  ['body: Body<URL>', 'https://a.example/', text],
  ['body: Body<string | { a: string }>', object, [...form, ...text]],
  ['body: Body<unknown>', object, [...form, ...text]],
]

const root = folderOf(t, {
  'app/config.ts': `import { defineApp } from 'acmcp'
export const config = defineApp({ parsers: { 'application/x-own': (bytes) => JSON.parse(Buffer.from(bytes).toString()) } })
`,
  'app/controllers/bodies.ts': `import { type Body, Controller } from 'acmcp'
export interface Named { a: string; b?: string }
/** @title Narrow */
export type Narrow = Omit<Named & { c: number }, 'c'>
export type Tagged = { kind: 'cat'; lives: string } | { kind: 'dog'; name: string }
/** Bodies. */
export class Bodies extends Controller {
${bodies.map(([parameters], index) => `/**\n * Takes.\n *\n * @post /${index}\n */\nm${index}(${parameters}): boolean { return true }`).join('\n')}
}
`,
})

const { status } = await built(root)
const app = await openTestApp({ cwd: root })
t.teardown(app.close)
const { paths } = parse(readFileSync(`${root}/generated/openapi.yml`, 'utf8'))

t.test('the application is built', async (t) => t.equal(status, 0))

for (const [index, [parameters, value, alsoTaken]] of bodies.entries()) {
  t.test(
    `(${parameters}) is documented as JSON and in the types of own parsers; forms are taken`,
    async (t) => {
      const taken: string[] = []
      for (const [type, sender] of Object.entries(senders)) {
        const [contentType, payload] = sender(value)
        const { statusCode } = await app.application.server.inject({
          method: 'POST',
          url: `/bodies/${index}`,
          headers: { 'content-type': contentType },
          payload,
        })
        if (statusCode === 200) taken.push(type)
      }
      const documented = Object.keys(paths[`/bodies/${index}`].post.requestBody.content)
      t.strictSame(documented, ['application/json', 'application/x-own'])
      t.strictSame(taken, ['application/json', ...alsoTaken, 'application/x-own'])
    },
  )
}
