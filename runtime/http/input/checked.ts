/** The rules of an application's schema on one argument (`Checked<typeof schema>`): they are run on what was read, and what the
 *  schema makes of it is what the method gets. Source: language.md, Parameters; decisions/http.md, Parameters and decoders. */
import type { MaybePromise } from '../../contract/http.ts'
import type { SchemaIssue, StandardSchema } from '../../contract/parameter-types.ts'
import type { ArgumentCheck, ParamDecoder } from '../../contract/route.ts'
import { maxFailures, type ParamKind, ValueError } from '../../errors.ts'
import { beginningOf, step } from '../codec/decoder.ts'

type Result = Awaited<ReturnType<StandardSchema['~standard']['validate']>>

/** From an argument that was read to what the method gets; a promise only where the schema answers with one. Throws `ValueError` with
 *  the schema's issues, and whatever its rules themselves throw. */
export function argumentRules(
  decoder: ParamDecoder,
  { schema, takesAbsent }: ArgumentCheck,
): (value: unknown) => MaybePromise<unknown> {
  const standard = schema['~standard']
  const outcome = (result: Result): unknown => {
    if (result.issues !== undefined) throw errorOf(result.issues, decoder)
    return result.value
  }
  const outcomeOfAbsent = (result: Result): unknown =>
    takesAbsent === 'unless refused' && result.issues !== undefined ? decoder.absent : outcome(result)
  return (value) => {
    const isAbsent = value === decoder.absent
    if (isAbsent && takesAbsent === undefined) return value
    const result = standard.validate(value)
    const taken = isAbsent ? outcomeOfAbsent : outcome
    return 'then' in result ? Promise.resolve(result).then(taken) : taken(result)
  }
}

/** One error of the first issues, each at its place. */
function errorOf(issues: readonly SchemaIssue[], { name, from }: ParamDecoder): ValueError {
  const place = {
    name,
    parent: from === 'body' ? '' : name,
    kind: from === 'header' ? 'header' : 'parameter',
  } as const
  const [first, ...others] = issues.slice(0, maxFailures).map((issue) => {
    const error = failure(issue, place)
    return from === 'body' && (issue.path ?? []).length > 0 ? error.inBody(name) : error
  })
  return (first ?? new ValueError(name, '', place.kind)).alongWith(others.flatMap((other) => other.failures))
}

interface Place {
  /** The argument's. */
  readonly name: string
  /** What paths inside of the value begin with: nothing in a whole body. */
  readonly parent: string
  readonly kind: ParamKind
}

/** The schema says what it asks for in its message alone, so that it stands as the restriction too. */
function failure({ message, path = [] }: SchemaIssue, { name, parent, kind }: Place): ValueError {
  const steps = path.map((item) => step(typeof item === 'object' ? String(item.key) : String(item)))
  const inside = [...(parent === '' ? [] : [parent]), ...steps].join('.')
  const text = beginningOf(message)
  return steps.length === 0
    ? new ValueError(name, text, kind, text)
    : new ValueError(beginningOf(inside), text, 'parameter', text)
}
