/** Characters that people do not see and models read, and those that move what stands around them. Source: Unicode 16, 5.21 (default
 *  ignorable code points) and 23.8 (interlinear annotation); Unicode UAX #9, 2; UTS #51 (emoji); UTS #37 (variation sequences). */

/** Controls but line ends and tabs, lone surrogates, whatever a renderer may ignore, and the direction of text. */
const hiddenClass = String.raw`(?![\t\n\r])[\p{Cc}\p{Cs}\p{DI}\p{Bidi_Control}\ufff9-\ufffb]`

/** Where writing needs one of them: a joiner behind a letter, mark or emoji, the look of an emoji behind it, the form of a Mongolian
 *  letter behind that. More than one in a row is no writing. */
const written = [
  String.raw`(?<=[\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}](?<![\u034f\p{DI}])|\p{Extended_Pictographic}\ufe0f)[\u200c\u200d]`,
  String.raw`(?<=\p{Emoji})[\ufe0e\ufe0f]`,
  String.raw`(?<=\p{Script=Mongolian}(?<!\p{DI}))[\u180b-\u180d\u180f]`,
]

/** In running text also where a word may be broken. */
const breaks = String.raw`(?<=[\p{L}\p{M}](?<!\p{DI}))[\u00ad\u200b](?=[\p{L}\p{M}])(?!\p{DI})`

const hidden = (allowed: readonly string[], flags: string): RegExp =>
  new RegExp(`(?!${allowed.join('|')})${hiddenClass}`, flags)

const hiddenInText = hidden([...written, breaks], 'u')
const allHiddenInText = new RegExp(hiddenInText, 'gu')
const hiddenInName = new RegExp(`${hidden(written, 'u').source}|[\\t\\n\\r\\p{Zl}\\p{Zp}]`, 'gu')

/** Most text has nothing else. */
const isPlain = (text: string): boolean => !/[^\t\n\r -~]/.test(text)

export const hasHidden = (text: string): boolean => !isPlain(text) && hiddenInText.test(text)

/** The text with each of them spelled out, as source code has it: `\u{202E}`. */
export const spelledOut = (text: string): string =>
  hasHidden(text) ? text.replace(allHiddenInText, codeOf) : text

/** A text for one line, such as a name, without each of them, and without line ends and tabs. */
export const withoutHidden = (text: string): string => text.replace(hiddenInName, '')

const codeOf = (character: string): string =>
  `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}}`
