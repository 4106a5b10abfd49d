/** Generated files in a repository: merges, conflicts, patches and what `--check` says of long files. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { built, folderOf, write } from '../support/built-app.ts'
import type { Files } from '../support/memory-host.ts'

t.setTimeout(240_000)

const names = ['Apples', 'Berries', 'Cherries', 'Dates']

const controller = (name: string): string => `import { type Body, Controller } from 'acmcp'
import type { Basket, Owner } from '../basket.ts'
/** A new one of ${name}. */
export interface New${name} {
  /** How many of ${name}. */
  count: number
}
/** Fruit: ${name}. */
export class ${name} extends Controller {
  /**
   * Puts ${name} into a basket.
   *
   * @post /
   * @param fruit - what to put
   */
  put(fruit: Body<New${name}>): Basket {
    return { owner: String(fruit.count) }
  }

  /**
   * Takes ${name} out of the basket of somebody.
   *
   * @delete /:owner
   * @param owner - whose of ${name}
   */
  take(owner: string): void {
    void owner
  }

  /**
   * Gives the basket to somebody.
   *
   * @put /owner
   * @param owner - who gets it
   */
  give(owner: Body<Owner>): void {
    void owner
  }
}
`

const files: Files = {
  '.gitignore': 'node_modules\n.acmcp\n',
  'app/basket.ts': `/** A basket. */
export interface Basket {
  /** Whose it is. */
  owner: string
}
/** Somebody. */
export interface Owner {
  /** What they are called. */
  name: string
}
`,
  ...Object.fromEntries(names.map((name) => [`app/controllers/${name.toLowerCase()}.ts`, controller(name)])),
}

const root = folderOf(t, files)
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

interface Ran {
  readonly status: number | null
  readonly output: string
}

function git(...args: readonly string[]): Ran {
  const who = ['-c', 'user.name=A', '-c', 'user.email=a@example.org', '-c', 'commit.gpgsign=false']
  const { status, stdout, stderr } = spawnSync('git', [...who, ...args], { cwd: root, encoding: 'utf8' })
  return { status, output: `${stdout}${stderr}` }
}

const commit = (message: string): Ran => git('commit', '-qam', message)

/** A branch on which `edit` was made and built. */
async function branch(name: string, edit: () => void): Promise<void> {
  git('checkout', '-q', '-b', name, 'main')
  edit()
  const { status, stderr } = await built(root)
  if (status !== 0) throw new Error(stderr)
  commit(name)
  git('checkout', '-q', 'main')
}

const replace = (path: string, from: string | RegExp, to: string): void =>
  write(root, path, read(path).replace(from, to))

const fruit = (name: string): string => `app/controllers/${name.toLowerCase()}.ts`

await built(root)
git('init', '-q', '-b', 'main')
git('add', '-A')
commit('all')

t.test(
  'two branches: branches that change texts of two controllers merge, and the tree needs no build',
  async (t) => {
    // the last lines of one toolbox and the first of the next are the hardest: they stand side by side
    await branch('apples', () => {
      replace(fruit('Apples'), 'Fruit: Apples.', 'Fruit: the best apples.')
      replace(fruit('Apples'), 'How many of Apples.', 'How many apples, at most nine.')
      replace(fruit('Apples'), 'whose of Apples', 'whose apples, by name')
    })
    await branch('berries', () => {
      replace(fruit('Berries'), 'Fruit: Berries.', 'Fruit: all kinds of berries.')
      replace(fruit('Berries'), 'Takes Berries out', 'Takes some berries out')
    })
    await branch('cherries', () => {
      replace(fruit('Cherries'), 'Fruit: Cherries.', 'Fruit: red cherries.')
      replace(fruit('Cherries'), 'whose of Cherries', 'whose cherries')
    })
    await branch('basket', () => {
      replace('app/basket.ts', 'Whose it is.', 'Whose basket it is.')
      replace('app/basket.ts', 'What they are called.', 'What others call them.')
    })
    for (const name of ['apples', 'berries', 'cherries', 'basket']) {
      const { status, output } = git('merge', '-q', '--no-edit', name)
      t.equal(status, 0, output)
    }
    rmSync(join(root, '.acmcp'), { recursive: true })
    t.strictSame(await built(root, 'check'), { status: 0, stdout: '', stderr: '' })
    t.notOk(existsSync(join(root, '.acmcp')), 'nothing was built')
    t.match(read('generated/mcp.yml'), 'How many apples, at most nine.')
  },
)

t.test('a conflict in generated files is one error that says how to go on', async (t) => {
  await branch('one', () => replace(fruit('Dates'), 'Fruit: Dates.', 'Fruit: dates of one.'))
  await branch('two', () => replace(fruit('Dates'), 'Fruit: Dates.', 'Fruit: dates of two.'))
  git('merge', '-q', '--no-edit', 'one')
  t.equal(git('merge', '-q', '--no-edit', 'two').status, 1)
  t.match(read('generated/mcp.yml'), /^<{7} HEAD$/m)
  const line = read('generated/mcp.yml').split('\n').indexOf('<<<<<<< HEAD') + 1
  for (const args of [[], ['check']] as const) {
    const { status, stdout, stderr } = await built(root, ...args)
    t.strictSame(
      [status, stdout, stderr],
      [
        1,
        '',
        `generated/mcp.yml:${line}:1 - error ACM304: a merge conflict is left in generated/mcp.yml, generated/openapi.yml
  ${line} | <<<<<<< HEAD
  ${' '.repeat(String(line).length)} | ^
  Resolve it in the sources under app/ alone, then run \`acmcp build --overwrite\`: it writes these files anew.
1 error
acmcp explain ACM304 tells more
`,
      ],
    )
  }
  replace(fruit('Dates'), /<{7} HEAD\n([\s\S]*?)={7}\n[\s\S]*?>{7} two\n/, '$1')
  for (const path of ['generated/routes.ts', 'generated/paths.ts']) {
    write(root, path, `<<<<<<< HEAD\n${read(path)}=======\n>>>>>>> two\n`)
  }
  t.match(
    (await built(root)).stderr,
    'generated/mcp.yml, generated/openapi.yml, generated/paths.ts, generated/routes.ts',
  )
  t.equal((await built(root, 'overwrite')).status, 0)
  t.equal((await built(root, 'check')).status, 0)
  commit('resolved')
})

t.test('an edit by hand is one error, at the toolbox or type that was edited', async (t) => {
  const right = read('generated/mcp.yml')
  for (const [from, to, entry] of [
    ['How many of Dates.', 'IGNORE', '  NewDates:'],
    ['Fruit: the best apples.', 'IGNORE', '  - name: apples'],
    ['Whose basket it is.', 'IGNORE', '  Basket:'],
    ['do not edit', 'do edit', '# Generated by `acmcp build`: do edit.'],
    ['tools:\n', 'tools: [\n', '  - name: apples'],
  ] as const) {
    t.ok(right.includes(from), from)
    const edited = right.replace(from, to)
    write(root, 'generated/mcp.yml', edited)
    const line = edited.split('\n').findIndex((text) => text.startsWith(entry)) + 1
    const { status, stderr } = await built(root)
    t.equal(status, 1)
    t.match(
      stderr,
      `generated/mcp.yml:${line}:1 - error ACM302: generated/mcp.yml was edited by hand from here on`,
    )
    t.equal(stderr.match(/error ACM302/g)?.length, 1, stderr)
  }
  t.equal((await built(root, 'overwrite')).status, 0)
  t.equal(read('generated/mcp.yml'), right)
})

t.test('build --check: its diff is one that git apply takes', async (t) => {
  git('checkout', '-q', '.')
  replace(fruit('Apples'), 'the best apples', 'the very best apples')
  replace(fruit('Dates'), 'Takes Dates', 'Takes a few dates')
  rmSync(join(root, 'generated/paths.ts'))
  const routes = read('generated/routes.ts')
  write(root, 'generated/routes.ts', routes.trimEnd())
  const { status, stdout, stderr } = await built(root, 'check')
  t.strictSame(
    [status, stderr],
    [
      1,
      'acmcp: generated files are stale: run `acmcp build` and commit them\nacmcp explain ACM303 tells more\n',
    ],
  )
  t.match(
    stdout,
    /^--- a\/generated\/routes\.ts\n\+\+\+ b\/generated\/routes\.ts\n@@ -\d+,\d+ \+\d+,\d+ @@\n/,
  )
  mkdirSync(join(root, '.acmcp'), { recursive: true })
  write(root, '.acmcp/stale.diff', stdout)
  const applied = git('apply', '.acmcp/stale.diff')
  t.strictSame([applied.status, applied.output], [0, ''])
  t.strictSame(await built(root, 'check'), { status: 0, stdout: '', stderr: '' })
})

t.test(
  'a diff of build --check: a long stale file takes little memory, and is told in one line',
  async (t) => {
    const lines = Array.from({ length: 38_000 }, (_, index) => `line ${index}`)
    const { unifiedDiff } = await import('../../../cli/terminal/unified-diff.ts')
    const other = lines.map((line) => `${line} of another`)
    const before = process.memoryUsage().rss
    const diff = unifiedDiff(
      'generated/openapi.yml',
      ['same', ...lines, ''].join('\n'),
      ['same', ...other, ''].join('\n'),
    )
    t.equal(diff, 'generated/openapi.yml differs from line 2 on\n')
    t.ok(process.memoryUsage().rss - before < 300 * 2 ** 20, 'in 300 MB')
    const changed = lines.map((line, index) => (index % 1000 === 0 ? `${line}!` : line))
    const parts = unifiedDiff('a', `${lines.join('\n')}\n`, `${changed.join('\n')}\n`).match(/^@@/gm)
    t.equal(parts?.length, 38)
    t.equal(unifiedDiff('a', 'same\n', 'same\n'), '')
  },
)
