/** Nothing hangs, crashes or is silent: random types, and types that real packages make, against TypeScript itself. */
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { diskHost } from '../../../cli/build/disk.ts'
import { compile } from '../../../cli/compiler/compile.ts'
import { createSession } from '../../../cli/compiler/read/program/session.ts'
import { folderOf, typeErrors, write } from '../support/built-app.ts'
import { type Case, judge, method } from '../support/judge.ts'
import { packageTypes, packageTypesApp } from './package-types.ts'
import { judgeRandomTypes } from './random-types.ts'

t.setTimeout(240_000) // what hangs ends here

t.test(
  'types at random: random types are schemas that agree with TypeScript, or errors at their place',
  async (t) => {
    const { wrong, kept, refused, samples } = await judgeRandomTypes(1, 12)
    t.strictSame(wrong, [])
    t.ok(kept > 4 && refused > 0 && samples > 20, `${kept} kept, ${refused} refused, ${samples} samples`)
  },
)

const regressions: readonly (readonly [runs: number, seed: number])[] = [
  [4, 2],
  [4, 3],
]

/** Programs of the torture that disagreed or crashed: a circle of mapped types, keys renamed, `undefined` asked for. */
t.test('types: random types that once were wrong agree with TypeScript', async (t) => {
  for (const [runs, seed] of regressions) {
    const { wrong, kept } = await judgeRandomTypes(runs, seed)
    t.strictSame(wrong, [], `seed ${seed}`)
    t.ok(kept > 0)
  }
})

t.test(
  'types: types of zod, kysely, type-fest and ts-pattern are schemas or errors at their place',
  async (t) => {
    const root = folderOf(t, packageTypesApp(packageTypes))
    for (const name of ['zod', 'kysely', 'type-fest', 'ts-pattern'])
      symlinkSync(join(process.cwd(), 'node_modules', name), join(root, 'node_modules', name))
    const session = createSession()
    const { diagnostics } = compile(diskHost(root), { session })
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
    const taken = packageTypes.filter((type) => !refused.includes(type))
    for (const [path, text] of Object.entries(packageTypesApp(taken))) write(root, path, text)
    const built = compile(diskHost(root), { session })
    t.strictSame(
      built.diagnostics.filter(({ severity }) => severity === 'error'),
      [],
    )
    for (const file of built.files) write(root, file.path, file.text)
    t.equal(typeErrors(root), '', 'the table compiles')
  },
)

const methodOf = (name: string, parameters: string, answer = 'void'): string =>
  method(`@post /${name}`, `${name}(${parameters}): ${answer} { throw new Error() }`)

const grow = 'interface Grow<T> { value: T; next?: Grow<T[]> }'
const money = 'class Money { #a = 1; b = 2 }'
const bad = `interface Bad { ${Array.from({ length: 25 }, (_, index) => `p${index}: () => void`).join('; ')} }`
const texts =
  'type Texts<T> = T extends (infer I)[] ? Texts<I>[] : T extends Date ? string : T extends object ? { [K in keyof T]: Texts<T[K]> } : T'
const circle = `interface Circle { n: number; second: Texts<Texts<Circle>>[] }\n${texts}`
const twice = 'type Two<T> = { x: T; y: T }\ntype In<T> = Two<Two<Two<Two<T>>>>'

const endless: readonly Case[] = [
  {
    sentence: 'a type that grows for ever is an error at the method',
    members: method('@get /', 'show(): Grow<string> { throw new Error() }'),
    after: grow,
    expected: ['ACM160 15'],
  },
  {
    sentence: 'a type without an end that parameters share is reported once, where it has none',
    members: `${methodOf('one', 'a: Grow<string>')}\n${methodOf('two', 'b: Grow<string>, c: { g: Grow<string> }')}`,
    after: grow,
    expected: ['ACM160 21'],
  },
  {
    sentence: 'a type without an end hides no mistake of another parameter, nor of one that holds it too',
    members: `${methodOf('one', 'a: Grow<string>, m: Money')}\n${methodOf('two', 'a: Grow<string>, n: { g: Grow<string>; f(): void; m: Money }, m: Money')}`,
    after: `${grow}\n${money}`,
    expected: ['ACM141 13', 'ACM120 19', 'ACM141 19', 'ACM141 19', 'ACM160 21'],
  },
  {
    sentence: 'of one parameter 20 mistakes are reported, and a type is read once',
    members: `${methodOf('one', 'a: Body<Bad>')}\n${methodOf('two', 'm: Money, b: { in: Bad }')}`,
    after: `${bad}\n${money}`,
    expected: ['ACM141 19', ...Array.from({ length: 20 }, () => 'ACM120 21')],
  },
  {
    sentence: 'two types of one name are told apart beside one without an end',
    members: `${methodOf('one', 'a: Grow<string>')}\n${methodOf('two', 'b: Box.Same, c: Bag.Same')}`,
    after: `${grow}\ndeclare namespace Box { interface Same { a: 1 } }\ndeclare namespace Bag { interface Same { b: 1 } }`,
    expected: ['ACM160 21'],
  },
  {
    sentence: 'a type without names that comes to 2 ** 20 parts is an error, not a lack of memory',
    members: methodOf('one', 'a: In<In<In<In<In<{ a: 1 }>>>>>'),
    after: twice,
    expected: ['ACM160 15'],
  },
  {
    sentence: 'a circle of mapped types over which TypeScript runs out of stack is an error at its property',
    members: methodOf('one', 'a: Circle'),
    after: circle,
    expected: ['ACM160 15'],
  },
  {
    sentence: 'the functions of a mapped type are functions',
    members: methodOf('one', 'a: Deep<{ f(): void; n: number }>'),
    after: 'type Deep<T> = { [K in keyof T]?: Deep<T[K]> }',
    expected: ['ACM120 13'],
  },
]

/** The cases are compiled together: each has types of its own. */
function ownNames(item: Case, index: number): Case {
  const own = (text = ''): string =>
    text.replace(/\b(Grow|Money|Bad|Two|In|Deep|Circle|Texts)\b/g, `$1${index}`)
  return { ...item, members: own(item.members), after: own(item.after) }
}

t.test('types: types of one name that have no end are told each', async (t) => {
  const members = methodOf('one', 'a: Grow<string>')
  const found = judge([0, 1, 2].map(() => ({ sentence: '', members, after: grow, expected: [] })))
  t.strictSame(
    found.map((all) => all.map(({ code }) => code)),
    [['ACM160'], ['ACM160'], ['ACM160']],
  )
})

t.test('types: what has no end or too many mistakes hides no other mistake', async (t) => {
  const separate = endless.map(ownNames)
  for (const [index, found] of judge(separate).entries()) {
    const { sentence, expected } = endless[index] ?? { sentence: '', expected: [] }
    t.strictSame(
      found.map(({ code, at }) => `${code} ${at.line}`),
      expected,
      sentence,
    )
  }
})

t.test(
  'types at random: a parameter without an end is told of its own instances too, at its place',
  async (t) => {
    const inner: readonly (readonly [type: string, place?: string, path?: string])[] = [
      ['{ g: Grow<string>; m: Money }', '13:28', '.m'],
      ['Body<{ m: Money; g: Grow<string> }>', '13:15', '.m'],
      ['Grow<Money>', '15:22', '.value'],
      ['{ a: { list: [Grow<string>, Map<string, Money>] } }', '13:15', '.a.list[][]'],
      ['{ g: Grow<string> }'],
    ]
    const members = inner.map(([type]) => methodOf('one', `a: ${type}`))
    const after = `${grow}\n${money}`
    const cases = members.map((member, index) =>
      ownNames({ sentence: '', members: member, after, expected: [] }, index),
    )
    const reported = judge(cases).map((found) =>
      found
        .filter(({ code }) => code !== 'ACM160')
        .map(({ code, at, message }) => `${code} ${at.line}:${at.column} ${message}`),
    )
    t.strictSame(
      reported,
      inner.map(([, place, path], index) =>
        place === undefined
          ? []
          : [
              `ACM141 ${place} Case${index}.one(a)${path}: JSON cannot make an instance of Money${index}, which has more than public fields`,
            ],
      ),
    )
  },
)
