import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { pollReason } from '../../../cli/capabilities/dev/watch/poll-reason.ts'
import { watch } from '../../../cli/capabilities/dev/watch/watch.ts'
import { watchFiles } from '../../../cli/capabilities/dev/watch/watched-files.ts'
import { acmcp, built, folderOf, write } from '../support/built-app.ts'
import { type Files, shop } from '../support/memory-host.ts'

t.setTimeout(240_000)

type Test = Parameters<typeof folderOf>[0] & { comment(text: string): void }

const options = {
  check: false,
  overwrite: false,
  typecheck: false,
  openapi: '3.1',
  strict: false,
  format: 'text',
  colour: false,
} as const

/** `acmcp build --watch` of the shop, built once: `after` does something and resolves when a line with that text came. */
async function watched(t: Test, files: Files = shop, poll: string | null = null) {
  const root = folderOf(t, files)
  const stopping = new AbortController()
  let heard = (_line: string): void => {}
  const lineWith = (text: string): Promise<string> =>
    new Promise((resolve) => {
      heard = (line) => {
        if (line.includes(text)) resolve(line)
      }
    })
  const first = lineWith(' routes')
  const print = (line: string): void => heard(line)
  const watching = watch({ ...options, cwd: root, poll, print, warn: print }, stopping.signal)
  await first
  const after = async (work: () => void, text = ' routes'): Promise<string> => {
    const line = lineWith(text)
    work()
    return line
  }
  const stop = (): Promise<0 | 1> => {
    stopping.abort()
    return watching
  }
  const made = (): string => readFileSync(join(root, 'generated/openapi.yml'), 'utf8')
  return { root, after, stop, made }
}

const users = 'app/controllers/users.ts'

/** As `sed -i`, vim and JetBrains save: a new file takes the name of the old one. */
function saveAtomically(root: string, path: string, text: string): void {
  write(root, `${path}.new`, text)
  renameSync(join(root, `${path}.new`), join(root, path))
}

const controller = (name: string): string => `import { Controller } from 'acmcp'
/** Looks after ${name}. */
export class ${name} extends Controller {
  /**
   * Lists ${name}.
   *
   * @get /${name.toLowerCase()}
   */
  list(): string[] {
    return []
  }
}
`

t.test(
  '--watch builds again after a change, the same bytes as a full build, and goes on after a mistake',
  async (t) => {
    const { root, after, stop, made } = await watched(t)
    const text = readFileSync(join(root, users), 'utf8')
    await after(() => write(root, users, text.replace('@get', '@gett')), 'ACM')
    await after(() => write(root, users, text.replace('Tells who', 'Says who')))
    t.match(made(), 'summary: Says who is signed in.')
    await after(() => write(root, users, text.replace('@get', '@gett')), 'ACM')
    t.match(await after(() => write(root, users, text.replace('Tells who', 'Says who'))), ' routes')
    t.equal(await stop(), 0)
    t.strictSame(await built(root, 'check'), { status: 0, stdout: '', stderr: '' })
  },
)

t.test('--watch notices every save of a file, also when each puts a new file in its place', async (t) => {
  const { root, after, stop, made } = await watched(t)
  const text = readFileSync(join(root, users), 'utf8')
  for (const how of ['Says', 'Shows', 'Whispers']) {
    await after(() => saveAtomically(root, users, text.replace('Tells who', `${how} who`)))
    t.match(made(), `summary: ${how} who is signed in.`)
  }
  t.equal(await stop(), 0)
})

const ways = [null, '--poll'] as const

for (const poll of ways)
  t.test(
    `--watch notices files that are made, renamed and deleted, in new folders too (${poll ?? 'events'})`,
    async (t) => {
      const { root, after, stop, made } = await watched(t, shop, poll)
      const paths = (): readonly string[] =>
        [...made().matchAll(/^ {2}(\/\S+):$/gm)].map(([, path = '']) => path)
      const before = paths()
      const folder = join(root, 'app/controllers/more/deep')
      await after(() => write(root, 'app/controllers/more/deep/lamps.ts', controller('Lamps')))
      t.strictSame([...paths()].sort(), [...before, '/lamps/lamps'].sort())
      await after(() => {
        saveAtomically(root, 'app/controllers/more/deep/lamps.ts', controller('Lights'))
        renameSync(join(folder, 'lamps.ts'), join(folder, 'lights.ts'))
      })
      t.strictSame([...paths()].sort(), [...before, '/lights/lights'].sort())
      await after(() => renameSync(folder, join(root, 'app/controllers/other')))
      t.strictSame([...paths()].sort(), [...before, '/lights/lights'].sort())
      await after(() => write(root, 'app/controllers/other/lights.ts', controller('Torches')))
      t.strictSame([...paths()].sort(), [...before, '/torches/torches'].sort())
      await after(() => {
        rmSync(join(root, 'app/controllers/other'), { recursive: true })
        write(root, 'app/controllers/other/lights.ts', controller('Lamps'))
      })
      t.strictSame([...paths()].sort(), [...before, '/lamps/lamps'].sort())
      await after(() => write(root, 'app/controllers/other/lights.ts', controller('Lights')))
      t.strictSame([...paths()].sort(), [...before, '/lights/lights'].sort())
      await after(() => rmSync(join(root, 'app/controllers/other'), { recursive: true }))
      t.strictSame(paths(), before)
      t.equal(await stop(), 0)
    },
  )

t.test('what a build writes does not wake the next one; package.json and tsconfig.json do', async (t) => {
  const root = folderOf(t, shop)
  mkdirSync(join(root, 'generated'))
  const seen: string[] = []
  let wake = (): void => {}
  const changed = (path: string): void => {
    seen.push(path)
    wake()
  }
  const until = async (path: string): Promise<void> => {
    while (!seen.includes(join(root, path)))
      await new Promise<void>((resolve) => {
        wake = resolve
      })
  }
  const files = watchFiles(root, { changed, failed: (error) => t.fail(String(error)) })
  for (const path of ['generated/a.ts', '.acmcp/app.mjs', 'other/b.ts', 'apple.ts', 'notes.json'])
    write(root, path, '')
  for (const path of ['tsconfig.json', 'package.json', 'app/new/c.ts']) {
    write(root, path, '{}')
    await until(path.replace('/c.ts', '')) // a new folder is heard of with what is in it
  }
  write(root, 'app/new/c.ts', 'export {}')
  await until('app/new/c.ts')
  files.close()
  const ours = ['package.json', 'tsconfig.json', 'app/new', 'app/new/c.ts'].map((path) => join(root, path))
  t.strictSame([...new Set(seen)].sort(), ours.sort())
})

for (const poll of ways)
  t.test(
    `--watch notices whatever the build reads: beside app/, JSON, settings that are extended, of a linked package too, what tsconfig.json includes (${poll ?? 'events'})`,
    async (t) => {
      const settings = (more: object): string =>
        JSON.stringify({
          compilerOptions: { module: 'nodenext', target: 'es2023', lib: ['es2023'], types: [], ...more },
        })
      const beside = {
        'app/controllers/users.ts': `import { Controller } from 'acmcp'
import type { Person } from '../../lib/person.ts'
import names from '../../data/names.json' with { type: 'json' }
/** People. */
export class Users extends Controller {
  /**
   * Tells who is signed in.
   *
   * @get /current
   */
  current(): Person { return { name: names.first } }
  /**
   * Tells a name.
   *
   * @get /name
   */
  name(): string { return names.first }
}
`,
        'lib/person.ts': 'export interface Person { name: string }\n',
        'data/names.json': '{ "first": "Ada" }\n',
        'config/base.json': settings({
          resolveJsonModule: true,
          allowImportingTsExtensions: true,
          noEmit: true,
        }),
        'tsconfig.json': '{ "extends": "./config/base.json", "include": ["app", "types"] }',
        'types/more.d.ts': 'export {}\n',
      }
      const { root, after, stop, made } = await watched(t, beside, poll)
      await after(() =>
        write(root, 'lib/person.ts', 'export interface Person { name: string; age?: number }\n'),
      )
      t.match(made(), /^ {12}age:$|age:/m)
      const augmented = (name: string): string =>
        `declare module '../lib/person.ts' { interface Person { ${name}?: string } }\nexport {}\n`
      await after(() => write(root, 'types/more.d.ts', augmented('nick')))
      t.match(made(), /nick:/)
      await after(() => write(root, 'types/other.d.ts', augmented('title')))
      t.match(made(), /title:/)
      await after(() => write(root, 'data/names.json', '{ "second": "Bo" }\n'))
      await after(() => write(root, 'config/base.json', settings({ target: 'never' })), 'ACM108')
      await after(() => write(root, 'config/base.json', beside['config/base.json']))
      const linked = 'packages/settings/base.json'
      await after(() => {
        write(root, 'packages/settings/package.json', '{ "name": "@acme/settings", "version": "1.0.0" }')
        write(root, linked, '{}')
        mkdirSync(join(root, 'node_modules/@acme'))
        symlinkSync('../../packages/settings', join(root, 'node_modules/@acme/settings'))
        const all = { extends: ['./config/base.json', '@acme/settings/base.json'], include: ['app', 'types'] }
        write(root, 'tsconfig.json', JSON.stringify(all))
      })
      await after(() => write(root, linked, settings({ target: 'never' })), 'ACM108')
      t.equal(await stop(), 0)
    },
  )

t.test(
  'files are looked at again where it is asked for, or where the file system tells of no changes',
  (t) => {
    const types: ReadonlyMap<string, number> = new Map([
      ['/mnt/c/shop', 0x01021997],
      ['/nfs', 0x6969],
      ['/sshfs', 0x65735546],
      ['/home/ada', 0xef53],
      ['/tmp', 0x01021994],
    ])
    const typeOf = (folder: string): number => {
      const type = types.get(folder)
      if (type === undefined) throw new Error('ENOENT')
      return type
    }
    const why = (folders: readonly string[], said = '', isWanted = false): string | null =>
      pollReason(folders, { isWanted, env: { CHOKIDAR_USEPOLLING: said }, typeOf })
    t.strictSame(
      [
        why(['/home/ada', '/home/ada/app']),
        why(['/tmp']),
        why(['/mnt/c/shop']),
        why(['/home/ada', '/nfs']),
        why(['/sshfs']),
        why(['/mnt/c/shop'], '0'),
        why(['/mnt/c/shop'], 'FALSE'),
        why(['/home/ada'], '1'),
        why(['/home/ada'], 'true'),
        why(['/home/ada'], '0', true),
      ],
      [
        null,
        null,
        '9p tells of no changes from outside',
        'nfs tells of no changes from outside',
        'fuse tells of no changes from outside',
        null,
        null,
        'CHOKIDAR_USEPOLLING',
        'CHOKIDAR_USEPOLLING',
        '--poll',
      ],
    )
    t.end()
  },
)

t.test('--watch refuses --typecheck and --check, which it would not do', async (t) => {
  const root = folderOf(t, shop)
  for (const flag of ['--typecheck', '--check']) {
    const { status, stderr } = acmcp(root, 'build', '--watch', flag)
    t.match([status, stderr], [2, `error: option '--watch' cannot be used with option '${flag}'`])
  }
})

/** How many folders this process watches, after `turns` of the event loop: closing takes one or two. */
async function watchers(turns: number): Promise<number> {
  for (let turn = 0; turn < turns; turn++) await new Promise((done) => setImmediate(done))
  return process.getActiveResourcesInfo().filter((name) => /FSEvent/.test(name)).length
}

t.test('--watch watches no more after a build that cannot write', async (t) => {
  const root = folderOf(t, shop)
  write(root, '.acmcp', 'a file where the folder should be')
  t.equal(await watchers(10), 0)
  const quiet = { print: () => {}, warn: () => {} }
  const watching = watch({ ...options, ...quiet, cwd: root }, new AbortController().signal)
  t.ok((await watchers(0)) > 0)
  await t.rejects(watching, { code: 'EEXIST' })
  t.equal(await watchers(10), 0)
})
