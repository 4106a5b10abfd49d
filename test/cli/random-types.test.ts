/** Nothing hangs, crashes or is silent: random types, and types that real packages make, against TypeScript itself. */
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { diskHost } from '../../cli/commands/disk.ts'
import { compile } from '../../cli/compiler/compile.ts'
import { emptyMemory } from '../../cli/compiler/read/memory.ts'
import { folderOf, typeErrors, write } from './built-app.ts'
import { judge, method, short } from './judge.ts'
import { packageTypes, packageTypesApp } from './package-types.ts'
import { judgeRandomTypes } from './random-types.ts'

t.setTimeout(240_000)

/** More than any build of a few types may take, on a machine that is busy with others. */
const mostMs = 20_000

t.test(
  'findings, types: random types are schemas that agree with TypeScript, or errors at their place',
  async (t) => {
    const { wrong, kept, refused, samples, slowestMs } = await judgeRandomTypes(3, 12)
    t.strictSame(wrong, [])
    t.ok(kept > 10 && refused > 0 && samples > 40, `${kept} kept, ${refused} refused, ${samples} samples`)
    t.ok(slowestMs < mostMs, `${slowestMs} ms`)
  },
)

t.test(
  'findings, types: types of zod, kysely, type-fest and ts-pattern are schemas or errors at their place',
  async (t) => {
    const root = folderOf(t, packageTypesApp(packageTypes))
    for (const name of ['zod', 'kysely', 'type-fest', 'ts-pattern'])
      symlinkSync(join(process.cwd(), 'node_modules', name), join(root, 'node_modules', name))
    const memory = emptyMemory()
    const before = process.cpuUsage()
    const { diagnostics } = compile(diskHost(root), { memory })
    t.ok(process.cpuUsage(before).user / 1000 < mostMs)
    const errors = diagnostics.filter(({ severity }) => severity === 'error')
    const refused = packageTypes.filter(([name]) =>
      errors.some(({ message }) => message.includes(`Kinds.${name}(`)),
    )
    t.strictSame(
      refused.map(([name]) => name),
      packageTypes.filter(([, , isRefused]) => isRefused).map(([name]) => name),
    )
    t.ok(
      errors.every(({ code, at }) => /^ACM1(20|45|60)$/.test(code) && at.file === 'app/controllers/kinds.ts'),
      'each at its place',
    )
    const taken = packageTypes.filter((one) => !refused.includes(one))
    for (const [path, text] of Object.entries(packageTypesApp(taken))) write(root, path, text)
    const built = compile(diskHost(root), { memory })
    t.strictSame(
      built.diagnostics.filter(({ severity }) => severity === 'error'),
      [],
    )
    for (const file of built.files) write(root, file.path, file.text)
    t.equal(typeErrors(root), '', 'the table compiles')
  },
)

t.test('findings, types: a type that grows for ever is an error at the method', async (t) => {
  const cases = [
    {
      sentence: '',
      members: method('@get /', 'show(): Grow<string> { throw new Error() }'),
      after: 'interface Grow<T> { value: T; next?: Grow<T[]> }',
      expected: ['ACM160 13:1'],
    },
  ]
  t.strictSame(judge(cases)[0]?.map(short), cases[0]?.expected)
})
