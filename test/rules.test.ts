/** What is cited is in the tree: each rule of `.github/design/rules.md` is named by a test, and each page, heading and rule that
 *  a title or a comment names is there. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import t from 'tap'

interface CitedPage {
  /** Headings, and what items of lists begin with in bold, in lower case: with the numbers of the rules below each. */
  readonly entries: ReadonlyMap<string, ReadonlySet<string>>
  /** Headings that only hold others. */
  readonly containers: ReadonlySet<string>
  readonly text: string
}

function readPage(path: string): CitedPage {
  const text = readFileSync(path, 'utf8')
  const entries = new Map<string, Set<string>>()
  const containers = new Set<string>()
  let rules = new Set<string>()
  let section = ''
  for (const line of text.split('\n')) {
    const [, mark = '', name = ''] = /^(#+ |- \*\*)(.+?)(?:\*\*|$)/.exec(line) ?? []
    if (name !== '') {
      rules = new Set()
      entries.set(name.toLowerCase(), rules)
      if (mark === '# ') containers.add(name.toLowerCase())
      else if (mark === '- **') containers.add(section)
      else section = name.toLowerCase()
    }
    const number = /^(\d+)\. /.exec(line)?.[1]
    if (number !== undefined) rules.add(number)
  }
  return { entries, containers, text }
}

const pagesIn = (path: string, prefix: string): [string, CitedPage][] =>
  readdirSync(path).map((name) => [`${prefix}${name}`, readPage(`${path}/${name}`)])

/** By the name under which comments cite them: `rules.md`, `decisions/http.md`. */
const pages = new Map([...pagesIn('.github/design', ''), ...pagesIn('.github/decisions', 'decisions/')])
const rulesPage = readPage('.github/design/rules.md')

const filesIn = (path: string): readonly string[] =>
  readdirSync(path, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`)

const ourFiles = ['.ci', '.github', 'app', 'cli', 'generated', 'runtime', 'templates', 'test']
  .flatMap(filesIn)
  .filter((file) => /\.(ts|mjs|js|md|yml|json|css|html)$/.test(file))
const sources = ourFiles.filter((file) => /\.(ts|mjs)$/.test(file) && !file.includes('/golden/'))
const testText = sources
  .filter((file) => file.startsWith('test/') && file !== 'test/rules.test.ts')
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n')

/** What titles say they show, up to the colon: `Token 2 and 7`, `single use`. */
const heads: readonly string[] = [
  ...testText.matchAll(/(?:['"`(]|; )(?:spec, (?=[A-Z])|decisions, )([^\n:;)]*)/g),
].map(([, head = '']) => head.toLowerCase())

/** The entry that `text` begins with: the longest. Null where there is none. */
const entryOf = ({ entries }: CitedPage, text: string): string | null =>
  [...entries.keys()]
    .filter((name) => text.startsWith(name) && !/^[\w-]/.test(text.slice(name.length)))
    .sort((a, b) => b.length - a.length)[0] ?? null

interface Cited {
  readonly names: readonly string[]
  readonly missing: string | null
}

/** The entries and rules that a citation names, one after the other: `Authorize 6 and 7, Sign-in` names three. */
function citedIn(page: CitedPage, citation: string): Cited {
  const text = citation.toLowerCase()
  const entry = entryOf(page, text)
  if (entry === null) return { names: [], missing: citation }
  const rest = text.slice(entry.length)
  const written = /^(?: \d+(?: (?:to|and) \d+)*)?/.exec(rest)?.[0] ?? ''
  const numbers = numbersOf(written)
  const known = page.entries.get(entry) ?? new Set()
  if (numbers.some((number) => !known.has(number))) return { names: [], missing: citation }
  const names = [entry, ...numbers.map((number) => `${entry} ${number}`)]
  const more = /^(?:, and |, | and )(.*)$/.exec(rest.slice(written.length))?.[1]
  if (more === undefined || entryOf(page, more) === null) return { names, missing: null }
  const further = citedIn(page, more)
  return { names: [...names, ...further.names], missing: further.missing }
}

/** `2 to 4 and 7`: each of them. */
function numbersOf(text: string): readonly string[] {
  return text.split(' and ').flatMap((part) => {
    const [from = 0, to = from] = [...part.matchAll(/\d+/g)].map(([number]) => Number(number))
    return from === 0 ? [] : Array.from({ length: to - from + 1 }, (_, index) => String(from + index))
  })
}

t.test(
  'each rule of the specification, and each of the decided ones, is named by the title of a test',
  async (t) => {
    const named = new Set(heads.flatMap((head) => citedIn(rulesPage, head).names))
    const wanted = [...rulesPage.entries]
      .filter(([entry]) => !rulesPage.containers.has(entry))
      .flatMap(([entry, rules]) =>
        rules.size === 0 ? [entry] : [...rules].map((rule) => `${entry} ${rule}`),
      )
    t.ok(wanted.length > 100)
    t.strictSame(
      wanted.filter((rule) => !named.has(rule)),
      [],
    )
  },
)

t.test('a rule that the title of a test names is on the page', async (t) => {
  t.ok(heads.length > 200)
  t.strictSame(
    heads.flatMap((head) => citedIn(rulesPage, head).missing ?? []),
    [],
  )
})

/** The comments of a file, each on one line. */
function commentsOf(file: string): readonly string[] {
  const found = readFileSync(file, 'utf8').matchAll(
    /^ *\/\*\*[\s\S]*?\*\/|(?:(?:^| )\/\/ .*\n? *(?=\/\/|))+/gm,
  )
  return [...found].map(([comment]) =>
    comment.replace(/\s*\n *(?:\*|\/\/)\/? */g, ' ').replace(/ *\*\/$/, ''),
  )
}

/** Pages of others, and files that clients or applications have. */
const foreign = /^(docs\/(http|gen-ai|database|runtime)\/|http-metrics|references\/|SKILL|AGENTS|README|page)/

const pageName = /(?<![\w./{}-])[\w.-]+(?:\/[\w.-]+)*\.md/g

/** Pages that are named in a comment, and are not there or have no such heading. */
function missingIn(comment: string): readonly string[] {
  const found = [...comment.matchAll(pageName)]
  return found.flatMap(([name], index) => {
    const { index: start = 0 } = found[index] ?? {}
    const [citation = ''] = comment.slice(start + name.length, found[index + 1]?.index).split(';')
    const page = pages.get(name)
    if (page === undefined) return existsSync(name) || foreign.test(name) ? [] : [name]
    if (!citation.startsWith(', ')) return []
    const { missing } = citedIn(page, citation.slice(2))
    return missing === null ? [] : [`${name}, ${missing}`]
  })
}

t.test('a page that a comment names is in the tree, with the heading or the rule', async (t) => {
  const missing = sources.flatMap((file) =>
    commentsOf(file).flatMap((comment) => missingIn(comment).map((page) => `${file}: ${page}`)),
  )
  t.strictSame(missing, [])
  t.strictSame(
    missingIn('decisions/nobody.md; house.md, The runtime; rules.md, Token 8, decisions/http.md, Nothing'),
    ['decisions/nobody.md', 'rules.md, Token 8, ', 'decisions/http.md, Nothing'],
  )
})

/** How a source outside of the tree begins. */
const standards =
  /^(RFC \d|MCP (20\d\d-|ext-auth, )|SEP-\d|draft-|JSON|Open(API|ID|Telemetry)|YAML|HTML|WHATWG|Fetch|W3C|IANA|Unicode|UTS|semantic-conventions|Prometheus|Node\.js|SQLite|PostgreSQL|git|GitHub|Azure|proc|agentskills|standardschema|Robertson)/

t.test('a source is a page of the tree, a file, a standard, or a revision of a protocol', async (t) => {
  const strange = sources.flatMap((file) =>
    commentsOf(file)
      .flatMap((comment) => [...comment.matchAll(/Source: (.*?)(?:\.(?= |$)|$)/g)])
      .flatMap(([, source = '']) => source.split('; '))
      .filter((source) => {
        const [name = ''] = /^[\w./-]+/.exec(source) ?? []
        return !pages.has(name) && !existsSync(name) && !standards.test(source)
      })
      .map((source) => `${file}: ${source}`),
  )
  t.strictSame(strange, [])
})

t.test(
  'nothing names what a reader of the repository has not: numbers of issues, pages beside it',
  async (t) => {
    const hidden = /\bissues? (?:\d|of record)|\bshared\/(?:spec|design|reference)|\bannotations\.md/i
    const found = ['README.md', ...ourFiles].filter((file) =>
      hidden.test(readFileSync(file, 'utf8').replace(/\[[^\]]*\]\(https:[^)]*\)/g, '')),
    )
    t.strictSame(found, [])
  },
)

t.test('a file that a page of the design or the decisions names is there', async (t) => {
  const missing = [...pages].flatMap(([name, { text }]) =>
    [...text.matchAll(/`((?:\.\.\/)?[\w-]+\/[\w./-]+)`/g)]
      .map(([, path = '']) => path.replace(/^\.\.\/(design|decisions)/, '.github/$1'))
      .filter((path) => /^(cli|runtime|test|templates|app|\.github)\//.test(path) && !existsSync(path))
      .filter((path) => !/\b(NAME|CAPABILITY)\b/.test(path)) // the reader's own
      .map((path) => `${name}: ${path}`),
  )
  t.strictSame(missing, [])
})
