/** What a caller sees of the endpoint: what it may call, and nothing else. */
import t from 'tap'
import { type Credential, scopedApp, tokenOf, withCredential } from '../support/scoped.ts'
import {
  type Answer,
  type App,
  call,
  catalogue,
  type Era,
  message,
  rpc,
  type Sent,
  serve,
} from '../support/support.ts'

const eras: readonly Era[] = ['legacy', 'modern']
const meta = ['list_toolboxes', 'open_toolbox', 'find_tools', 'call_read_only', 'call_tool']
const everything = catalogue.tools.map(({ name }) => name)

const api = tokenOf(['api'])
const reader = tokenOf(['notes:read'])
const writer = tokenOf(['notes:write'])
const destroyer = tokenOf(['notes:write', 'notes:delete'])
const root = tokenOf(['api'], { user: 'dev:root' })
const empty = tokenOf([])

const scoped = (isOn: boolean, more = {}): App => serve(scopedApp(isOn, more).options)

const ask = (app: App, sent: Sent, credential: Credential): Promise<Answer> =>
  app(withCredential(sent, credential))

async function namesIn(
  app: App,
  { era = 'modern', url = '/mcp', credential }: { era?: Era; url?: string; credential: Credential },
): Promise<readonly string[]> {
  const { result } = rpc(await ask(app, { ...message(era, 'tools/list'), url }, credential))
  return result.tools.map(({ name }: { name: string }) => name)
}

/** A call of a tool with the credential, as the era's result. */
const called = (app: App, credential: Credential, name: string, args: object = {}, era: Era = 'modern') =>
  call((sent) => app(withCredential(sent ?? {}, credential)), era, name, args)

const permitted: readonly (readonly [Credential, readonly string[]])[] = [
  [api, ['users_current', 'notes_index', 'notes_show', 'notes_create', 'files_answer']],
  [reader, ['users_current', 'notes_index', 'notes_show']],
  [writer, ['users_current', 'notes_index', 'notes_show', 'notes_create']],
  [destroyer, ['users_current', 'notes_index', 'notes_show', 'notes_create', 'notes_delete']],
  [empty, ['users_current']],
  ['key', ['users_current', 'notes_show', 'files_answer']],
  ['session', ['users_current', 'files_answer']],
]

t.test('lists: every address lists what the caller may call, whoever serves it', async (t) => {
  for (const isOn of [true, false]) {
    for (const isSdkOnly of [false, true]) {
      const app = scoped(isOn, { isSdkOnly })
      for (const [credential, names] of permitted) {
        const inBox = (box: string) => names.filter((name) => name.startsWith(`${box}_`))
        for (const era of eras) {
          const of = { era, credential }
          t.strictSame(await namesIn(app, { ...of, url: '/mcp?toolboxes=all' }), names)
          t.strictSame(await namesIn(app, of), ['users_current', ...meta])
          t.strictSame(await namesIn(app, { ...of, url: '/mcp/users' }), ['users_current'])
          for (const box of ['notes', 'files']) {
            if (inBox(box).length > 0)
              t.strictSame(await namesIn(app, { ...of, url: `/mcp/${box}` }), inBox(box))
          }
        }
      }
    }
  }
})

t.test('lists: an open endpoint lists everything for who has no credential', async (t) => {
  const app = scoped(false)
  t.strictSame(await namesIn(app, { credential: '', url: '/mcp?toolboxes=all' }), everything)
  const cookie = withCredential(message('modern', 'tools/list'), '')
  const visitor = { ...cookie, url: '/mcp?toolboxes=all', headers: { ...cookie.headers, cookie: 'seen=1' } }
  t.equal(rpc(await app(visitor)).result.tools.length, everything.length, 'a cookie that signs nobody in')
  for (const junk of ['Bearer junk', 'Basic QQ==']) {
    t.strictSame(await namesIn(app, { credential: junk, url: '/mcp?toolboxes=all' }), ['users_current'])
  }
  const beside = withCredential(message('modern', 'tools/list'), 'key')
  const both = {
    ...beside,
    url: '/mcp?toolboxes=all',
    headers: { ...beside.headers, authorization: 'Bearer junk' },
  }
  t.equal(rpc(await app(both)).result.tools.length, 1, 'a key beside a bearer is none')
})

t.test('lists: mcp.listed "all" lists everything for everybody', async (t) => {
  const app = scoped(true, { listed: 'all' })
  for (const credential of [api, empty, 'key']) {
    t.strictSame(await namesIn(app, { credential, url: '/mcp?toolboxes=all' }), everything)
    const { structuredContent } = await called(app, credential, 'list_toolboxes')
    t.strictSame(Object.keys(structuredContent), ['toolboxes'])
  }
})

t.test(
  'scopes of the lists: a toolbox of which nothing may be called does not exist; its metadata stays',
  async (t) => {
    for (const isOn of [true, false]) {
      const app = scoped(isOn)
      for (const method of ['GET', 'POST']) {
        const sent = { ...message('modern', 'tools/list'), method, url: '/mcp/files' }
        const { status, text } = await ask(app, sent, reader)
        t.strictSame([status, JSON.parse(text)], [404, { error: 'unknown toolbox "files"' }])
      }
      const near = await ask(app, { ...message('modern', 'tools/list'), url: '/mcp/file' }, reader)
      t.strictSame(JSON.parse(near.text), { error: 'unknown toolbox "file"' }, 'no near name either')
      const known = await ask(app, { ...message('modern', 'tools/list'), url: '/mcp/file' }, api)
      t.strictSame(JSON.parse(known.text), { error: 'unknown toolbox "file", did you mean: files' })
      const opened = await called(app, reader, 'open_toolbox', { name: 'files' })
      const reported = opened.structuredContent ?? {}
      t.strictSame(
        [reported.name, reported.tools, reported.morePermission],
        ['files', [], [files]],
        'who has its name can ask',
      )
    }
    const url = '/.well-known/oauth-protected-resource/mcp/files'
    t.equal((await ask(scoped(true), { method: 'GET', url }, reader)).status, 200)
  },
)

t.test(
  'scopes of the lists: while nobody can say whose a token is, nothing is listed in its place',
  async (t) => {
    const findAuthInfo = async () => {
      throw new Error('the store is away')
    }
    for (const isOn of [true, false]) {
      const app = scoped(isOn, {
        findAuthInfo,
        ...(isOn ? { authProbe: null, authenticator: () => true } : {}),
      })
      const { status, headers } = await ask(app, message('modern', 'tools/list'), reader)
      t.strictSame([status, headers['retry-after']], [503, '5'])
      t.equal(
        (await ask(app, message('modern', 'tools/list'), 'key')).status,
        200,
        'who has none is not kept',
      )
    }
    const unscoped = serve({ findAuthInfo })
    t.equal((await ask(unscoped, message('modern', 'tools/list'), reader)).status, 200, 'it decides nothing')
  },
)

/** No tool of these answers an object. */
const outputIn = (era: Era, result: object): object =>
  era === 'modern' ? result : { type: 'object', properties: { result }, required: ['result'] }

const described = (box: string, tools: readonly string[], era: Era) => ({
  name: box,
  description: catalogue.toolboxes.find(({ name }) => name === box)?.description,
  tools: catalogue.tools
    .filter(({ name }) => tools.includes(name))
    .map(({ name, title, summary, inputSchema, outputSchema, hints }) => ({
      name,
      ...(title === null ? {} : { title }),
      summary,
      proxy: hints.readOnly ? 'call_read_only' : 'call_tool',
      inputSchema,
      ...(outputSchema === null ? {} : { outputSchema: outputIn(era, outputSchema) }),
      annotations: {
        readOnlyHint: hints.readOnly,
        destructiveHint: hints.destructive,
        idempotentHint: hints.idempotent,
        openWorldHint: hints.openWorld,
      },
    })),
})

const requests =
  "The tools in 'morePermission' need permission that this client does not have yet. Call one, and the user is asked for it."
const signIn = "The tools in 'morePermission' need a sign-in that gives this permission."

const written = (value: object, end: string | null = null) => ({
  content: [
    { type: 'text', text: JSON.stringify(value) },
    ...(end === null ? [] : [{ type: 'text', text: end }]),
  ],
  structuredContent: value,
})

const write = { scope: 'notes:write', text: 'Add and change notes', tools: ['notes_create'] }
const destroy = { scope: 'notes:delete', text: 'Delete notes', tools: ['notes_delete'] }
const both = { ...destroy, scope: 'notes:write notes:delete', text: 'Add and change notes; Delete notes' }
const files = { scope: 'files:read', text: 'See your files', tools: ['files_answer'] }
const admin = { scope: 'admin', text: 'Import notes', tools: ['notes_import'] }

t.test(
  'scopes, toolboxes: they end with what more permission would give, by name and in words',
  async (t) => {
    const app = scoped(true)
    const users = { name: 'users', description: 'Users.' }
    t.notOk(users.name === '', 'root tools alone make no toolbox')
    const notes = { name: 'notes', description: 'Notes.' }
    const filesBox = { name: 'files', description: 'Files.', tools: 1 }
    for (const era of eras) {
      t.strictSame(
        await called(app, reader, 'list_toolboxes', {}, era),
        written({ toolboxes: [{ ...notes, tools: 2 }], morePermission: [write, both, files] }, requests),
      )
      t.strictSame(
        await called(app, reader, 'open_toolbox', { name: 'notes' }, era),
        written(
          { ...described('notes', ['notes_index', 'notes_show'], era), morePermission: [write, both] },
          requests,
        ),
      )
      const own = ['notes_index', 'notes_show', 'notes_create', 'notes_delete']
      t.strictSame(
        await called(app, destroyer, 'open_toolbox', { name: 'notes' }, era),
        written(described('notes', own, era)),
        'nothing more that this user can have',
      )
      t.strictSame(
        await called(app, root, 'list_toolboxes', {}, era),
        written(
          { toolboxes: [{ ...notes, tools: 3 }, filesBox], morePermission: [admin, destroy] },
          requests,
        ),
        'who may have it is told of it',
      )
      t.strictSame(
        await called(app, api, 'list_toolboxes', {}, era),
        written({ toolboxes: [{ ...notes, tools: 3 }, filesBox], morePermission: [destroy] }, requests),
      )
    }
  },
)

t.test('toolboxes: without a bearer what is missing is a sign-in', async (t) => {
  const read = { scope: 'notes:read', text: 'See your notes', tools: ['notes_index'] }
  const together = {
    scope: 'notes:write admin',
    text: 'Add and change notes; Import notes',
    tools: ['notes_import'],
  }
  const boxes = [
    { name: 'notes', description: 'Notes.', tools: 1 },
    { name: 'files', description: 'Files.', tools: 1 },
  ]
  for (const isOn of [true, false]) {
    t.strictSame(
      await called(scoped(isOn), 'key', 'list_toolboxes'),
      written({ toolboxes: boxes, morePermission: [read, write, together, both] }, signIn),
      'nobody knows who that user is, so that nothing is left out',
    )
    const { structuredContent } = await called(scoped(isOn), 'session', 'list_toolboxes')
    t.strictSame(
      structuredContent,
      {
        toolboxes: boxes.slice(1),
        morePermission: [{ ...read, tools: ['notes_index', 'notes_show'] }, write, both],
      },
      'of a session the user is known',
    )
  }
  const open = await called(scoped(false), '', 'list_toolboxes')
  t.strictSame(Object.keys(open.structuredContent), ['toolboxes'], 'who sees everything lacks nothing')
  const bearer = await called(scoped(false), reader, 'list_toolboxes')
  t.equal(bearer.content[1].text, signIn, 'no call makes a client ask where nothing is challenged')
})

t.test('near names: none of what the caller may not call', async (t) => {
  const app = scoped(true)
  for (const era of eras) {
    const direct = async (credential: Credential, name: string) =>
      (await called(app, credential, name, {}, era)).error.message
    const proxied = async (credential: Credential, name: string) =>
      (await called(app, credential, 'call_tool', { name }, era)).content[0].text
    for (const way of [direct, proxied]) {
      t.equal(await way(reader, 'notes_creat'), 'unknown tool "notes_creat"')
      t.equal(await way(writer, 'notes_creat'), 'unknown tool "notes_creat", did you mean: notes_create')
    }
  }
})

t.test('proxies: no schema of what may not be called', async (t) => {
  const app = scoped(true)
  const text = async (credential: Credential) =>
    (await called(app, credential, 'call_tool', { name: 'notes_create', arguments: [] })).content[0].text
  t.equal(await text(reader), "'arguments' must be an object")
  t.match(await text(writer), "'arguments' must be an object. Input schema of notes_create: {")
})

t.test('instructions: no line of a toolbox that comes to nothing', async (t) => {
  const instructions = 'users: Users.\nnotes: Notes.\nfiles: Files.'
  const app = scoped(true, { catalogue: { ...catalogue, instructions } })
  const reported = async (credential: Credential): Promise<unknown> =>
    rpc(await ask(app, message('modern', 'server/discover'), credential)).result.instructions
  t.strictSame(
    [await reported(api), await reported(reader), await reported(empty)],
    [instructions, 'users: Users.\nnotes: Notes.', 'users: Users.'],
    'a toolbox of root tools alone is not taken away',
  )
})

t.test('page: a browser is shown what its session may call', async (t) => {
  const page = {
    serviceName: 'Notes',
    signIn: null,
    admits: { nativeRedirects: true, offlineAccess: true, secrets: false, documents: true },
  }
  const app = scoped(true, { page })
  const visit = { method: 'GET', headers: { accept: 'text/html' } }
  const { status, text } = await ask(app, visit, 'session')
  t.equal(status, 200)
  t.match(text, 'Files.')
  t.notMatch(text, 'Notes.')
  t.notMatch(text, 'notes_')
  const { text: all } = await ask(app, { ...visit, url: '/mcp?toolboxes=all' }, 'session')
  t.match(all, 'files_answer')
  t.notMatch(all, 'notes_')
})
