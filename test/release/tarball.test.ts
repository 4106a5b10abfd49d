/** What the package brings: all that runs and all that imports read, nothing else, and no word of what it has not. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'

t.setTimeout(240_000)

interface Manifest {
  readonly version: string
  readonly bin: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>
}

const manifest: Manifest = JSON.parse(readFileSync('package.json', 'utf8'))

function filesOfTarball(): readonly string[] {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts']
  const reported = JSON.parse(
    execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  )
  const entry = Array.isArray(reported) ? reported[0] : Object.values(reported)[0] // npm 12 names it by package
  return entry.files.map(({ path }: { readonly path: string }) => path)
}

const files = filesOfTarball()
const declarations = files.filter((file) => file.endsWith('.d.ts'))

/** The declarations that importing the package's entries reads. */
function reachedDeclarations(): readonly string[] {
  const entries = Object.values(manifest.exports).flatMap((entry) =>
    typeof entry === 'string' ? [] : [entry.types.slice('./'.length)],
  )
  const reached = new Set<string>()
  const visit = (file: string): void => {
    if (reached.has(file)) return
    reached.add(file)
    for (const [, target = ''] of readFileSync(file, 'utf8').matchAll(
      /(?:from|import\() ?["'](\.[^"']+)["']/g,
    ))
      visit(join(dirname(file), target).replace(/\.[jt]s$/, '.d.ts'))
  }
  for (const entry of entries) visit(entry)
  return [...reached]
}

t.test(
  'release: the declarations in the tarball are those that an import of the package reads',
  async (t) => {
    const reached = reachedDeclarations()
    t.ok(reached.length > 20, `${reached.length} are read`)
    t.strictSame([...declarations].sort(), [...reached].sort(), 'name them in `files` of package.json')
  },
)

t.test(
  'in the release: every entry and command is in the tarball; tests and source maps are not',
  async (t) => {
    const targets = [
      ...Object.values(manifest.bin),
      ...Object.values(manifest.exports).flatMap((entry) =>
        typeof entry === 'string' ? [entry] : [entry.types, entry.default],
      ),
    ].map((target) => target.replace(/^\.\//, ''))
    t.strictSame(
      targets.filter((target) => !files.includes(target)),
      [],
    )
    t.strictSame(
      files.filter((file) => /\.map$|^dist\/test|\.tsbuildinfo$/.test(file)),
      [],
    )
  },
)

t.test('client: what makes the calls of a typed client is in the tarball', async (t) => {
  const parts = files.filter((file) => file.startsWith('templates/client/'))
  t.strictSame(
    parts.sort(),
    readdirSync('templates/client')
      .map((name) => `templates/client/${name}`)
      .sort(),
  )
})

t.test('nothing of a module that is gone is in the tarball (delete it from dist/)', async (t) => {
  const compiled = files.filter((file) => file.startsWith('dist/'))
  t.ok(compiled.length > 100)
  t.strictSame(
    compiled.filter((file) => !existsSync(file.replace(/^dist\//, '').replace(/(\.d\.ts|\.js)$/, '.ts'))),
    [],
  )
})

/** Texts that only people who have the repository can follow; what an application or its build has is told by its folder. */
const ours =
  /\.github|(?<![\w/.-])(?!templates\/docs\/)[\w./-]+\.(?:md|txt)\b|(?<![\w/.-])(?:cli|runtime|test|templates(?!\/docs))\/[\w./-]+/gi

const commentsOf = (file: string): string =>
  [...readFileSync(file, 'utf8').matchAll(/\/\*\*[\s\S]*?\*\//g)].map(([comment]) => comment).join('\n')

t.test(
  'the tarball: doc comments of public types cite pages of the package, nothing that is not in it',
  async (t) => {
    const strange = declarations.flatMap((file) =>
      [...commentsOf(file).matchAll(ours)].map(([word]) => `${file}: ${word}`),
    )
    t.strictSame(strange, [], 'cite it in a // comment, which is not declared')
    const cited = declarations.flatMap((file) =>
      [...commentsOf(file).matchAll(/templates\/docs\/[\w-]+\.md/g)].map(([page]) => page),
    )
    t.ok(new Set(cited).size >= 5, 'pages are cited')
    t.strictSame(
      cited.filter((page) => !files.includes(page)),
      [],
    )
  },
)

t.test('what is forbidden in doc comments is found', async (t) => {
  const found = (text: string): readonly string[] => [...text.matchAll(ours)].map(([word]) => word)
  t.strictSame(found('See rules.md, decisions/http.md, .github, cli/main.ts, test/x.ts.'), [
    'rules.md',
    'decisions/http.md',
    '.github',
    'cli/main.ts',
    'test/x.ts.',
  ])
  t.strictSame(
    found('See templates/docs/errors.md; `app/config.ts`, generated/routes.ts, @fastify/cookie.'),
    [],
  )
})
