/** The scopes that `app/config.ts` declares, with their words and what they imply. The build reads them without running the
 *  application: what the build cannot see is a diagnostic at its place. */

import { scopeUnreadable } from '../../../diagnostics/scope-diagnostics.ts'
import type { DeclaredScope, ScopeName } from '../../../ir/model.ts'
import { placeOfNode, type Source } from '../../program/program.ts'
import type { ts } from '../../program/typescript.ts'
import {
  isUndefined,
  propertyNamed,
  type Written,
  type WrittenProperty,
  writtenAt,
  writtenFlag,
  writtenItems,
  writtenProperties,
  writtenText,
} from '../literals.ts'

export interface OwnScopes {
  readonly scopes: readonly DeclaredScope[]
  /** Whether the names of all could be read. */
  readonly areScopesWhole: boolean
}

/** The scopes in what is given to `defineApp`. */
export function readDeclaredScopes(source: Source, argument: ts.Expression): OwnScopes {
  const value = propertyNamed(source, writtenAt(source, argument), 'scopes')
  if (value === null || isUndefined(value)) return { scopes: [], areScopesWhole: true }
  const properties = writtenProperties(source, value)
  if ('unreadable' in properties) {
    refuse(source, properties.unreadable, 'the scopes')
    return { scopes: [], areScopesWhole: false }
  }
  return { scopes: properties.map((property) => readScope(source, property)), areScopesWhole: true }
}

function readScope(source: Source, { name, key, value }: WrittenProperty): DeclaredScope {
  const at = placeOfNode(source, key)
  const plain = { name, implies: [], sensitive: false, hasMayHave: false, at }
  const text = writtenText(source, value)
  if (text !== null) return { ...plain, text }
  const fields = writtenProperties(source, value)
  if ('unreadable' in fields) {
    refuse(source, fields.unreadable, `the scope ${name}`)
    return { ...plain, text: '' }
  }
  const field = (wanted: string): Written | null => {
    const found = fields.find((property) => property.name === wanted)?.value ?? null
    return found === null || isUndefined(found) ? null : found
  }
  return {
    ...plain,
    text: readText(source, name, field('text') ?? value),
    implies: readImplied(source, name, field('implies')),
    sensitive: readSensitive(source, name, field('sensitive')),
    hasMayHave: field('mayHave') !== null,
  }
}

function readText(source: Source, scope: string, value: Written): string {
  const text = writtenText(source, value)
  if (text === null) refuse(source, value.node, `the text of the scope ${scope}`)
  return text ?? ''
}

function readSensitive(source: Source, scope: string, value: Written | null): boolean {
  const flag = value === null ? false : writtenFlag(source, value)
  if (flag === null && value !== null) refuse(source, value.node, `whether the scope ${scope} is sensitive`)
  return flag ?? false
}

function readImplied(source: Source, scope: string, value: Written | null): readonly ScopeName[] {
  if (value === null) return []
  const items = writtenItems(source, value)
  if (items === null) refuse(source, value.node, `what the scope ${scope} implies`)
  return (items ?? []).flatMap((item) => {
    const name = writtenText(source, item)
    if (name !== null) return [{ name, at: placeOfNode(source, item.node) }]
    refuse(source, item.node, `what the scope ${scope} implies`)
    return []
  })
}

const refuse = (source: Source, node: ts.Node, what: string): void =>
  source.report(scopeUnreadable(placeOfNode(source, node), what))
