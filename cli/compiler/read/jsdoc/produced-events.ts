/** What `@produces` asks of a stream of events. */
import { isSentAsIs } from '../../ir/sent-form.ts'
import type { DeclaredMethod } from '../../ir/source-model.ts'
import type { Source } from '../program/program.ts'
import { refuse, type Tag } from './tag.ts'

/** Under another type than that of events the items of a stream are sent as they are, so that they must be texts or bytes. */
export function refuseTypedEvents(
  source: Source,
  tags: readonly Tag[],
  { result, returns }: Pick<DeclaredMethod, 'result' | 'returns'>,
): void {
  const sent = [result, ...returns.map(({ schema }) => schema)]
  const isRaw = sent.every(
    (schema) => schema === null || schema.kind !== 'events' || isSentAsIs(schema.items),
  )
  if (isRaw) return
  for (const tag of tags.filter(
    ({ name, text }) => name === 'produces' && !/^text\/event-stream\b/.test(text),
  )) {
    const why = `the items of the stream are sent as they are, and ${tag.text} has no form for these`
    refuse(
      source,
      tag,
      why,
      'Yield texts, such as JSON.stringify(item) with a line break behind it, or remove the tag: then they are events.',
    )
  }
}
