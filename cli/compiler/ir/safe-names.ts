/** Names that no client refuses: for the properties of a tool's arguments those that every client takes, and those that are free. Source: decisions/mcp.md, Clients' dialects. */
import { propertyKeyPattern } from '../../dialects/clients.ts'

const maxLength = 64

/** The name itself where clients take it, else one made of it; equal names give equal ones. */
export function safeName(name: string): string {
  if (propertyKeyPattern.test(name)) return name
  const latin = inLatin(name)
  const spelled = [...latin].map((character) => (plain.test(character) ? character : spell(character)))
  const safe = trimmed(spelled.join('')) || trimmed([...latin].map(numberOf).join('')) || '_'
  return (/^[A-Za-z_]/.test(safe) ? safe : `_${safe}`).slice(0, maxLength)
}

const plain = /[A-Za-z0-9_-]/

const trimmed = (name: string): string => name.replace(/_+/g, '_').replace(/^[_-]+|[_-]+$/g, '')

/** Without accents, and letters as English writes them. */
const inLatin = (name: string): string =>
  [...name.normalize('NFKD').replace(/\p{M}/gu, '')].map((letter) => letters.get(letter) ?? letter).join('')

const letters: ReadonlyMap<string, string> = new Map([
  ['ß', 'ss'],
  ['æ', 'ae'],
  ['œ', 'oe'],
  ['ø', 'o'],
  ['ł', 'l'],
  ['đ', 'd'],
  ['ð', 'd'],
  ['þ', 'th'],
  ['ı', 'i'],
  ['Æ', 'Ae'],
  ['Œ', 'Oe'],
  ['Ø', 'O'],
  ['Ł', 'L'],
  ['Đ', 'D'],
  ['Þ', 'Th'],
])

/** A letter of another script by its number, so that two words of it stay apart; what is no letter parts, where it does not stand alone. */
const spell = (character: string): string => (/[\p{L}\p{N}]/u.test(character) ? numberOf(character) : '_')

const numberOf = (character: string): string => `_u${(character.codePointAt(0) ?? 0).toString(16)}_`

/** `name`, or with the first number behind it that is not taken. */
export function freeName(name: string, isTaken: (name: string) => boolean): string {
  let free = name
  for (let count = 2; isTaken(free); count++) free = `${name}${count}`
  return free
}
