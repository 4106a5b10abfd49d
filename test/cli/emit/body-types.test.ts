/** What the document says of bodies is what the application takes. Source: issue 3, Deliver 4: bodies per accepted content
 *  type. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { parse, stringify } from 'yaml'
import { openTestApp } from '../../../runtime/testing.ts'
import { built, folderOf } from '../support/built-app.ts'

t.setTimeout(120_000)

/** A list in one text (`a,b`) is taken, as in the query, but no document says so. */
const isListAsText = (type: string, value: unknown): boolean => type === 'text/plain' && Array.isArray(value)

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
  'application/yaml': (value) => ['application/yaml', stringify(value)],
}

const object = { a: 'x', b: '5' }
const bodies: readonly (readonly [parameters: string, value: unknown])[] = [
  ['a: string, b: string', object],
  ['body: Body<{ a: string; b: string }>', object],
  ['body: Body<Named>', object],
  ['body: Body<Narrow>', object],
  ['body: Body<Record<string, string>>', object],
  ['body: Body<Map<string, string>>', object],
  ['body: Body<{ a: string } | { c: string }>', object],
  ['body: Body<Tagged>', { kind: 'cat', lives: '9' }],
  ['body: Body<Named | null>', object],
  ['body: Body<string[]>', ['x']],
  ['body: Body<string>', 'hello'],
  ["body: Body<'red' | 'blue'>", 'red'],
  ['body: Body<Date>', '2020-01-02T03:04:05Z'],
  ['body: Body<bigint>', '12'],
  ['body: Body<boolean>', true],
  ['body: Body<number>', 5],
  ['body: Body<URL>', 'https://a.example/'],
  ['body: Body<string | { a: string }>', object],
  ['body: Body<unknown>', object],
]

const root = folderOf(t, {
  'app/config.ts': `import { defineApp } from 'acmcp'
export const config = defineApp({ yamlBodies: true })
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

for (const [index, [parameters, value]] of bodies.entries()) {
  t.test(`(${parameters}) is documented under the types that are taken, and under no other`, async (t) => {
    const taken: string[] = []
    for (const [type, sender] of Object.entries(senders)) {
      const [contentType, payload] = sender(value)
      const { statusCode } = await app.application.server.inject({
        method: 'POST',
        url: `/bodies/${index}`,
        headers: { 'content-type': contentType },
        payload,
      })
      if (statusCode === 200 && !isListAsText(type, value)) taken.push(type)
    }
    t.strictSame(Object.keys(paths[`/bodies/${index}`].post.requestBody.content), taken)
  })
}
