/** How the name of a property stands in printed code. Names come again from type to type: each is looked at once. */
import { access, propertyName, quote } from '../javascript.ts'

export interface NameText {
  readonly quoted: string
  /** After an object: `.name`. */
  readonly access: string
  /** Before a value, in a literal: `name:`. */
  readonly field: string
  /** Every object has a property of this name. */
  readonly isInherited: boolean
}

const known = new Map<string, NameText>()

export function nameText(name: string): NameText {
  const before = known.get(name)
  if (before !== undefined) return before
  const text = {
    quoted: quote(name),
    access: access('', name),
    field: `${propertyName(name)}:`,
    isInherited: name in Object.prototype,
  }
  known.set(name, text)
  return text
}
