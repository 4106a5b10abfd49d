/** Holds the arrows of the house: who may import whom, ours and third-party; no cycles; no oversized files. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import t from 'tap'

interface Rule {
  /** Files that the rule is for, by prefix. The longest matching prefix counts. */
  readonly from: string
  /** Prefixes of our own files that they may import. */
  readonly ours: readonly string[]
}

const leaf = [
  'runtime/contract.ts',
  'runtime/errors.ts',
  'runtime/loopback.ts',
  'runtime/secret.ts',
  'runtime/session-store.ts',
  'runtime/types.ts',
  'runtime/boot-error.ts',
  'runtime/caller-headers.ts',
  'runtime/regularly.ts',
]

const arrows: readonly Rule[] = [
  ...leaf.map((from) => ({ from, ours: [] })),
  { from: 'runtime/', ours: ['runtime/'] },
  { from: 'runtime/store/', ours: ['runtime/contract.ts', 'runtime/session-store.ts', 'runtime/store/'] },
  {
    from: 'runtime/http/',
    ours: [
      'runtime/session-store.ts',
      'runtime/contract.ts',
      'runtime/errors.ts',
      'runtime/loopback.ts',
      'runtime/http/',
      'templates/pages/',
    ],
  },
  {
    from: 'runtime/mcp/',
    ours: [
      'runtime/contract.ts',
      'runtime/errors.ts',
      'runtime/caller-headers.ts',
      'runtime/loopback.ts',
      'runtime/secret.ts',
      'runtime/http/',
      'runtime/mcp/',
    ],
  },
  {
    from: 'runtime/oauth/',
    ours: [
      'runtime/contract.ts',
      'runtime/errors.ts',
      'runtime/loopback.ts',
      'runtime/secret.ts',
      'runtime/http/',
      'runtime/store/',
      'runtime/oauth/',
      'templates/',
    ],
  },
  { from: 'cli/main.ts', ours: ['cli/commands/'] },
  {
    from: 'cli/commands/',
    ours: [
      'cli/commands/',
      'cli/compiler/',
      'runtime/serve.ts',
      'runtime/store-tasks.ts',
      'templates/project/',
    ],
  },
  { from: 'cli/compiler/compile.ts', ours: ['cli/compiler/', 'runtime/contract.ts'] },
  { from: 'cli/compiler/schema.ts', ours: [] },
  { from: 'cli/compiler/model.ts', ours: ['cli/compiler/schema.ts'] },
  { from: 'cli/compiler/likeness.ts', ours: [] },
  {
    from: 'cli/compiler/tag-diagnostics.ts',
    ours: ['cli/compiler/model.ts', 'cli/compiler/schema.ts', 'cli/compiler/diagnostics.ts'],
  },
  { from: 'cli/compiler/declared.ts', ours: ['cli/compiler/model.ts', 'cli/compiler/schema.ts'] },
  {
    from: 'cli/compiler/texts.ts',
    ours: [
      'cli/compiler/model.ts',
      'cli/compiler/schema.ts',
      'cli/compiler/diagnostics.ts',
      'cli/compiler/rule-diagnostics.ts',
      'cli/compiler/emit/',
      'runtime/contract.ts',
    ],
  },
  {
    from: 'cli/compiler/values.ts',
    ours: [
      'cli/compiler/likeness.ts',
      'cli/compiler/model.ts',
      'cli/compiler/schema.ts',
      'cli/compiler/diagnostics.ts',
      'cli/compiler/rule-diagnostics.ts',
      'cli/compiler/emit/',
      'runtime/contract.ts',
    ],
  },
  {
    from: 'cli/compiler/check.ts',
    ours: [
      'cli/compiler/model.ts',
      'cli/compiler/schema.ts',
      'cli/compiler/declared.ts',
      'cli/compiler/diagnostics.ts',
      'cli/compiler/rule-diagnostics.ts',
      'cli/compiler/controller-rules.ts',
      'cli/compiler/scopes.ts',
      'cli/compiler/emit/kept.ts',
    ],
  },
  { from: 'cli/compiler/diagnostics.ts', ours: ['cli/compiler/model.ts', 'cli/compiler/schema.ts'] },
  { from: 'cli/compiler/notes.ts', ours: ['cli/compiler/'] },
  {
    from: 'cli/compiler/',
    ours: [
      'cli/compiler/model.ts',
      'cli/compiler/schema.ts',
      'cli/compiler/declared.ts',
      'cli/compiler/diagnostics.ts',
      'cli/compiler/likeness.ts',
      'cli/compiler/lazy.ts',
      'cli/compiler/rule-diagnostics.ts',
      'cli/compiler/link/',
    ],
  },
  {
    from: 'cli/compiler/link/',
    ours: [
      'cli/compiler/model.ts',
      'cli/compiler/schema.ts',
      'cli/compiler/declared.ts',
      'cli/compiler/link/',
      'runtime/caller-headers.ts',
    ],
  },
  {
    from: 'cli/compiler/read/',
    ours: [
      'cli/compiler/model.ts',
      'cli/compiler/schema.ts',
      'cli/compiler/declared.ts',
      'cli/compiler/diagnostics.ts',
      'cli/compiler/tag-diagnostics.ts',
      'cli/compiler/likeness.ts',
      'cli/compiler/lazy.ts',
      'cli/compiler/read/',
    ],
  },
  {
    from: 'cli/compiler/emit/',
    ours: ['cli/compiler/model.ts', 'cli/compiler/schema.ts', 'cli/compiler/emit/', 'runtime/contract.ts'],
  },
  { from: 'app/', ours: ['app/', 'generated/paths.ts'] },
  { from: 'generated/', ours: ['app/'] },
  { from: 'generated/paths.ts', ours: [] },
  { from: 'templates/', ours: ['templates/'] },
]

/** Third-party packages and the rooms that may use them; what is absent is free of rooms (none today). */
const packages: Readonly<Record<string, readonly string[]>> = {
  // in cli the word stands in text that is printed or looked up, never in an import of its own
  acmcp: ['app/', 'generated/', 'cli/compiler/emit/codecs.ts', 'cli/compiler/read/program.ts'],
  'ts-morph': ['cli/compiler/read/'],
  '@ts-morph/common': ['cli/compiler/read/typescript.ts'], // types: what it brings is loaded through ts-morph
  typebox: ['cli/', 'runtime/http/schema-codec.ts'],
  diff: ['cli/commands/'],
  esbuild: ['cli/'],
  yaml: ['cli/', 'runtime/http/'],
  '@fastify/busboy': ['runtime/http/multipart.ts'],
  commander: ['cli/main.ts', 'cli/commands/'],
  '@modelcontextprotocol/server': ['runtime/mcp/'],
  jose: ['runtime/oauth/'],
  'openid-client': ['runtime/oauth/'],
  'ipaddr.js': ['runtime/oauth/', 'runtime/http/rate-counter.ts'],
  kysely: ['runtime/store/'],
  libsql: ['runtime/store/'],
  pg: ['runtime/store/'],
  fastify: ['runtime/http/', 'runtime/application.ts', 'runtime/routes.ts', 'runtime/testing.ts'],
  '@fastify/cookie': ['runtime/http/'],
  '@fastify/session': ['runtime/http/'],
  '@fastify/websocket': ['runtime/http/websocket.ts'],
}

const rooms = ['cli', 'runtime', 'app', 'generated', 'templates']

function sources(): string[] {
  return rooms.flatMap((room) =>
    readdirSync(room, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => `${room}/${file.replaceAll('\\', '/')}`),
  )
}

const importText =
  /(?:^|\n)\s*(?:import|export)\b[^'"]*?from\s*'([^']+)'|import\(\s*'([^']+)'\s*\)|(?:^|\n)import\s+'([^']+)'/g

function importsOf(file: string): string[] {
  const found = [...readFileSync(file, 'utf8').matchAll(importText)]
  return found.map((match) => match[1] ?? match[2] ?? match[3] ?? '')
}

const isOwn = (specifier: string): boolean => specifier.startsWith('.')
const target = (file: string, specifier: string): string =>
  normalize(join(dirname(file), specifier)).replaceAll('\\', '/')
const packageName = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

function ruleFor(file: string): Rule {
  const fitting = arrows.filter((rule) => file.startsWith(rule.from))
  const longest = fitting.sort((a, b) => b.from.length - a.from.length)[0]
  if (longest === undefined) throw new Error(`${file} is in no room`)
  return longest
}

t.test('every import between our files follows an arrow of the house', async (t) => {
  const wrong = sources().flatMap((file) =>
    importsOf(file)
      .filter(isOwn)
      .map((specifier) => target(file, specifier))
      .filter((to) => !ruleFor(file).ours.some((allowed) => to.startsWith(allowed)))
      .map((to) => `${file} -> ${to}`),
  )
  t.strictSame(wrong, [])
})

t.test('every third-party package stays in its rooms', async (t) => {
  const wrong = sources().flatMap((file) =>
    importsOf(file)
      .filter((specifier) => !isOwn(specifier) && !specifier.startsWith('node:'))
      .filter((specifier) => !(packages[packageName(specifier)] ?? []).some((room) => file.startsWith(room)))
      .map((specifier) => `${file} -> ${specifier}`),
  )
  t.strictSame(wrong, [])
})

t.test('the dependencies are what the published folders use, no more and no less', async (t) => {
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  const published = sources().filter((file) => !file.startsWith('app/') && !file.startsWith('generated/'))
  const used = published.flatMap((file) =>
    importsOf(file)
      .filter((specifier) => !isOwn(specifier) && !specifier.startsWith('node:'))
      .map(packageName),
  )
  const others = ['acmcp', '@ts-morph/common'] // ourselves, and what ts-morph brings
  // ts-morph is loaded by `require`; light-my-request is Fastify's, held at the version that Node 20 can install
  const names = new Set(['ts-morph', 'light-my-request', ...used])
  t.strictSame([...names].filter((name) => !others.includes(name)).sort(), Object.keys(dependencies).sort())
})

t.test('nothing that serve loads reaches the compiler, ts-morph, typebox or esbuild', async (t) => {
  const reached = new Set<string>()
  const visit = (file: string): void => {
    if (reached.has(file)) return
    reached.add(file)
    for (const specifier of importsOf(file)) {
      if (isOwn(specifier)) visit(target(file, specifier))
      else reached.add(packageName(specifier))
    }
  }
  visit('runtime/serve.ts')
  visit('runtime/store-tasks.ts')
  const forbidden = [...reached].filter(
    (name) => name.startsWith('cli/') || ['ts-morph', 'typebox', 'esbuild'].includes(name),
  )
  t.strictSame(forbidden, [])
  t.ok(reached.has('fastify'), 'the walk reaches what serve does use')
})

t.test('there is no import cycle', async (t) => {
  const cycles: string[] = []
  const done = new Set<string>()
  const visit = (file: string, trail: readonly string[]): void => {
    if (trail.includes(file)) {
      cycles.push([...trail.slice(trail.indexOf(file)), file].join(' -> '))
      return
    }
    if (done.has(file)) return
    for (const specifier of importsOf(file).filter(isOwn)) visit(target(file, specifier), [...trail, file])
    done.add(file)
  }
  for (const file of sources()) visit(file, [])
  t.strictSame(cycles, [])
})

t.test('no source file has more than 300 lines', async (t) => {
  const long = sources()
    .filter((file) => !file.startsWith('generated/'))
    .filter((file) => readFileSync(file, 'utf8').split('\n').length > 301)
  t.strictSame(long, [])
})

t.test('every room has a README of at most 40 lines', async (t) => {
  const lengths = [...rooms, 'test'].map(
    (room) => readFileSync(`${room}/README.md`, 'utf8').split('\n').length,
  )
  t.ok(
    lengths.every((lines) => lines <= 41),
    String(lengths),
  )
})

t.test('every module loads, so that none is missing from the coverage report', async (t) => {
  const modules = sources().filter((file) => file !== 'cli/main.ts')
  for (const file of modules)
    await import(new URL(`../${file.replace(/\.ts$/, '.js')}`, import.meta.url).href)
  t.ok(modules.length > 50)
})
