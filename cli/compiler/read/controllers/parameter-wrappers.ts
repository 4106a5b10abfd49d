/** `Body<T>`, `Header<Name, T>`, `Cookie<Name, T>`, `Named<Name, T>` and `Elicited<T>` around a parameter's type. What `Checked<S>`
 *  says is in `checked.ts`: its type is that of the output. */

import type { DeclaredParam } from '../../ir/source-model.ts'
import { wrapperNames } from '../language.ts'
import { publicName, type Source, symbolAt } from '../program/program.ts'
import { ts } from '../program/typescript.ts'

interface Unwrapped {
  readonly from: DeclaredParam['from']
  readonly wireName: string | null
  /** What is wrong with the name; null = nothing. */
  readonly badName: string | null
  readonly isElicited: boolean
  readonly type: ts.Type
}

const nowhere: Omit<Unwrapped, 'type'> = { from: null, wireName: null, badName: null, isElicited: false }

/** By name, what each says about where the value is read. */
export const wrappers: ReadonlyMap<string, DeclaredParam['from']> = new Map(Object.entries(wrapperNames))

/** What stands inside the wrappers of a parameter, from the outside in. */
export function unwrap(source: Source, type: ts.Type, node: ts.TypeNode | undefined): Unwrapped {
  const found = byAlias(source, type) ?? byNode(source, node)
  if (found === null) return { ...nowhere, type }
  const inner = unwrap(source, found.type, undefined)
  return {
    from: found.from ?? inner.from,
    wireName: found.wireName ?? inner.wireName,
    badName: found.badName ?? inner.badName,
    isElicited: found.isElicited || inner.isElicited,
    type: inner.type,
  }
}

function byAlias(source: Source, type: ts.Type): Unwrapped | null {
  const definite = type.aliasSymbol === undefined ? source.checker.getNonNullableType(type) : type
  const name = publicName(source, definite.aliasSymbol)
  const typeArguments = definite.aliasTypeArguments
  if (name === null || typeArguments === undefined || !wrappers.has(name)) return null
  return unwrapped(source, name, typeArguments)
}

/** Alias names are lost in some unions; then the annotation still shows the wrapper. */
function byNode(source: Source, node: ts.TypeNode | undefined): Unwrapped | null {
  if (node === undefined) return null
  if (ts.isUnionTypeNode(node)) {
    return node.types.map((member) => byNode(source, member)).find((found) => found !== null) ?? null
  }
  if (!ts.isTypeReferenceNode(node)) return null
  const name = publicName(source, symbolAt(source, node.typeName))
  if (name === null || !wrappers.has(name)) return null
  const typeArguments = (node.typeArguments ?? []).map((argument) =>
    source.checker.getTypeFromTypeNode(argument),
  )
  return unwrapped(source, name, typeArguments)
}

function unwrapped({ checker }: Source, name: string, [first, second]: readonly ts.Type[]): Unwrapped | null {
  if (first === undefined || name === 'Checked') return null
  if (name === 'Body') return { ...nowhere, from: 'body', type: first }
  if (name === 'Elicited') return { ...nowhere, isElicited: true, type: first }
  const wireName = first.isStringLiteral() ? first.value : null
  const from = wrappers.get(name) ?? null
  const badName = badNameOf(name, from, wireName)
  return { ...nowhere, from, wireName, badName, type: second ?? checker.getStringType() }
}

/** Source: RFC 9110, 5.6.2; RFC 6265, 4.1.1. */
const token = /^[\w!#$%&'*+.^`|~-]+$/

function badNameOf(wrapper: string, from: DeclaredParam['from'], name: string | null): string | null {
  if (name === null) return `the name in ${wrapper}<…> is not written out`
  if (from !== 'header' && from !== 'cookie') return null
  return token.test(name) ? null : `no ${from} can be called '${name}'`
}
