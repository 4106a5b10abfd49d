/** How an argument is held against a schema (`argumentReaders`): what waits, what is bounded, and what a rule that throws comes to. */
import t from 'tap'
import type { StandardSchema } from '../../../runtime/contract/parameter-types.ts'
import type { ArgumentCheck } from '../../../runtime/contract/route.ts'
import { ParamError, type ParamFailure } from '../../../runtime/errors.ts'
import { unknown } from '../../../runtime/http/codec/scalars.ts'
import { argumentReaders, type ParamInput, readArguments } from '../../../runtime/http/input/params.ts'

type Validate = StandardSchema['~standard']['validate']

const checkBy = (validate: Validate): ArgumentCheck => ({
  schema: { '~standard': { version: 1, vendor: 'test', validate } },
})

/** The arguments `a` and `b` of a query, each with its rules. */
function read(...checks: readonly (ArgumentCheck | null)[]): unknown {
  const decoders = ['a', 'b'].map((name) => ({ name, from: 'body', required: true, codec: unknown }) as const)
  const input = {
    request: {} as ParamInput['request'], // nothing is read of it
    hasQuery: false,
    json: null,
    isBodyRead: true,
    parsedBody: () => ({ kind: 'json', value: 'text' }) as const,
  }
  return readArguments(argumentReaders(decoders.slice(0, checks.length), checks), input)
}

async function failuresOf(reading: () => unknown): Promise<readonly ParamFailure[]> {
  try {
    await reading()
    return []
  } catch (error) {
    if (error instanceof ParamError) return error.failures
    throw error
  }
}

t.test('rules that do not wait cost no promise; of those that do the value is waited for', async (t) => {
  t.strictSame(
    read(
      checkBy((value) => ({ value: [value] })),
      null,
    ),
    [['text'], 'text'],
  )
  const waiting = read(
    checkBy(async (value) => ({ value: [value] })),
    checkBy((value) => ({ value })),
  )
  t.ok(waiting instanceof Promise)
  t.strictSame(await waiting, [['text'], 'text'])
})

t.test('of many issues ten are told, of a long message and path the beginning', async (t) => {
  const long = 'x'.repeat(2_000)
  const cut = `${'x'.repeat(1_000)}…`
  const issues = Array.from({ length: 100_000 }, () => ({ message: long, path: [{ key: long }] }))
  const failures = await failuresOf(() => read(checkBy(() => ({ issues }))))
  t.equal(failures.length, 10)
  t.strictSame(failures[9], {
    parameter: cut,
    restriction: cut,
    message: `invalid parameter value for '${cut}' in the body 'a': ${cut}`,
  })
  const other = checkBy(() => ({ issues: [{ message: 'no', path: ['', 0, Symbol('s')] }] }))
  t.strictSame(
    (await failuresOf(() => read(other, other))).map(({ parameter }) => parameter),
    ['"".0.Symbol(s)', '"".0.Symbol(s)'],
  )
})

t.test('a refusal without an issue is a refusal', async (t) => {
  t.strictSame(await failuresOf(() => read(checkBy(() => ({ issues: [] })))), [
    { parameter: 'a', restriction: '', message: "invalid parameter value for 'a'" },
  ])
})

t.test('what a rule throws, or rejects with, is thrown as it is', async (t) => {
  const failure = new Error('of the application')
  const throws = checkBy(() => {
    throw failure
  })
  await t.rejects(async () => read(throws), failure)
  await t.rejects(
    async () =>
      read(
        checkBy(() => Promise.reject(failure)),
        null,
      ),
    failure,
  )
})
