/** The arguments of a call as JSON, and as the text that stands for them in an address, a header or a cookie. */
import type { JsonArguments, PlacedArgument, TextPlace, ToolEntry } from '../../contract/mcp.ts'

/** The arguments of a tool call, as the client sent them. */
export type ToolArguments = Readonly<Record<string, unknown>>

/** The arguments of a call by the places of its request, which are the same for all calls of a tool. */
export type ArgumentsByPlace = (args: ToolArguments) => JsonArguments

interface ByPlaceOptions {
  readonly hasBody: boolean
  /** A text is what a user has written, and is read as a text. */
  readonly areTexts: boolean
}

/** Finds what a tool's arguments are called in its requests. What goes in the body is JSON there. */
export function argumentsByPlace(
  placed: ToolEntry['arguments'],
  { hasBody, areTexts }: ByPlaceOptions,
): ArgumentsByPlace {
  const names: Readonly<Record<TextPlace, Map<string, string>>> = {
    path: new Map(),
    query: new Map(),
    header: new Map(),
    cookie: new Map(),
  }
  for (const { argument, from, name } of placed) {
    const place = placeOf(from, hasBody)
    if (place !== null) names[place].set(place === 'header' ? name.toLowerCase() : name, argument)
  }
  return (args) => ({
    find(place, name, texts) {
      const argument = names[place].get(name)
      if (argument === undefined || !Object.hasOwn(args, argument)) return undefined
      const value = args[argument]
      if (value === undefined || (areTexts && typeof value === 'string')) return undefined
      return isSaid(place, value, texts) ? value : undefined
    },
    names: (place) =>
      [...names[place]].flatMap(([name, argument]) => (Object.hasOwn(args, argument) ? [name] : [])),
  })
}

const isPlaceOfText = (from: PlacedArgument['from']): from is TextPlace => from in textOf

function placeOf(from: PlacedArgument['from'], hasBody: boolean): TextPlace | null {
  if (from === 'field') return hasBody ? null : 'query'
  return isPlaceOfText(from) ? from : null
}

const isPresent = (value: unknown): boolean => value !== undefined && value !== null

/** Whether `texts` are what was written for the value: null is written as nothing, and so is the empty text in a path. */
function isSaid(place: TextPlace, value: unknown, texts: readonly string[] | null): boolean {
  const written = isPresent(value) ? textOf[place](value) : []
  const said = texts ?? []
  return said.length === written.length && written.every((text, at) => text === said[at])
}

/** A list is a repeated name, which has no null; one of a single item is JSON, so that a comma in it does not part it. */
export const queryTexts = (value: unknown): readonly string[] =>
  Array.isArray(value) && value.length > 1 ? value.filter(isPresent).map(plainText) : [plainText(value)]

/** What cannot be UTF-8 (a lone surrogate) becomes U+FFFD, as it would on the wire. */
export const plainText = (value: unknown): string =>
  wellFormed(typeof value === 'object' ? JSON.stringify(value) : String(value))

/** Node 20 has `toWellFormed`, TypeScript's es2023 library does not know it. */
const wellFormed = (text: string): string => (text as string & { toWellFormed(): string }).toWellFormed()

/** A value as a header can carry it: without control characters. */
export const printableText = (value: unknown): string => plainText(value).replace(/\p{Cc}+/gu, ' ')

const textOf: Readonly<Record<TextPlace, (value: unknown) => readonly string[]>> = {
  path: (value) => (value === '' ? [] : [plainText(value)]),
  query: queryTexts,
  header: (value) => [printableText(value)],
  cookie: (value) => [plainText(value)],
}
