/** Holds the arrows of the house: who may import whom, ours and third-party; no cycles; no oversized functions. Files and folders that
 *  are large are named by `npm run measure`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import t from 'tap'
import ts from 'typescript'

interface Rule {
  /** Files that the rule is for, by prefix. The longest matching prefix counts. */
  readonly from: string
  /** Prefixes of our own files that they may import. */
  readonly ours: readonly string[]
}

/** Small files that every room of the runtime may use. */
const small = [
  'runtime/caller-headers.ts',
  'runtime/canonical-json.ts',
  'runtime/errors.ts',
  'runtime/frozen-json.ts',
  'runtime/lazy.ts',
  'runtime/lease-watch.ts',
  'runtime/loopback.ts',
  'runtime/lru.ts',
  'runtime/mcp-errors.ts',
  'runtime/open-answers.ts',
  'runtime/problem-errors.ts',
  'runtime/rate-limit.ts',
  'runtime/ring.ts',
  'runtime/scheduler.ts',
  'runtime/scopes.ts',
  'runtime/sealed-text.ts',
  'runtime/secret.ts',
  'runtime/suggestions.ts',
  'runtime/surface.ts',
  'runtime/text-formats.ts',
  'runtime/text-machine.ts',
  'runtime/text-pattern-syntax.ts',
  'runtime/text-patterns.ts',
  'runtime/tool-fingerprint.ts',
  'runtime/user-attributes.ts',
  'runtime/utf8.ts',
]

/** What clients take, as data: whoever tells of it may read it. */
const dialects = 'cli/dialects/'
/** What commands are made of, in the core and in capabilities. */
const commandLine = ['cli/command-line/', 'cli/terminal/', 'runtime/serve/']
const records = ['cli/compiler/ir/', 'cli/compiler/diagnostics/', 'cli/compiler/cache/']
const compiler = 'cli/compiler/'
const capabilityList = 'cli/capabilities/index.ts'

const foldersIn = (room: string): readonly string[] =>
  readdirSync(room, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [`${room}/${entry.name}/`] : [],
  )

/** The core of the runtime: everything but the capabilities. */
const core = [...small, ...foldersIn('runtime').filter((room) => room !== 'runtime/capabilities/')]

/** A capability stands on the core, on its own folder and on the pieces of pages; no other imports it but the list. */
const capabilities = foldersIn('runtime/capabilities').map(
  (from): Rule => ({ from, ours: [...core, from, 'templates/'] }),
)

const lists = ['runtime/capabilities/index.ts', 'runtime/capabilities/exports.ts']

/** What the folder of a capability may import beside its own files and what commands are made of: never another capability. */
const needs: Readonly<Record<string, readonly string[]>> = {
  'cli/capabilities/client/': [
    'cli/build/build-options.ts',
    ...records,
    `${compiler}schema/`,
    `${compiler}emit/openapi/responses.ts`,
    `${compiler}emit/routes/method-names.ts`,
  ],
  'cli/capabilities/contract/': [
    'cli/build/',
    `${compiler}compile.ts`,
    `${compiler}ir/`,
    'runtime/contract/',
  ],
  'cli/capabilities/dev/': ['cli/build/', `${compiler}diagnostics/`, `${compiler}ir/`, `${compiler}schema/`],
  'cli/capabilities/approval/': ['runtime/caller-headers.ts'],
  'cli/capabilities/doctor/': ['runtime/loopback.ts', 'runtime/secret.ts'],
  'cli/capabilities/init/': [`${compiler}read/program/typescript.ts`],
  'cli/capabilities/reference/': [`${compiler}diagnostics/similar-names.ts`, 'templates/pages/'],
}

/** A tag stands on the compiler. */
const partsOfTag = (folder: string): readonly string[] =>
  existsSync(`${folder}index.ts`) ? [compiler, 'runtime/contract/'] : []

const arrows: readonly Rule[] = [
  ...capabilities,
  ...lists.map((from) => ({ from, ours: [...core, 'runtime/capabilities/'] })),
  { from: 'runtime/contract/', ours: ['runtime/contract/'] },
  ...small.map((from) => ({ from, ours: [...small, 'runtime/contract/'] })),
  { from: 'runtime/index.ts', ours: ['runtime/'] },
  { from: 'runtime/testing.ts', ours: ['runtime/'] },
  { from: 'runtime/testing/', ours: ['runtime/testing/'] },
  { from: 'runtime/boot/', ours: ['runtime/'] },
  { from: 'runtime/boot/pages/', ours: ['runtime/', 'templates/pages/'] },
  { from: 'runtime/serve/', ours: ['runtime/'] },
  { from: 'runtime/store/', ours: [...small, 'runtime/contract/', 'runtime/store/'] },
  { from: 'runtime/http/', ours: [...small, 'runtime/contract/', 'runtime/http/', 'templates/pages/'] },
  {
    from: 'runtime/idempotency/',
    ours: [...small, 'runtime/contract/', 'runtime/http/', 'runtime/idempotency/'],
  },
  { from: 'runtime/mcp/', ours: [...small, 'runtime/contract/', 'runtime/http/', 'runtime/mcp/'] },
  {
    from: 'runtime/mcp/page/',
    ours: [...small, 'runtime/contract/', 'runtime/http/', 'runtime/mcp/', 'templates/pages/'],
  },
  {
    from: 'runtime/oauth/',
    ours: [
      ...small,
      'runtime/contract/',
      'runtime/http/',
      'runtime/store/',
      'runtime/oauth/',
      'templates/html.ts',
      'templates/pages/',
    ],
  },
  { from: 'cli/main.ts', ours: ['cli/program.ts', 'cli/command-line/', 'cli/terminal/'] },
  { from: 'cli/program.ts', ours: ['cli/command-line/'] },
  {
    from: 'cli/command-line/',
    ours: [...commandLine, 'cli/build/build-options.ts', `${compiler}diagnostics/similar-names.ts`],
  },
  {
    from: 'cli/commands/',
    ours: [...commandLine, 'cli/build/', dialects],
  },
  ...foldersIn('cli/capabilities').map((folder) => ({
    from: folder,
    ours: [
      ...[folder, folder.replace('cli/', 'runtime/'), ...commandLine],
      ...[...(needs[folder] ?? []), ...partsOfTag(folder)],
    ],
  })),
  { from: 'cli/build/', ours: ['cli/build/', 'cli/terminal/', compiler] },
  { from: 'cli/terminal/', ours: ['cli/terminal/', `${compiler}compile.ts`, `${compiler}diagnostics/`] },
  // the one place that hands the list of the capabilities to the passes
  { from: `${compiler}compile.ts`, ours: [compiler, capabilityList] },
  { from: `${compiler}passes.ts`, ours: [compiler, 'runtime/contract/'] },
  { from: `${compiler}feature.ts`, ours: [compiler] },
  { from: capabilityList, ours: [`${compiler}feature.ts`, 'cli/capabilities/'] },
  { from: dialects, ours: [dialects] },
  { from: `${compiler}ir/`, ours: [`${compiler}ir/`, `${compiler}cache/`, 'runtime/contract/', dialects] },
  { from: `${compiler}diagnostics/`, ours: [`${compiler}ir/`, `${compiler}diagnostics/`] },
  { from: `${compiler}cache/`, ours: [`${compiler}cache/`] },
  { from: `${compiler}read/`, ours: [...records, `${compiler}read/`] },
  {
    from: `${compiler}link/`,
    ours: [...records, `${compiler}feature.ts`, `${compiler}link/`, 'runtime/caller-headers.ts'],
  },
  { from: `${compiler}schema/`, ours: [...records, `${compiler}schema/`, 'runtime/contract/'] },
  {
    from: `${compiler}check/`,
    ours: [
      ...records,
      `${compiler}feature.ts`,
      `${compiler}schema/`,
      `${compiler}check/`,
      dialects,
      'runtime/contract/',
      'runtime/scopes.ts',
      'runtime/http/codec/',
      'runtime/http/probes/built-in-addresses.ts',
      'runtime/caller-headers.ts',
      'runtime/boot/settings/all-settings.ts',
      'runtime/boot/settings/checks.ts',
    ],
  },
  {
    from: `${compiler}emit/`,
    ours: [
      ...records,
      `${compiler}schema/`,
      `${compiler}emit/`,
      'runtime/contract/',
      'runtime/canonical-json.ts',
      'runtime/tool-fingerprint.ts',
    ],
  },
  { from: 'app/', ours: ['app/', 'generated/paths.ts'] },
  { from: 'generated/', ours: ['app/'] },
  { from: 'generated/paths.ts', ours: [] },
  { from: 'templates/', ours: ['templates/'] },
  { from: 'templates/browser/', ours: ['templates/browser/'] },
]

/** Third-party packages and the rooms that may use them; what is absent is free of rooms (none today). */
const packages: Readonly<Record<string, readonly string[]>> = {
  // in cli the word stands in text that is printed or looked up, never in an import of its own
  acmcp: ['app/', 'generated/', 'cli/compiler/emit/codecs/codecs.ts', 'cli/compiler/read/program/program.ts'],
  'ts-morph': ['cli/compiler/read/'],
  '@ts-morph/common': ['cli/compiler/read/program/typescript.ts'], // types: what it brings is loaded through ts-morph
  diff: ['cli/terminal/'],
  esbuild: ['cli/'],
  yaml: ['cli/', 'runtime/http/'],
  '@fastify/busboy': ['runtime/http/input/multipart.ts'],
  '@clack/prompts': ['cli/capabilities/init/prompts.ts'],
  marked: ['templates/pages/markdown.ts'],
  commander: [
    'cli/main.ts',
    'cli/program.ts',
    'cli/build/build-options.ts',
    'cli/command-line/',
    'cli/commands/',
    'cli/capabilities/',
  ],
  '@modelcontextprotocol/server': ['runtime/mcp/'],
  '@opentelemetry/api': ['runtime/capabilities/telemetry/'],
  jose: ['runtime/oauth/'],
  'openid-client': ['runtime/oauth/'],
  'ipaddr.js': ['runtime/oauth/', 'runtime/rate-limit.ts'],
  kysely: ['runtime/store/', 'runtime/capabilities/'],
  libsql: ['runtime/store/'],
  pg: ['runtime/store/'],
  fastify: ['runtime/http/', 'runtime/boot/compose.ts', 'runtime/boot/routes.ts', 'runtime/testing'],
  'light-my-request': ['runtime/http/plugins/inject.ts'],
  '@fastify/cookie': ['runtime/http/'],
  '@fastify/session': ['runtime/http/'],
  '@fastify/websocket': ['runtime/http/websocket/websocket.ts'],
}

const rooms = ['cli', 'runtime', 'app', 'generated', 'templates']

const filesIn = (room: string): readonly string[] =>
  readdirSync(room, { recursive: true, encoding: 'utf8' }).map(
    (file) => `${room}/${file.replaceAll('\\', '/')}`,
  )

/** Those that `acmcp init` copies are no modules of ours: they stand on the public surface alone. */
const isCopied = (file: string): boolean => file.startsWith('templates/project/')

const sources = (): readonly string[] =>
  rooms.flatMap(filesIn).filter((file) => file.endsWith('.ts') && !isCopied(file))

const importText =
  /(?:^|\n)\s*(?:import|export)\b[^'"]*?from\s*'([^']+)'|import\(\s*'([^']+)'\s*\)|(?:^|\n)import\s+'([^']+)'/g

function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8')
  const found = [...text.matchAll(importText)]
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

/** The command of a capability, and its tags, have the name of its folder. */
const isSameCapability = (file: string, to: string): boolean => {
  const [, name] = /^cli\/capabilities\/([^/]+)\//.exec(file) ?? []
  return name !== undefined && to.startsWith(`runtime/capabilities/${name}/`)
}

t.test('the core imports no capability: the lists alone do', async (t) => {
  const wrong = sources()
    .filter((file) => !file.startsWith('runtime/capabilities/'))
    .flatMap((file) =>
      importsOf(file)
        .filter(isOwn)
        .map((specifier) => target(file, specifier))
        .filter((to) => to.startsWith('runtime/capabilities/') && !lists.includes(to))
        .filter((to) => !isSameCapability(file, to))
        .map((to) => `${file} -> ${to}`),
    )
  t.strictSame(wrong, [])
})

/** The endpoint's rooms, the lowest first; its own files, which put the rooms together, are above all. */
const layers = [
  ...['protocol', 'auth', 'access', 'limits', 'uris', 'answers', 'calls', 'tools', 'page', 'questions'],
  ...['prompts', 'resources', 'serving', 'streams', 'finding'],
]

t.test('four arrows between the rooms of the endpoint run against their layers', async (t) => {
  const roomOf = (file: string): string | null => /^runtime\/mcp\/([^/]+)\//.exec(file)?.[1] ?? null
  const found = filesIn('runtime/mcp').filter((file) => file.endsWith('.ts'))
  const against = found.flatMap((file) =>
    importsOf(file)
      .filter(isOwn)
      .map((specifier) => [roomOf(file), roomOf(target(file, specifier))] as const)
      .filter(([from, to]) => from !== null && to !== null && layers.indexOf(from) < layers.indexOf(to))
      .map(([from, to]) => `${from} -> ${to}`),
  )
  t.strictSame([...new Set(found.map(roomOf))].filter((room) => room !== null).sort(), [...layers].sort())
  t.strictSame([...new Set(against)].sort(), [
    'access -> tools', // a permission has its view of the tools
    'serving -> streams', // a message may open one
    'tools -> finding', // find_tools
    'tools -> questions', // a route may ask its user
  ])
})

t.test('nobody reaches into Node by its bindings, which go without notice', async (t) => {
  t.strictSame(
    sources().filter((file) => /\.(binding|_linkedBinding)\(/.test(readFileSync(file, 'utf8'))),
    [],
  )
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
  const others = ['acmcp', '@ts-morph/common', '@opentelemetry/api'] // ourselves, what ts-morph brings, an optional peer
  // ts-morph is loaded by `require`; light-my-request is Fastify's, held at the version that Node 20 can install
  const names = new Set(['ts-morph', 'light-my-request', ...used])
  t.strictSame([...names].filter((name) => !others.includes(name)).sort(), Object.keys(dependencies).sort())
})

type ImportsOf = (file: string) => readonly string[]

/** The files and packages that these files import, and those that they import. */
function reachedFrom(files: readonly string[], imports: ImportsOf = importsOf): ReadonlySet<string> {
  const reached = new Set<string>()
  const visit = (file: string): void => {
    if (reached.has(file)) return
    reached.add(file)
    for (const specifier of imports(file)) {
      if (isOwn(specifier)) visit(target(file, specifier))
      else reached.add(packageName(specifier))
    }
  }
  for (const file of files) visit(file)
  return reached
}

/** What a file loads before anything is called: no types, and nothing by `import()`. */
const loadedBy: ImportsOf = (file) =>
  [
    ...readFileSync(file, 'utf8').matchAll(
      /^(?:import|export) (?!type )[^'"]*?from '([^']+)'|^import '([^']+)'/gm,
    ),
  ].map(([, from, bare]) => from ?? bare ?? '')

const ofTheCompiler = (name: string): boolean =>
  /^cli\/(build|compiler)\//.test(name) || ['ts-morph', 'esbuild'].includes(name)

t.test('what the command line loads before a command runs is light', async (t) => {
  const light = ['cli/build/build-options.ts', 'cli/compiler/diagnostics/']
  const commands = filesIn('cli').filter((file) => /\/commands\/[^/]+\.ts$/.test(file))
  const reached = [...reachedFrom(['cli/main.ts', ...commands], loadedBy)].filter(
    (name) => !light.some((text) => name.startsWith(text)),
  )
  const rooms = ['boot', 'http', 'mcp', 'oauth', 'store'].map((name) => `runtime/${name}/`)
  const heavy = reached.filter((name) => ofTheCompiler(name) || rooms.some((room) => name.startsWith(room)))
  t.strictSame(heavy, [])
  t.strictSame(
    reached.filter((name) => !name.includes('/') && !name.startsWith('node:')),
    ['commander'],
  )
})

t.test('nothing that serve loads reaches the compiler, ts-morph or esbuild', async (t) => {
  const entries = [
    'serve',
    'serve-watch',
    'worker',
    'supervisor',
    'dev/dev-server',
    'tasks/store-tasks',
    'tasks/access-tasks',
  ]
  const reached = reachedFrom(['cli/commands/serve.ts', ...entries.map((name) => `runtime/serve/${name}.ts`)])
  t.strictSame([...reached].filter(ofTheCompiler), [])
  t.ok(reached.has('fastify'), 'the walk reaches what serve does use')
})

t.test(
  'nothing that explain loads reaches the compiler, the runtime or a package but commander',
  async (t) => {
    const reached = [...reachedFrom(['cli/capabilities/reference/commands/explain.ts'])].filter(
      (name) => !name.startsWith('node:'),
    )
    const others = reached.filter(
      (name) => !/^cli\/(capabilities\/reference|command-line|terminal)\//.test(name),
    )
    t.strictSame(others.sort(), ['cli/compiler/diagnostics/similar-names.ts', 'commander'])
  },
)

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

/** The functions of a file with more lines than `max`, by name. */
function longFunctions(file: string, max: number): readonly string[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)
  const lineOf = (position: number): number => source.getLineAndCharacterOfPosition(position).line
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    const lines = lineOf(node.end) - lineOf(node.getStart(source)) + 1
    if (lines <= max) return
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined)
      found.push(`${file}:${lineOf(node.getStart(source)) + 1}: ${lines} lines`)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

t.test('no function has more than 60 lines', async (t) => {
  t.strictSame(
    sources().flatMap((file) => longFunctions(file, 60)),
    [],
  )
  t.equal(longFunctions('test/house.test.ts', 10).length > 0, true, 'longer ones are found')
})

/** The READMEs of the rooms, and of the rooms in them. */
const readmes = [...rooms, 'test'].flatMap((room) =>
  filesIn(room).filter(
    (file) => file === `${room}/README.md` || /^(cli|runtime)\/(.*\/)?README\.md$/.test(file),
  ),
)

t.test('every room has a README, of at most 40 lines', async (t) => {
  const missing = [...rooms, 'test'].filter((room) => !readmes.includes(`${room}/README.md`))
  const long = readmes.filter((file) => readFileSync(file, 'utf8').trimEnd().split('\n').length > 40)
  t.strictSame({ missing, long }, { missing: [], long: [] })
  t.ok(readmes.includes('runtime/mcp/README.md'), 'those of inner rooms are seen')
})

t.test('a source file that a README names exists in its room, or at the path that it gives', async (t) => {
  const stale = readmes.flatMap((readme) => {
    const room = dirname(readme)
    const named = [...readFileSync(readme, 'utf8').matchAll(/`([\w./-]+\.ts)`/g)].map(([, name = '']) => name)
    return named
      .filter((name) => !existsSync(name) && !existsSync(join(room, name)))
      .filter((name) => !filesIn(room).some((file) => file.endsWith(`/${name}`)))
      .map((name) => `${readme}: ${name}`)
  })
  t.strictSame(stale, [])
})

/** Files of tests that read a clock which only measures, and why none of them asserts what it says. */
const readsClock: Readonly<Record<string, string>> = {
  'test/cli/random/random-types.ts': 'the torture prints it',
  'test/cli/read/tags/nested-quantifiers.test.ts': 'a pattern beside another one of the same run',
  'test/cli/zoo/zoo.test.ts': 'a comment',
  'test/conformance/plugins.ts': 'a plugin of an application',
  'test/first-call.ts': 'a benchmark',
  'test/house.test.ts': 'this rule',
  'test/mcp/endpoint/told-across.test.ts': 'a comment',
  'test/mcp/tasks/leases.test.ts': 'the event loop turns meanwhile',
  'test/oauth/machines/served.test.ts': 'an answer that is another one each time',
  'test/serve/support/instance.ts': 'the torture prints it',
  'test/store/outages/sqlite.test.ts': 'one wait beside others of the same run',
  'test/support/dev-edits.ts': 'a benchmark',
  'test/support/report/growth.ts': 'work beside a control of the same run',
}

const clock = /performance\.now\(\)|process\.cpuUsage\(|process\.hrtime\b/

/** A time, by its name (a timeout is a setting) or by a moment that is taken from another, beside a number. */
const timeBesideNumber = [
  /\b(?:\w*(?:(?<!Timeout)Ms|Millis|Milliseconds|Seconds)|ms|milliseconds|seconds|took|elapsed|duration)\b *(?:\/ *\w+ *)?\)? *[<>]=? *(?!0\b)\d/,
  /\b(?:Date\.now\(\)|\w*[nN]ow\(\)) *- *\w+\)? *[<>]/,
]

/** The lines that assert a time against a constant, or read a clock to do so. */
const timesIn = (file: string, text: string): readonly string[] =>
  text
    .split('\n')
    .filter(
      (line) =>
        (clock.test(line) && !Object.hasOwn(readsClock, file)) ||
        (/\bok\(/.test(line) && timeBesideNumber.some((pattern) => pattern.test(line))),
    )
    .map((line) => `${file}: ${line.trim()}`)

const byHand = /^test\/(bench|torture)\//

t.test(
  'no test asserts a time without a control of the same run: growth, costs, or the order of events',
  async (t) => {
    const files = filesIn('test').filter((file) => file.endsWith('.ts') && !byHand.test(file))
    const texts = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]))
    const found = [...texts].flatMap(([file, text]) =>
      file === 'test/house.test.ts' ? [] : timesIn(file, text),
    )
    t.strictSame(found, [])
    const needless = Object.keys(readsClock).filter((file) => !clock.test(texts.get(file) ?? ''))
    t.strictSame(needless, [], 'what is excused reads one')
    for (const line of [
      'const began = performance.now()',
      'const cpu = process.cpuUsage()',
      "t.ok(Date.now() - began < most, 'soon')",
      't.ok(clock.now() - began < 2_000)',
      't.ok(ms < 200)',
      't.ok(seconds <= 5)',
      't.ok(slowestMs < 20_000)',
      't.ok(took / 20 < 10_000)',
    ])
      t.equal(timesIn('test/some.test.ts', line).length, 1, line)
    t.equal(timesIn('test/support/dev-edits.ts', 't.ok(ms < 200)').length, 1, 'nobody is excused from that')
  },
)

t.test('every module loads, so that none is missing from the coverage report', async (t) => {
  const modules = sources().filter((file) => file !== 'cli/main.ts')
  for (const file of modules)
    await import(new URL(`../${file.replace(/\.ts$/, '.js')}`, import.meta.url).href)
  t.ok(modules.length > 50)
})

/** The files that a README names as its reading kernel, from the root. */
const kernelOf = (room: string): readonly string[] => {
  const [, kernel = ''] = readFileSync(`${room}/README.md`, 'utf8').split('## The reading kernel')
  return [...kernel.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, path = '']) => `${room}/${path}`)
}

t.test(
  'the reading kernel of a side is twelve files of 3,500 lines at most, and imports no capability',
  async (t) => {
    for (const room of ['cli', 'runtime']) {
      const kernel = kernelOf(room)
      t.ok(kernel.length > 5 && kernel.length <= 12, `${room}: ${kernel.length} files`)
      const lines = kernel.map((file) => readFileSync(file, 'utf8').trimEnd().split('\n').length)
      const all = lines.reduce((sum, count) => sum + count, 0)
      t.ok(all <= 3500, `${room}: ${all} lines`)
      const imported = kernel.flatMap((file) =>
        importsOf(file)
          .filter(isOwn)
          .map((specifier) => target(file, specifier))
          .filter((to) => /^(cli|runtime)\/capabilities\//.test(to))
          .map((to) => `${file} -> ${to}`),
      )
      t.strictSame(imported, [])
    }
  },
)
