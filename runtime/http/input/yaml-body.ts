/** Reads YAML bodies, which are taken only where the application asks for them (`yamlBodies`). Source: rules.md, Accept; YAML
 *  1.2.2, 3.2.1.3 (the keys of a mapping are unique). */
import { Composer, type Document, isScalar, Lexer, Parser, visit } from 'yaml'
import { JsonParseError, PayloadTooLarge } from '../../errors.ts'

/** Of a whole YAML body: the work of the library grows with the text, and is expensive. */
export const yamlBytes: number = 16 * 1024

/** A line `key: value` has seven of them. The work of the library grows with these, not with the bytes. */
const mostLexemes = 4000

const mostAliases = 100

// the library would compare each key with all before it
const options = { uniqueKeys: false, logLevel: 'error', schema: 'core' } as const

/** The value of one document of JSON's own kinds; aliases are bounded, no tag runs code. Throws `PayloadTooLarge` above 4,000
 *  lexemes, `JsonParseError` for what is no YAML, a key that is no scalar or stands twice, and too many aliases. */
export function parseYamlBody(text: string): unknown {
  try {
    const document = onlyDocument(text)
    checkDocument(document)
    return document.toJS({ maxAliasCount: mostAliases + 1 }) // an anchor counts as one
  } catch (error) {
    throw error instanceof PayloadTooLarge ? error : new JsonParseError('YAML')
  }
}

function onlyDocument(text: string): Document.Parsed {
  const composer = new Composer(options)
  Object.assign(composer, { onError: endAtError }) // an error each for thousands of commas would be most of the work
  const [document, another] = composer.compose(lexedTokens(text), true, text.length)
  if (document === undefined || another !== undefined) throw new Error('not one document')
  return document
}

function endAtError(_source: unknown, _code: unknown, message: string, isWarning?: boolean): void {
  if (isWarning !== true) throw new Error(message)
}

export const tooManyParts = (): PayloadTooLarge =>
  new PayloadTooLarge(mostLexemes, 'the YAML text', `made of more than ${mostLexemes} parts`)

function* lexedTokens(text: string): ReturnType<Parser['next']> {
  const parser = new Parser()
  let lexemes = 0
  for (const lexeme of new Lexer().lex(text)) {
    lexemes += 1
    if (lexemes > mostLexemes) throw tooManyParts()
    for (const token of parser.next(lexeme)) {
      if (token.type === 'error') throw new Error(token.message)
      yield token
    }
  }
  yield* parser.end()
}

/** Before anything is resolved: for each alias the library searches the document from its beginning. */
function checkDocument(document: Document.Parsed): void {
  if (document.errors.length > 0) throw new Error('malformed')
  let aliases = 0
  visit(document, {
    Alias() {
      aliases += 1
      if (aliases > mostAliases) throw new Error('too many aliases')
    },
    Map: (_at, { items }) => checkKeys(items),
  })
}

function checkKeys(items: readonly { readonly key: unknown }[]): void {
  const names = new Set<string>()
  for (const { key } of items) {
    if (!isScalar(key)) throw new Error('a key that is no scalar')
    const name = String(key.value ?? '')
    if (names.has(name)) throw new Error('a key stands twice')
    names.add(name)
  }
}
