/** The zoo: documents and server agree about every type in every place. All values are read by the decoders of their routes, some go
 *  through the entrances: all of them are 460,000 calls and 200 s of CPU. `npm run torture` sends them, from another seed each time. */
import { rmSync } from 'node:fs'
import t from 'tap'
import { diskHost } from '../../../cli/build/disk.ts'
import { compile } from '../../../cli/compiler/compile.ts'
import { refusedLists } from '../dialects/judge.ts'
import { type Cell, className } from './places.ts'
import { refused } from './refused.ts'
import { zooFolder } from './served.ts'
import { refusedSchemas } from './validators.ts'
import { judgeZoo } from './zoo.ts'

t.setTimeout(600_000)
Error.stackTraceLimit = 0 // half of the values are refused

t.test('what is published of a type in a place is what the server takes there, and answers', async (t) => {
  const before = process.cpuUsage()
  const { types, inside, outside, calls, wrong, catalogue } = await judgeZoo({
    values: 100,
    calls: 2,
    seed: 40,
  })
  t.comment(
    `${process.cpuUsage(before).user / 1e6} s of CPU, ${inside} inside, ${outside} outside, ${calls} calls`,
  )
  t.strictSame(wrong, [])
  t.ok(
    types >= 150 && inside > 250_000 && outside > 230_000 && calls > 12_000,
    `${types}, ${inside}, ${outside}, ${calls}`,
  )
  t.strictSame(refusedLists(catalogue), [])
  t.strictSame(refusedSchemas(catalogue), [])
})

t.test('a type that a place cannot express is an error of the build there', async (t) => {
  const cells: readonly (Cell & { readonly code: string })[] = refused.flatMap(([type, code, where], index) =>
    where.map((place) => ({ place, type: type.replace('PLACE', place), name: `R${index}`, code })),
  )
  const root = zooFolder(cells)
  t.teardown(() => rmSync(root, { recursive: true, force: true }))
  const { diagnostics } = compile(diskHost(root))
  const errors = diagnostics.filter(({ severity }) => severity === 'error')
  const silent = cells.filter(
    ({ place, name, code }) =>
      !errors.some(
        ({ code: found, at, message }) =>
          found === code &&
          (message.includes(`${className(place)}.${name}(`) ||
            at.file.endsWith(`/${className(place).toLowerCase()}.ts`)),
      ),
  )
  t.strictSame(
    silent.map(({ place, type, code }) => `${place} ${type} ${code}`),
    [],
  )
})
