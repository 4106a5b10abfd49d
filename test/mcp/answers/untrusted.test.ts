/** Text that others wrote (`@untrusted`): as it is over HTTP, and visible as a whole to models. Source: decisions/http.md, Answers by
 *  type. */
import t from 'tap'
import { openTestApp } from '../../../runtime/testing.ts'
import { builtFolder } from '../../support/linked.ts'
import { type Era, message } from '../support/support.ts'

const text = (written: string): string => JSON.stringify(written).slice(1, -1)
const codes = [
  'e0041',
  'e007f',
  '202e',
  '2069',
  '200f',
  '061c',
  'fe00',
  'fe0f',
  'e0100',
  'e01ef',
  '2062',
  '001b',
  '0000',
  '034f',
  'fff9',
  '206a',
  '1d173',
  '115f',
  '3164',
]
const hidden = codes.map((code) => `a ${String.fromCodePoint(Number.parseInt(code, 16))}`).join('')
const shown = codes.map((code) => `a \\u{${code.toUpperCase()}}`).join('')
const family = '👩\u200d👧 a\u200cb ❤\ufe0f\u200d🔥 1\ufe0f\u20e3 zu\u00adsammen ភា\u200bសា ᠠ\u180b\tend\n'

const folder = await builtFolder({
  'package.json': '{"name":"wall","version":"1.0.0","private":true,"type":"module"}',
  'app/config.ts': `import { defineApp } from 'acmcp'

export const config = defineApp({ mcp: { serverName: 'Wall' }, limits: { toolCallsPerMinute: false } })
`,
  'app/controllers/wall.ts': `import { Controller } from 'acmcp'

export interface Post {
  title: string
  /** @untrusted */
  body: string
  /** @untrusted */
  more?: unknown
  /** @untrusted */
  votes?: Map<string, string[]>
  /** @untrusted */
  by?: Author
  replies: Post[]
}
export interface Author { name: string; at: Date; extra: Record<string, string> }
export interface Note {
  kind: 'note'
  /** @untrusted */
  text: string
}
export interface Sign { kind: 'sign'; text: string }
export class Gone extends Error {}

const hidden = ${JSON.stringify(hidden)}
const family = ${JSON.stringify(family)}
const leaf: Post = { title: hidden, body: family, replies: [] }

/**
 * A wall.
 *
 * @base /wall
 */
export class Wall extends Controller {
  /**
   * A post.
   *
   * @get /post
   * @mcp root
   * @mcp resource
   */
  post(): Post {
    return {
      title: hidden,
      body: hidden,
      more: { [hidden]: [hidden, 1, { toJSON: () => hidden }, null] },
      votes: new Map([[hidden, [hidden]]]),
      by: { name: hidden, at: new Date(0), extra: { [hidden]: hidden } },
      replies: [{ ...leaf, replies: [{ ...leaf, body: hidden }] }],
    }
  }

  /**
   * Members of a union.
   *
   * @get /union
   */
  union(): (Note | Sign)[] {
    return [{ kind: 'note', text: hidden }, { kind: 'sign', text: hidden }]
  }

  /**
   * Nothing hidden.
   *
   * @get /plain
   */
  plain(): Post {
    return { title: 'a', body: family, replies: [] }
  }

  /**
   * What an exception handler makes.
   *
   * @get /gone
   */
  gone(): Sign {
    throw new Gone()
  }

  /**
   * Long.
   *
   * @get /long
   * @mcp budget 1000
   */
  long(): Post[] {
    return Array.from({ length: 100 }, () => ({ title: '', body: hidden, replies: [] }))
  }

  /** @exception {Gone} 410 */
  onGone(_error: Gone): Note {
    return { kind: 'note', text: hidden }
  }
}
`,
})

const app = await openTestApp({ cwd: folder })
t.teardown(app.close)
const client = app.client().withBearer(await app.accessToken())

const at = '1970-01-01T00:00:00.000Z'
const postOf = (written: string): object => ({
  title: hidden,
  body: written,
  more: { [written]: [written, 1, written, null] },
  votes: { [written]: [written] },
  by: { name: written, at, extra: { [written]: written } },
  replies: [
    {
      title: hidden,
      body: family,
      replies: [{ title: hidden, body: written, replies: [] }],
    },
  ],
})
const paths = ['body', 'by', 'more', 'votes']
const meta = (untrusted: readonly string[]): object => ({ 'acmcp/untrusted': untrusted })

const answerTo = async (era: Era, method: string, params: Readonly<Record<string, unknown>> = {}) => {
  const { headers = {}, message: payload } = message(era, method, params)
  const named = method === 'resources/read' ? { 'mcp-name': String(params.uri) } : {}
  const answer = await client.request({
    method: 'POST',
    url: '/mcp',
    headers: { accept: 'application/json, text/event-stream', ...headers, ...named },
    payload: Object(payload),
  })
  return answer.json().result
}

for (const era of ['legacy', 'modern'] as const) {
  t.test(`${era}: what is hidden in it is spelled out, and what is said of it is in _meta`, async (t) => {
    for (const [name, params] of [
      ['wall_post', {}],
      ['call_read_only', { name: 'wall_post' }],
    ] as const) {
      const { content, structuredContent } = await answerTo(era, 'tools/call', { name, arguments: params })
      t.strictSame(content, [{ type: 'text', text: JSON.stringify(postOf(shown)), _meta: meta(paths) }])
      t.strictSame(structuredContent, postOf(shown))
    }
  })

  t.test(`${era}: a member of a union, and an answer that is cut`, async (t) => {
    const call = (name: string) =>
      answerTo(era, 'tools/call', { name: 'call_read_only', arguments: { name } })
    const union = await call('wall_union')
    t.strictSame(union.content, [
      {
        type: 'text',
        text: `[{"kind":"note","text":"${text(shown)}"},{"kind":"sign","text":"${text(hidden)}"}]`,
        _meta: meta(['[].text']),
      },
    ])
    const [answer, note] = (await call('wall_long')).content
    t.strictSame([answer._meta, note._meta], [meta(paths.map((path) => `[].${path}`)), undefined])
    t.strictSame(JSON.parse(answer.text)[0], { title: '', body: shown, replies: [] })
  })

  t.test(`${era}: lists say which properties they are`, async (t) => {
    const { tools } = await answerTo(era, 'tools/list')
    t.strictSame(
      tools.map(({ name, _meta }: { name: string; _meta?: object }) => [name, _meta]).slice(0, 2),
      [
        ['wall_post', meta(paths)],
        ['list_toolboxes', undefined],
      ],
    )
    const opened = await answerTo(era, 'tools/call', { name: 'open_toolbox', arguments: { name: 'wall' } })
    t.strictSame(
      opened.structuredContent.tools.map(({ name, _meta }: { name: string; _meta?: object }) => [
        name,
        _meta,
      ]),
      [
        ['wall_union', meta(['[].text'])],
        ['wall_plain', meta(paths)],
        ['wall_gone', undefined],
        ['wall_long', meta(paths.map((path) => `[].${path}`))],
      ],
    )
  })

  t.test(`${era}: a resource, an error, and text in which nothing is hidden`, async (t) => {
    const { contents } = await answerTo(era, 'resources/read', { uri: `${app.baseUrl}/wall/post` })
    t.strictSame(JSON.parse(contents[0].text), postOf(shown))
    const call = (name: string) =>
      answerTo(era, 'tools/call', { name: 'call_read_only', arguments: { name } })
    const gone = await call('wall_gone')
    t.strictSame(gone.content, [{ type: 'text', text: `410 Gone\n{"kind":"note","text":"${text(shown)}"}` }])
    t.strictSame((await call('wall_plain')).structuredContent, { title: 'a', body: family, replies: [] })
  })
}

t.test('each message of a batch is answered so', async (t) => {
  const payload = [1, 2].map((id) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'wall_post', arguments: {} },
  }))
  const answer = await client.request({
    method: 'POST',
    url: '/mcp',
    headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-03-26' },
    payload,
  })
  const results = [...answer.body.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? '').result)
  t.strictSame(
    results.map(({ structuredContent }) => structuredContent),
    [postOf(shown), postOf(shown)],
  )
})

t.test('over HTTP it is as it was, for a browser and for a token of this server', async (t) => {
  for (const caller of [client, app.client()]) {
    t.strictSame((await caller.get('/wall/post')).json(), postOf(hidden))
    t.strictSame((await caller.get('/wall/gone')).json(), { kind: 'note', text: hidden })
  }
})

t.test('answers: whole changes nothing of it', async (t) => {
  const whole = await openTestApp({
    cwd: folder,
    change: (bundle) => ({ ...bundle, config: { ...(bundle.config as object), answers: 'whole' } }),
  })
  t.teardown(whole.close)
  t.strictSame((await whole.client().get('/wall/post')).json(), postOf(hidden))
  t.strictSame((await whole.client().tool('wall_post')).structuredContent, postOf(shown))
})
