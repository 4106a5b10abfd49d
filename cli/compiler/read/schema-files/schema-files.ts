/** `@schema ./file.json` on a type, a property or a parameter: a JSON Schema 2020-12 of the application's own, used word for
 *  word in place of the derived one. Source: language.md, Method tags. */

import { badSchemaFile, schemaOfAlias } from '../../diagnostics/source-diagnostics.ts'
import { nestedQuantifiers } from '../../diagnostics/tag-diagnostics.ts'
import type { At, Schema } from '../../ir/schema.ts'
import { docTagsOf } from '../jsdoc/property-docs.ts'
import { followAlias, placeOf, type Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'
import { hasNestedQuantifiers } from '../types/nested-quantifiers.ts'
import { schemaTrouble } from './schema-keywords.ts'

/** What a schema file holds: its JSON, and the path that names it. */
export interface SchemaFile {
  readonly path: string
  readonly json: Readonly<Record<string, unknown>>
  readonly at: At
}

/** The file that the last `@schema` of `nodes` names; null when there is none, or when it cannot be used. */
export function schemaFileOf(source: Source, nodes: readonly ts.Node[]): SchemaFile | null {
  const tag = nodes.flatMap(docTagsOf).findLast(({ tagName }) => tagName.text === 'schema')
  if (tag === undefined) return null
  const at = placeOf(source, tag.getSourceFile(), tag.getStart())
  const written = (ts.getTextOfJSDocComment(tag.comment) ?? '').trim()
  const json = readSchemaFile(source, tag.getSourceFile(), written)
  if (typeof json === 'string') {
    source.report(badSchemaFile(at, written, json))
    return null
  }
  for (const pattern of patternsIn(json).filter(hasNestedQuantifiers))
    source.report(nestedQuantifiers(at, `the pattern ${pattern} of ${written}`))
  return { path: written, json, at }
}

/** The patterns of texts that have no `maxLength`, and of names. */
function patternsIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  const { pattern, maxLength, patternProperties } = value as Readonly<Record<string, unknown>> // a list has none of them
  const inside = Object.entries(value).filter(([name]) => !areValues.has(name))
  return [
    ...(typeof pattern === 'string' && maxLength === undefined ? [pattern] : []),
    ...Object.keys(Object(patternProperties)),
    ...inside.flatMap(([, inner]) => patternsIn(inner)),
  ]
}

/** Keywords that hold values, not schemas. */
const areValues = new Set(['const', 'enum', 'default', 'examples', 'required'])

/** The readable name of a component that has none: `./schemas/postal-address.json` → `PostalAddress`. */
export function componentName({ path }: SchemaFile): string {
  const base = path.replace(/^.*\//, '').replace(/(\.schema)?\.json$/, '')
  const words = base.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  return words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('') || 'Schema'
}

/** The schema of a file; its own references stay inside it. */
export const toVerbatim = ({ json }: SchemaFile): Schema => ({ kind: 'verbatim', json })

/** The JSON, or why it cannot be used. */
function readSchemaFile(
  { host }: Source,
  from: ts.SourceFile,
  written: string,
): Readonly<Record<string, unknown>> | string {
  if (!/^\.\.?\/.+\.json$/.test(written)) return 'is no relative path of a .json file'
  const text = host.readFile(resolved(from.fileName, written))
  if (text === null) return 'does not exist'
  const json = parsed(text)
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return 'holds no JSON object'
  const schema = json as Readonly<Record<string, unknown>> // an object, and no list
  const dialect = schema.$schema ?? 'https://json-schema.org/draft/2020-12/schema'
  if (!/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/.test(String(dialect))) {
    return `is written in ${String(dialect)}, not in JSON Schema 2020-12`
  }
  const outside = referencesIn(schema).find((reference) => targetOf(schema, reference) === undefined)
  if (outside !== undefined) return `refers to ${outside}, which is not in the file`
  return schemaTrouble(schema, (reference) => targetOf(schema, reference)) ?? schema
}

function resolved(from: string, written: string): string {
  const parts = from.split('/').slice(0, -1)
  for (const part of written.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '.') parts.push(part)
  }
  return parts.join('/')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function referencesIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    /^\$(ref|dynamicRef)$/.test(name) && typeof inner === 'string' ? [inner] : referencesIn(inner),
  )
}

/** What a reference names: anchors are looked for by name, pointers are followed; `undefined` = nothing in the file. */
function targetOf(schema: Readonly<Record<string, unknown>>, reference: string): unknown {
  if (reference === '#') return schema
  if (!reference.startsWith('#/'))
    return reference.startsWith('#') ? anchored(schema, reference.slice(1)) : undefined
  const steps = reference.slice(2).split('/')
  let value: unknown = schema
  for (const step of steps) {
    const name = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
    value =
      typeof value === 'object' && value !== null
        ? Object.entries(value).find(([key]) => key === name)?.[1]
        : undefined
  }
  return value
}

function anchored(value: unknown, anchor: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  const isNamed = Object.entries(value).some(
    ([name, inner]) => /^\$(anchor|dynamicAnchor)$/.test(name) && inner === anchor,
  )
  if (isNamed) return value
  return Object.values(value)
    .map((inner) => anchored(inner, anchor))
    .find((found) => found !== undefined)
}

/** An alias of a text or a number is that type itself: its `@schema` would be lost in silence. */
export function reportLostSchemas(source: Source): void {
  for (const file of source.wanted.filter(({ text }) => text.includes('@schema'))) {
    for (const node of file.statements.filter(ts.isTypeAliasDeclaration)) {
      const tag = ts.getJSDocTags(node).find(({ tagName }) => tagName.text === 'schema')
      const symbol = source.checker.getSymbolAtLocation(node.name)
      const alias = source.checker.getTypeAtLocation(node.name).aliasSymbol
      const isKept =
        alias !== undefined && symbol !== undefined && followAlias(source.checker, symbol) === alias
      if (tag !== undefined && !isKept) {
        source.report(schemaOfAlias(placeOf(source, file, tag.getStart()), node.name.text))
      }
    }
  }
}
