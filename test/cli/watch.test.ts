import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { watch } from '../../cli/commands/watch.ts'
import { built, folderOf, write } from './built-app.ts'
import { shop } from './memory-host.ts'

t.setTimeout(240_000)

t.test('--watch builds again after a change, the same bytes as a full build', async (t) => {
  const root = folderOf(t, shop)
  const stopping = new AbortController()
  const waiting: (() => void)[] = []
  let builds = 0
  const print = (line: string): void => {
    if (!line.includes(' routes')) return
    builds += 1
    waiting.splice(0).forEach((go) => {
      go()
    })
  }
  const nextBuild = (): Promise<void> => new Promise((done) => waiting.push(done))
  const options = {
    cwd: root,
    check: false,
    overwrite: false,
    typecheck: false,
    openapi: '3.1',
    strict: false,
    format: 'text',
    colour: false,
  } as const
  const first = nextBuild()
  const watching = watch({ ...options, print, warn: (line) => t.comment(line) }, stopping.signal)
  await first
  const path = 'app/controllers/users.ts'
  const second = nextBuild()
  write(root, path, readFileSync(join(root, path), 'utf8').replace('Tells who', 'Says who'))
  await second
  t.match(readFileSync(join(root, 'generated/openapi.yml'), 'utf8'), 'summary: Says who is signed in.')
  stopping.abort()
  t.equal(await watching, 0)
  t.ok(builds >= 2)
  t.strictSame(await built(root, 'check'), { status: 0, stdout: '', stderr: '' })
})
