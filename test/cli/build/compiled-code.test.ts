/** What V8 compiled of TypeScript is kept between builds, and a build does without where it cannot be. */
import { spawnSync } from 'node:child_process'
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import module from 'node:module'
import { join, resolve } from 'node:path'
import t from 'tap'
import { folderOf } from '../support/built-app.ts'
import { shop } from '../support/memory-host.ts'

t.setTimeout(120_000)

const main = resolve(import.meta.dirname, '../../../cli/main.js')

t.test('compiled code is kept where Node does not', { skip: 'enableCompileCache' in module }, async (t) => {
  const root = folderOf(t, shop)
  const folder = join(root, 'cache')
  const build = (env: Readonly<Record<string, string>>): void => {
    rmSync(join(root, '.acmcp'), { recursive: true, force: true })
    const ran = spawnSync(process.execPath, [main, 'build'], {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, NODE_OPTIONS: '', NODE_COMPILE_CACHE: folder, ...env },
    })
    t.strictSame([ran.status, ran.stderr], [0, ''])
  }
  const kept = (): readonly string[] => readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
  const fileOf = (): string => join(folder, kept().find((name) => name.endsWith('.bin')) ?? '')

  build({ NODE_DISABLE_COMPILE_CACHE: '1' })
  t.notOk(readdirSync(root).includes('cache'), 'nobody wants it')
  build({ NODE_COMPILE_CACHE: join(root, 'package.json') })
  t.notOk(readdirSync(root).includes('cache'), 'there is no folder to be had')

  build({})
  t.equal(kept().length, 2, 'a folder with one file')
  const [file, text] = [fileOf(), readFileSync(fileOf())]
  const { ino } = statSync(file)
  build({})
  t.strictSame([kept().length, statSync(file).ino], [2, ino], 'it is taken, and not made again')

  writeFileSync(file, text.subarray(0, text.length / 2))
  build({})
  t.ok(statSync(file).size > text.length / 2, 'half a file is no compiled code: it is made again')

  rmSync(file)
  chmodSync(join(folder, kept()[0] ?? ''), 0o777)
  build({})
  t.equal(kept().length, 1, 'nothing is taken from or put where others may write')
})
