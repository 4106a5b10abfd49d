/** The controller language end to end: built by the command line, type-checked, and served in-process. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { parse } from 'yaml'
import { openTestApp } from '../../../runtime/testing.ts'
import { built, folderOf, strictSettings, typeErrors } from '../support/built-app.ts'
import { redocly } from '../support/redocly.ts'

t.setTimeout(240_000)

const files = {
  'tsconfig.json': strictSettings,
  'app/errors.ts': `export class ApiError<S extends number> extends Error {
  readonly status: S
  constructor(status: S) {
    super(String(status))
    this.status = status
  }
}
export class Missing { readonly missing: boolean = true }
export type OrderId = string & { readonly __brand: 'OrderId' }
export enum Color { Red = 'red', Blue = 'blue', 'Sea green' = 'sea-green' }
`,
  'app/controllers/shelves.ts': `import { Controller, type Body, type Int64, type Named, type Rendered } from 'acmcp'
import { paths } from '../../generated/paths.ts'
import { ApiError, Color, Missing, type OrderId } from '../errors.ts'

/**
 * Shelves of one organisation.
 *
 * @base /orgs/:org/shelves
 * @requireTls only=files
 */
export class Shelves extends Controller {
  org = ''

  /** @filter before */
  inside(org: string): void { this.org = org }

  /**
   * Shows a shelf, or all.
   *
   * @get /?:id
   */
  show(id?: Int64): unknown { return { org: this.org, id: id ?? null } }

  /**
   * Shows a page of a shelf.
   *
   * @get /?:first/page/?:last
   */
  page(org: string, first: string | null, last: string | null): unknown { return [org, first, last] }

  /**
   * Shows a file.
   *
   * @get /:id/files/*:path
   */
  files(org: string, id: string, path: string): string[] { return [org, id, path] }

  /**
   * Shows a tree.
   *
   * @get /:id/tree/*:path
   */
  tree(id: string, path = 'top'): string[] { return [id, path] }

  /**
   * Says where things are.
   *
   * @post /where
   */
  where(): string[] {
    const { org } = this
    return [
      paths.shelves.show({ org }),
      paths.shelves.show({ org, id: 7n }),
      paths.shelves.files({ org: 'a b', id: 'x', path: 'c d/e' }),
      paths.shelves.find({ org, q: 'a&b', page: 2, tags: ['x,y'], color: 'red', since: new Date(0) }),
    ]
  }

  /**
   * Finds shelves.
   *
   * @get /find
   * @get /search
   */
  find(q: string, color: Color = Color.Red, tags: string[] = [], page?: Named<'page', number>, since?: Date): unknown {
    return { q, color, tags, page, since }
  }

  /**
   * Paints.
   *
   * @post /paint
   */
  paint(paint: Body<{ color: Color.Red | (typeof Color)['Sea green']; all: Record<string, Color | null> }>): unknown { return paint }

  /**
   * Looks for one.
   *
   * @post /look
   * @returns 201 found
   * @returns {Missing} 404 not found
   */
  look(name: string): string | Missing { return name === '' ? new Missing() : name }

  /**
   * Fails.
   *
   * @get /fail
   */
  fail(status: number): void { throw new ApiError(status) }

  /** @exception {ApiError<404>} 404 */
  lost(error: ApiError<404>): string { return \`lost \${error.status}\` }

  /** @exception {ApiError<410>} 400 */
  gone(error: ApiError<410>): string { return \`gone \${error.status}\` }
}

/** Any error of one class. */
export class Strict extends Controller {
  /**
   * Fails.
   *
   * @get /fail
   */
  fail(status: number): void { throw new ApiError(status) }

  /** @exception {ApiError<404>} 404 */
  lost(error: ApiError<404>): string { return \`lost \${error.status}\` }

  /** @exception {ApiError} default */
  other(error: ApiError<number>): Rendered { return this.render({ status: error.status, text: 'other' }) }
}

/** Values that are no JSON. */
export class Kinds extends Controller {
  /**
   * Takes a brand and a pattern.
   *
   * @get /:id
   */
  show(id: OrderId, version: \`v\${number}\` = 'v1'): string[] { return [id, version] }

  /**
   * Takes what JSON has not.
   *
   * @post /
   */
  take(given: Body<{ map: Map<string, Date>; url: URL; bytes: Buffer; ids: OrderId[]; heads: Record<\`x-\${string}\`, number> }>): unknown {
    const { map, url, bytes, ids, heads } = given
    return { map, host: url.host, bytes, text: bytes.toString('utf8'), ids, heads, year: map.get('a')?.getUTCFullYear() }
  }
}

/** A socket. */
export class Chat extends Controller {
  /**
   * Talks.
   *
   * @websocket /:room
   */
  talk(socket: { send(text: string): void }, room: string, name?: string): void { socket.send(room + name) }
}
`,
}

t.test('the controller language', { timeout: 240_000 }, async (t) => {
  const root = folderOf(t, files)
  const { status, stderr } = await built(root)
  t.strictSame(
    [status, [...new Set(stderr.match(/ACM\d+/g))]],
    [0, ['ACM221']],
    'its texts are short on purpose',
  )
  t.equal(typeErrors(root), '')
  t.test('its document is clean for @redocly/cli', async (t) => {
    const without = {
      'operation-2xx-response': 'a WebSocket is answered with 101',
      'operation-4xx-response': 'two of its controllers have no exception handler',
      'no-ambiguous-paths': 'OpenAPI has no order of routes; here the fixed segment wins',
    }
    t.strictSame(redocly([join(root, 'generated/openapi.yml')], without), [])
  })
  const app = await openTestApp({ cwd: root })
  t.teardown(app.close)
  const get = async (url: string): Promise<unknown> => {
    const response = await app.client().get(url, { 'x-forwarded-proto': 'https' })
    return response.statusCode === 200 ? response.json() : [response.statusCode, response.body]
  }

  t.test('a base path may hold parameters, and ?: segments may be absent', async (t) => {
    t.strictSame(await get('/orgs/o/shelves'), { org: 'o', id: null })
    t.strictSame(await get('/orgs/o/shelves/7'), { org: 'o', id: '7' })
  })
  t.test('optional segments come after the required ones wherever they are written', async (t) => {
    t.strictSame(await get('/orgs/o/shelves/page'), ['o', null, null])
    t.strictSame(await get('/orgs/o/shelves/page/1'), ['o', '1', null])
    t.strictSame(await get('/orgs/o/shelves/page/1/2'), ['o', '1', '2'])
  })
  t.test('*: takes the rest, slashes included; an optional rest may be absent', async (t) => {
    t.strictSame(await get('/orgs/o/shelves/1/files/a/b%20c'), ['o', '1', 'a/b c'])
    t.strictSame(await get('/orgs/o/shelves/1/tree/a/b'), ['1', 'a/b'])
    t.strictSame(await get('/orgs/o/shelves/1/tree'), ['1', 'top'])
    t.match(await get('/orgs/o/shelves/1/files'), [404])
  })
  t.test('path helpers encode, and put the rest into the query', async (t) => {
    const { body } = await app.client().request({ method: 'POST', url: '/orgs/o/shelves/where' })
    t.strictSame(JSON.parse(body), [
      '/orgs/o/shelves',
      '/orgs/o/shelves/7',
      '/orgs/a%20b/shelves/x/files/c%20d/e',
      '/orgs/o/shelves/find?q=a%26b&color=red&tags=%5B%22x%2Cy%22%5D&page=2&since=1970-01-01T00%3A00%3A00.000Z',
    ])
    t.strictSame(await get(JSON.parse(body)[3]), {
      q: 'a&b',
      color: 'red',
      tags: ['x,y'],
      page: 2,
      since: '1970-01-01T00:00:00.000Z',
    })
  })
  t.test('values of an enum of text are read in the query and in a body', async (t) => {
    t.strictSame(await get('/orgs/o/shelves/search?q=a&color=sea-green'), {
      q: 'a',
      color: 'sea-green',
      tags: [],
    })
    const payload = { color: 'sea-green', all: { a: 'blue', b: null } }
    const painted = await app.client().request({ method: 'POST', url: '/orgs/o/shelves/paint', payload })
    t.strictSame(painted.json(), payload)
  })
  t.test(
    'brands, patterns, maps, addresses, buffers and named keys are made from JSON, or refused',
    async (t) => {
      t.strictSame(await get('/kinds/a1?version=v2.5'), ['a1', 'v2.5'])
      t.match(await get('/kinds/a1?version=2'), [500])
      const provided = {
        map: { a: '2020-01-02T00:00:00.000Z' },
        url: 'https://a.example/b',
        bytes: 'aGk=',
        ids: ['o'],
        heads: { 'x-a': 1 },
      }
      const post = (payload: object): Promise<{ statusCode: number; body: string }> =>
        app.client().request({ method: 'POST', url: '/kinds', payload })
      const { url: _url, ...same } = provided
      t.strictSame(JSON.parse((await post(provided)).body), {
        ...same,
        host: 'a.example',
        text: 'hi',
        year: 2020,
      })
      t.equal((await post({ ...provided, heads: { a: 1 } })).statusCode, 500)
      t.equal((await post({ ...provided, url: 'nowhere' })).statusCode, 500)
    },
  )
  t.test(
    'spec, Exception handlers 8: a literal type argument picks the errors; the tag fixes the status',
    async (t) => {
      t.strictSame(await get('/orgs/o/shelves/fail?status=404'), [404, '"lost 404"'])
      t.strictSame(await get('/orgs/o/shelves/fail?status=410'), [400, '"gone 410"'])
      t.match(await get('/orgs/o/shelves/fail?status=409'), [500])
    },
  )
  t.test('the bare class takes every other error, and renders each its own status', async (t) => {
    t.strictSame(await get('/strict/fail?status=404'), [404, '"lost 404"'])
    t.strictSame(await get('/strict/fail?status=409'), [409, 'other'])
  })

  const bundle = await import(pathToFileURL(join(root, '.acmcp/app.mjs')).href)
  t.test(
    'the table says which routes need TLS, which are sockets, and which class has which status',
    async (t) => {
      const rows = bundle.routes.map((route: Record<string, unknown>) => [
        route.id,
        route.verb,
        route.path,
        route.requiresTls,
        route.websocket,
      ])
      t.strictSame(rows.slice(0, 11), [
        ['chat_talk', 'GET', '/chat/:room', false, true],
        ['kinds_show', 'GET', '/kinds/:id', false, false],
        ['kinds_take', 'POST', '/kinds/', false, false],
        ['shelves_show', 'GET', '/orgs/:org/shelves/:id', false, false],
        ['shelves_show_without_id', 'GET', '/orgs/:org/shelves', false, false],
        ['shelves_page', 'GET', '/orgs/:org/shelves/page/:first/:last', false, false],
        ['shelves_page_without_last', 'GET', '/orgs/:org/shelves/page/:first', false, false],
        ['shelves_page_without_first', 'GET', '/orgs/:org/shelves/page', false, false],
        ['shelves_files', 'GET', '/orgs/:org/shelves/:id/files/*', true, false],
        ['shelves_tree', 'GET', '/orgs/:org/shelves/:id/tree/*', false, false],
        ['shelves_tree_without_path', 'GET', '/orgs/:org/shelves/:id/tree', false, false],
      ])
      const look = bundle.routes.find(({ id }: { id: string }) => id === 'shelves_look')
      t.strictSame(
        [
          look.status,
          look.statuses.map((item: { type: { name: string }; status: number }) => [
            item.type.name,
            item.status,
          ]),
        ],
        [201, [['Missing', 404]]],
      )
      const sent: string[] = []
      const chat = new bundle.routes[0].controller()
      bundle.routes[0].call(chat, [{ send: (text: string) => sent.push(text) }, 'a', 'b'])
      t.strictSame(sent, ['ab'])
    },
  )

  t.test(
    'the document has one operation an address, one response a status, and the handshake of a socket',
    async (t) => {
      const { paths } = parse(readFileSync(join(root, 'generated/openapi.yml'), 'utf8'))
      t.strictSame(Object.keys(paths).slice(0, 6), [
        '/chat/{room}',
        '/kinds/{id}',
        '/kinds',
        '/orgs/{org}/shelves/{id}',
        '/orgs/{org}/shelves',
        '/orgs/{org}/shelves/page/{first}/{last}',
      ])
      t.strictSame(
        paths['/orgs/{org}/shelves'].get.parameters.map(({ name }: { name: string }) => name),
        ['org'],
      )
      t.strictSame(
        paths['/orgs/{org}/shelves/{id}/files/{path}'].get.parameters.map(
          (parameter: { in: string }) => parameter.in,
        ),
        ['path', 'path', 'path'],
      )
      const { responses } = paths['/orgs/{org}/shelves/look'].post
      t.strictSame(Object.keys(responses), ['201', '400', '404'])
      t.strictSame(responses['201'], {
        description: 'found',
        content: { 'application/json': { schema: { type: 'string' } } },
      })
      t.strictSame(responses['404'].description, 'not found')
      t.strictSame(paths['/chat/{room}'].get.responses, {
        101: { description: 'The connection becomes a WebSocket.' },
        426: { description: 'The request must ask for a WebSocket.' },
      })
    },
  )

  t.test('tools: one a method, at its longest address; a socket is none', async (t) => {
    const tools: readonly { name: string; route: string; arguments: unknown }[] = bundle.catalogue.tools
    t.strictSame(
      tools.map(({ name }) => name),
      [
        'kinds_show',
        'kinds_take',
        'shelves_show',
        'shelves_page',
        'shelves_files',
        'shelves_tree',
        'shelves_where',
        'shelves_find',
        'shelves_paint',
        'shelves_look',
        'shelves_fail',
        'strict_fail',
      ],
    )
    t.strictSame(tools[4]?.arguments, [
      { argument: 'org', from: 'path', name: 'org' },
      { argument: 'id', from: 'path', name: 'id' },
      { argument: 'path', from: 'path', name: '*' },
    ])
  })
})
