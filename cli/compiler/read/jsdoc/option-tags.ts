/** The grammar of `@limit 60/min`, `@timeout 30s`, `@audit strict` and `@consumes text/csv`: a whole number and a unit, or words. */

import type { DeclaredOptions } from '../../ir/model.ts'
import { timeUnits } from '../../ir/options.ts'
import { hasEvents } from '../../ir/schema-walk.ts'
import { isSentAsIs } from '../../ir/sent-form.ts'
import type { DeclaredMethod } from '../../ir/source-model.ts'
import type { Source } from '../program/program.ts'
import { refuse, refuseWord, type Tag, words } from './tag.ts'

/** What the tags of a class or a method say; null where they say nothing. */
export function readOptions(source: Source, tags: readonly Tag[]): DeclaredOptions {
  return {
    limit: readOne(source, tags, 'limit', readLimit),
    timeoutSeconds: readOne(source, tags, 'timeout', readTimeout),
    audit: readOne(source, tags, 'audit', readAudit),
    consumes: readOne(source, tags, 'consumes', readConsumes),
  }
}

/** What has no end has no time either. */
export function refuseIdleTimeout(
  source: Source,
  tags: readonly Tag[],
  { result, returns }: Pick<DeclaredMethod, 'result' | 'returns'>,
): void {
  if (!hasEvents([result, ...returns.map(({ schema }) => schema)])) return
  const why = 'a stream of events goes on as long as its client wants'
  for (const tag of tags.filter(({ name }) => name === 'timeout')) {
    refuse(source, tag, why, 'Remove it: end the stream in the method itself.')
  }
}

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

function readOne<T>(
  source: Source,
  tags: readonly Tag[],
  name: string,
  read: (source: Source, tag: Tag) => T | null,
): T | null {
  const tag = tags.find((item) => item.name === name)
  return tag === undefined ? null : read(source, tag)
}

const secondsOf = (written: string): number | undefined =>
  timeUnits.find(({ unit }) => unit === written)?.seconds

/** How people write the units elsewhere. */
const unitOf: ReadonlyMap<string, string> = new Map(
  Object.entries({
    s: 's sec secs second seconds',
    min: 'm min mins minute minutes',
    h: 'h hr hrs hour hours',
    day: 'd day days',
  }).flatMap(([unit, words]) => words.split(' ').map((word) => [word, unit] as const)),
)

const maxCalls = 1_000_000

function readLimit(source: Source, tag: Tag): DeclaredOptions['limit'] {
  if (tag.text === 'none') return false
  const [, digits = '', unit = ''] = /^(0|[1-9]\d*)\/(s|min|h|day)$/.exec(tag.text) ?? []
  const windowSeconds = secondsOf(unit)
  if (windowSeconds === undefined) {
    const usual = 'Write calls per s, min, h or day, such as @limit 60/min, or @limit none.'
    const [, count, word = ''] = /^(\d+)\s*(?:\/|per\b)\s*(?:an?\b\s*)?([a-z]+)$/i.exec(tag.text) ?? []
    const meant = unitOf.get(word.toLowerCase())
    return refuseText(
      source,
      tag,
      meant === undefined ? usual : `${usual} Did you mean ${Number(count)}/${meant}?`,
    )
  }
  const calls = Number(digits)
  if (calls >= 1 && calls <= maxCalls) return { calls, windowSeconds }
  const why = calls === 0 ? 'allows no call at all' : `allows more than ${maxCalls} calls`
  refuse(source, tag, `'${tag.text}' ${why}`, `Write 1 to ${maxCalls} calls, or @limit none.`)
  return null
}

const longestSeconds = 3600

function readTimeout(source: Source, tag: Tag): DeclaredOptions['timeoutSeconds'] {
  if (tag.text === 'none') return false
  const [, digits = '', unit = ''] = /^(0|[1-9]\d*)(s|min)$/.exec(tag.text) ?? []
  const seconds = secondsOf(unit)
  if (seconds === undefined) {
    const usual = 'Write whole seconds or minutes, such as @timeout 30s or @timeout 2min, or @timeout none.'
    return refuseText(source, tag, usual + timeMeantBy(tag.text))
  }
  const timeoutSeconds = Number(digits) * seconds
  if (timeoutSeconds >= 1 && timeoutSeconds <= longestSeconds) return timeoutSeconds
  const why = timeoutSeconds === 0 ? 'leaves no time at all' : 'is more than an hour'
  refuse(source, tag, `'${tag.text}' ${why}`, 'Write 1s to 60min, or @timeout none.')
  return null
}

/** A bare number is most likely seconds. */
function timeMeantBy(text: string): string {
  const [, count, word = ''] = /^(\d+)\s*([a-z]*)$/i.exec(text) ?? []
  const unit = word === '' ? 's' : unitOf.get(word.toLowerCase())
  const isUsual = count !== undefined && (unit === 's' || unit === 'min')
  return isUsual ? ` Did you mean ${Number(count)}${unit}?` : ''
}

function readAudit(source: Source, tag: Tag): DeclaredOptions['audit'] {
  if (tag.text === 'strict') return 'strict'
  return refuseText(source, tag, 'Write @audit strict: the record is written before the answer.')
}

/** Whether something reads them shows only when all is known. */
function readConsumes(source: Source, tag: Tag): DeclaredOptions['consumes'] {
  const types = words(tag.text)
  const hint = 'Write media types in lower case, such as @consumes application/x-www-form-urlencoded.'
  if (types.length === 0) return refuseText(source, tag, hint)
  const wrong = types.find(
    (type, place) =>
      !/^[\w.+-]+\/[\w.+-]+$/.test(type) || type !== type.toLowerCase() || types.indexOf(type) !== place,
  )
  if (wrong === undefined) return types
  refuseWord(source, tag, wrong, [`cannot read '${wrong}'`, hint])
  return null
}

function refuseText(source: Source, tag: Tag, hint: string): null {
  refuse(source, tag, tag.text === '' ? 'says nothing' : `cannot read '${tag.text}'`, hint)
  return null
}
