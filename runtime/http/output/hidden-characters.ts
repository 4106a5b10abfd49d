/** Characters that people do not see and models read: tags (U+E0000 to U+E007F), and the controls of the direction of text. Joiners
 *  stay, which scripts and emoji need. Source: Unicode 16, 23.9; Unicode UAX #9, 2. */

const hidden = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u
const allHidden = new RegExp(hidden, 'gu')

export const hasHidden = (text: string): boolean => hidden.test(text)

/** The text with each of them spelled out, as source code has it: `\u{202E}`. */
export const spelledOut = (text: string): string => (hasHidden(text) ? text.replace(allHidden, codeOf) : text)

const codeOf = (character: string): string =>
  `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}}`
