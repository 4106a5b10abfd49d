/** The paths of `@base` and of routes: `/` and segments; `:id` required, `?:id` optional, `*:rest` the rest. */

import type { Source } from '../program/program.ts'
import { refuse, type Tag } from './tag.ts'

/** Source: RFC 3986, 3.3: unreserved characters, and what is percent-encoded. */
const literal = /^(?:[\w\-.~]|%[\dA-Fa-f]{2})+$/
const variable = /^(\?|\*)?:([A-Za-z_]\w*)$/

/** The path of `tag`, in the one form of RFC 3986, 6.2.2: characters that need no encoding have none, hex digits are upper case. Null
 *  after a report. A base path takes required variables only. */
export function readPath(source: Source, tag: Tag, kind: 'base' | 'route'): string | null {
  const problem = problemOf(tag.text, kind)
  if (problem === null) return tag.text.replace(/%../g, normalized)
  refuse(source, tag, problem, 'Write a path such as /items/:id and nothing after it.')
  return null
}

function normalized(encoded: string): string {
  const character = decodeOctet(encoded)
  return /^[\w\-.~]$/.test(character) ? character : encoded.toUpperCase()
}

function problemOf(path: string, kind: 'base' | 'route'): string | null {
  if (!path.startsWith('/')) return `'${path}' is not a path`
  const wrong = /%(?![\dA-Fa-f]{2}).{0,2}/.exec(path)
  if (wrong !== null) return `'${path}' has '${wrong[0]}', which encodes nothing`
  const unmatched = [...path.matchAll(/%[\dA-Fa-f]{2}/g)].find(([octet]) =>
    reserved.test(decodeOctet(octet)),
  )?.[0]
  if (unmatched !== undefined)
    return `'${path}' has '${unmatched}', and no router compares an encoded '${decodeOctet(unmatched)}'`
  if (!isText(path)) return `'${path}' encodes what is no text of UTF-8`
  const segments = path.slice(1).replace(/\/$/, '').split('/')
  const odd = path === '/' ? undefined : segments.find((item) => !literal.test(item) && !variable.test(item))
  if (odd !== undefined) return problemOfSegment(path, odd)
  const step = segments.find((segment) => /^\.{1,2}$/.test(segment.replace(/%2e/gi, '.')))
  if (step !== undefined) return `'${path}' has the segment '${step}', which clients take out`
  const variables = segments.flatMap((segment) => {
    const [, mark = '', name = ''] = variable.exec(segment) ?? []
    return name === '' ? [] : [{ mark, name, isLast: segment === segments.at(-1) }]
  })
  return problemOfVariables(variables, kind)
}

/** `:größe`, and characters that addresses do not have as they are. */
function problemOfSegment(path: string, segment: string): string {
  const [, name] = /^[?*]?:([\p{ID_Start}$_][\p{ID_Continue}$]*)$/u.exec(segment) ?? []
  if (name !== undefined)
    return `the variable '${name}' is not of the letters A to Z, digits and _: write :id, and take it as ${name}: Named<'id', …>`
  const [character] = /^[?*]?:/.test(segment) ? [] : (/[^\w\-.~%\s:?*{}()]/u.exec(segment) ?? [])
  if (character === undefined || reserved.test(character)) return `'${path}' is not a path`
  const bytes = [...new TextEncoder().encode(character)]
  const written = bytes.map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('')
  return `'${path}' is not a path: write '${character}' as ${written}`
}

/** Delimiters: a router leaves them encoded in what is asked for, or reads a star as the rest of a path. */
// Source: RFC 3986, 2.2; find-my-way, lib/url-sanitizer.js
const reserved = /^[#$&+,/:;=?@*]$/

const decodeOctet = (octet: string): string => String.fromCharCode(Number.parseInt(octet.slice(1), 16))

function isText(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

interface Variable {
  readonly mark: string
  readonly name: string
  readonly isLast: boolean
}

function problemOfVariables(variables: readonly Variable[], kind: 'base' | 'route'): string | null {
  if (kind === 'base' && variables.some(({ mark }) => mark !== '')) return 'a base path takes :name only'
  if (variables.some(({ mark, isLast }) => mark === '*' && !isLast))
    return 'the rest must be the last segment'
  const twice = variables.find(({ name }, index) => variables.findIndex((item) => item.name === name) < index)
  return twice === undefined ? null : `the path has ${twice.name} twice`
}
