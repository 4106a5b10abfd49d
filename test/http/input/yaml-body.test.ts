/** YAML bodies are read only where the application asks for them, and cost little whatever they hold.
 *  Source: rules.md, Accept. */
import t, { type Test } from 'tap'
import { resolveConfig } from '../../../runtime/boot/resolve-config.ts'
import type { ParamDecoder } from '../../../runtime/contract/route.ts'
import { JsonParseError, UnsupportedMediaType } from '../../../runtime/errors.ts'
import * as c from '../../../runtime/http/codec/codec.ts'
import type { TestApp } from '../../../runtime/testing.ts'
import { openProbe, tell } from '../support/one-route.ts'

const wholeBody: ParamDecoder = { name: 'body', from: 'body', required: true, codec: c.unknown }

const open = (t: Test, config: object = { yamlBodies: true }): Promise<TestApp> =>
  openProbe(t, {
    verb: 'POST',
    handlers: [tell(JsonParseError, 400), tell(UnsupportedMediaType, 415)],
    params: [wholeBody],
    call: (_probe, value) => ({ value }),
    config,
  })

const send = async (
  app: TestApp,
  payload: string,
  type = 'application/yaml',
): Promise<readonly unknown[]> => {
  const headers = { 'content-type': type }
  const answer = await app.client().request({ method: 'POST', url: '/probe', headers, payload })
  return [answer.statusCode, answer.json()]
}

const malformed = [400, { error: 'the request body is not valid YAML' }]
const tooLarge = [413, { error: 'the request body is larger than 16384 bytes' }]

const keys = (count: number): string => Array.from({ length: count }, (_, at) => `k${at}: 1\n`).join('')

t.test('without the setting a YAML body is 415, and only the answer may be YAML', async (t) => {
  const app = await open(t, {})
  const accepts = 'application/json, application/x-www-form-urlencoded, multipart/form-data, text/plain'
  const refused = [415, { error: `unsupported body format, accepts: ${accepts}` }]
  t.strictSame(
    [await send(app, 'a: 1'), await send(app, 'a: 1', 'text/yaml'), await send(app, keys(20_000))],
    [refused, refused, refused],
  )
  const headers = { 'content-type': 'application/json', accept: 'application/yaml' }
  const request = { method: 'POST', url: '/probe', headers, payload: '{"a":1}' } as const
  t.equal((await app.client().request(request)).body, 'value:\n  a: 1\n')
})

t.test('with it, more than 16 KB is 413, however it is made up', async (t) => {
  const app = await open(t)
  const aliases = `a: &a x\nb:\n${'- *a\n'.repeat(40_000)}`
  const fits = `a: ${'x'.repeat(16_381)}`
  t.strictSame(await send(app, fits), [200, { value: { a: 'x'.repeat(16_381) } }])
  for (const body of [`${fits}x`, keys(20_000), 'xyz:\n'.repeat(200_000), aliases])
    t.strictSame(await send(app, body), tooLarge)
})

const tooMany = [413, { error: 'the YAML text is made of more than 4000 parts' }]

const filled = (unit: string, bytes = 16_384): string => unit.repeat(Math.floor(bytes / unit.length))

t.test('what 16 KB hold is bounded too: 4,000 parts, seven to a line', async (t) => {
  const app = await open(t)
  const [status, answer] = await send(app, keys(560))
  t.strictSame([status, Object.keys((answer as { value: object }).value).length], [200, 560])
  t.strictSame(await send(app, keys(580)), tooMany)
  for (const unit of ['xyz:\n', '- a\n', '? ', '#\n', '\n', 'a:\r\n']) {
    t.strictSame(await send(app, filled(unit)), tooMany, unit)
  }
})

t.test('the worst 16 KB cost few milliseconds of CPU, right or wrong', async (t) => {
  const app = await open(t)
  const bodies = [
    `[${filled(',', 16_000)}`,
    filled('- a\nb: c\n'),
    filled('}\n'),
    filled(' a: 1\nb: 1\n'),
    filled('"'),
    filled('a: b: c\n'),
    filled('['),
    `[${filled('a,', 16_000)}]`,
    keys(560),
    `a: &a x\nb:\n${'- *a\n'.repeat(3000)}`,
  ]
  for (const body of bodies) await send(app, body) // compiled by now
  const before = process.cpuUsage()
  for (const body of bodies) await send(app, body)
  const { user, system } = process.cpuUsage(before)
  t.ok(user + system < 500_000, `${user + system} µs of CPU for ${bodies.length} bodies`) // 2,000,000 without the bound
})

t.test('a second document, and a warning, change nothing of what YAML says', async (t) => {
  const app = await open(t)
  t.strictSame(await send(app, '---\na: 1\n...\n'), [200, { value: { a: 1 } }])
  t.strictSame(await send(app, '%FOO bar\n---\na: 1\n'), [200, { value: { a: 1 } }])
  t.strictSame(await send(app, '# nothing\n'), [200, { value: null }])
  t.strictSame(await send(app, '--- 1\n--- 2\n'), malformed)
  t.strictSame(await send(app, '}'), malformed)
})

t.test(
  'keys and aliases: a key that stands twice, or is no scalar, and more than 100 aliases are refused',
  async (t) => {
    const app = await open(t)
    const aliases = (count: number): string => `a: &a x\nb:\n${'- *a\n'.repeat(count)}`
    t.strictSame(await send(app, aliases(100)), [200, { value: { a: 'x', b: Array(100).fill('x') } }])
    for (const body of [
      aliases(101),
      'a: 1\nb: 2\na: 3',
      '{a: 1, "a": 2}',
      'x:\n- {1: a, "1": b}',
      ': a\n"": b',
      '? [a]\n: b',
      '? &a a\n: 1\n*a : 2',
    ])
      t.strictSame(await send(app, body), malformed, body)
  },
)

t.test('while YAML bodies are read others are answered', async (t) => {
  const app = await open(t)
  await send(app, keys(10))
  const answered: string[] = []
  const told = async (name: string, sent: Promise<readonly unknown[]>): Promise<void> => {
    t.equal((await sent)[0], 200)
    answered.push(name)
  }
  const yaml = Array.from({ length: 5 }, () => told('YAML', send(app, keys(500))))
  await Promise.all([...yaml, told('JSON', send(app, '{}', 'application/json'))])
  t.strictSame(answered, ['JSON', ...Array(5).fill('YAML')])
})

t.test('64 YAML bodies wait at most, further ones are told to come again', async (t) => {
  const app = await openProbe(t, {
    verb: 'POST',
    handlers: [tell(Error, 400)], // asks for everything, and does not get it
    params: [wholeBody],
    call: () => ({}),
    config: { yamlBodies: true },
  })
  const headers = { 'content-type': 'application/yaml' }
  const post = () => app.client().request({ method: 'POST', url: '/probe', headers, payload: keys(500) })
  const answers = await Promise.all(Array.from({ length: 400 }, post))
  const statuses = answers.map(({ statusCode }) => statusCode)
  t.ok(statuses.filter((status) => status === 200).length >= 64, 'who came first was read')
  t.strictSame(new Set(statuses), new Set([200, 503]))
  const refused = answers.find(({ statusCode }) => statusCode === 503)
  t.strictSame(
    [refused?.headers['retry-after'], refused?.json()],
    ['1', { error: 'too many YAML bodies are being read' }],
  )
  t.equal((await post()).statusCode, 200, 'afterwards there is room again')
})

t.test('the setting is true or false', async (t) => {
  t.throws(() => resolveConfig({ yamlBodies: 'yes' }), {
    message: 'app/config.ts: config.yamlBodies must be true or false',
  })
})
