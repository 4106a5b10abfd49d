/** The paths of `@base` and of routes: `/` and segments; `:id` required, `?:id` optional, `*:rest` the rest. */

import type { Source } from '../program/program.ts'
import { refuse, type Tag } from './tag.ts'

const literal = /^[\w\-.~%]+$/
const variable = /^(\?|\*)?:([A-Za-z_]\w*)$/

/** The path of `tag`, as written; null after a report. A base path takes required variables only. */
export function readPath(source: Source, tag: Tag, kind: 'base' | 'route'): string | null {
  const problem = problemOf(tag.text, kind)
  if (problem === null) return tag.text
  refuse(source, tag, problem, 'Write a path such as /items/:id and nothing after it.')
  return null
}

function problemOf(path: string, kind: 'base' | 'route'): string | null {
  if (!path.startsWith('/')) return `'${path}' is not a path`
  const segments = path.slice(1).replace(/\/$/, '').split('/')
  if (path !== '/' && !segments.every((segment) => literal.test(segment) || variable.test(segment))) {
    return `'${path}' is not a path`
  }
  const variables = segments.flatMap((segment) => {
    const [, mark = '', name = ''] = variable.exec(segment) ?? []
    return name === '' ? [] : [{ mark, name, isLast: segment === segments.at(-1) }]
  })
  return problemOfVariables(variables, kind)
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
