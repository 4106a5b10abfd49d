/** Which routes may have a key: of the tag of a class those get one that can. */
import { hasEvents, streamedType } from '../../compiler/ir/schema-walk.ts'
import type { DeclaredMethod, DeclaredRoute } from '../../compiler/ir/source-model.ts'

/** Other verbs are safe or idempotent by themselves. Source: RFC 9110, 9.2. */
export const mayRepeat = ({ verb }: Pick<DeclaredRoute, 'verb'>): boolean =>
  verb === 'POST' || verb === 'PATCH'

/** Why `method` can have no key, whatever its verb; null = it can. */
export function keylessBecause({ completes, mcp, produces, result, returns }: DeclaredMethod): string | null {
  if (completes.length > 0) return 'it completes what somebody is typing'
  if (mcp.prompt !== null) return 'a prompt is asked for without a key'
  const answers = [result, ...returns.map(({ schema }) => schema)]
  if (produces?.startsWith('text/event-stream') === true || hasEvents(answers))
    return 'a stream of events goes on as long as its client wants'
  const isSentAsItComes = answers.some((schema) => schema !== null && streamedType(schema) !== null)
  return isSentAsItComes ? 'a stream, a Blob or a File is sent as it comes, and nothing of it is kept' : null
}
