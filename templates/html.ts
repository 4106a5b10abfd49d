/** An auto-escaping template tag: text is escaped wherever it stands, only `Html` passes as it is. */

declare const brand: unique symbol

/** Markup that is safe to send. Only `html` and `trusted` make it. */
export interface Html {
  readonly [brand]: true
  readonly markup: string
}

/** What may stand in a template: text and numbers are escaped, `null` prints nothing, lists are joined. */
export type Printable = string | number | Html | null | readonly Printable[]

/** Builds markup; every value is escaped for element content and quoted attributes unless it is `Html` itself.
 *  Attribute values must stand in double quotes. Source: rules.md, Authorize 7. */
export function html(parts: TemplateStringsArray, ...values: readonly Printable[]): Html {
  const printed = parts.map((part, index) => part + print(values[index] ?? null))
  return trusted(printed.join(''))
}

/** Marks markup that we wrote ourselves (a style sheet) as safe. Never for a value from outside. */
export function trusted(markup: string): Html {
  // The brand exists for the compiler only.
  return new Markup(markup) as unknown as Html
}

class Markup {
  readonly markup: string
  constructor(markup: string) {
    this.markup = markup
  }
}

function print(value: Printable): string {
  if (value === null) return ''
  if (typeof value === 'string' || typeof value === 'number') return escapeHtml(String(value))
  if (isList(value)) return value.map(print).join('')
  // An object that merely looks like Html (parsed JSON, say) must not pass.
  if (!(value instanceof Markup)) throw new TypeError('not printable as HTML')
  return value.markup
}

function isList(value: Html | readonly Printable[]): value is readonly Printable[] {
  return Array.isArray(value)
}

const entities: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
])

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities.get(character) ?? '')
}
