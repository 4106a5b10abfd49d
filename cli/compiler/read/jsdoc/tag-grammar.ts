/** The grammar of the tags: text after the tag's name → records. One line, positional value, then `key=value`. */

import { didYouMean } from '../../diagnostics/similar-names.ts'
import { badStatus } from '../../diagnostics/source-diagnostics.ts'
import type { Verb } from '../../ir/model.ts'
import type {
  DeclaredException,
  DeclaredFilter,
  DeclaredRoute,
  DeclaredSkip,
  DeclaredTls,
  MethodSelector,
} from '../../ir/source-model.ts'
import type { Source } from '../program/program.ts'
import type { ts } from '../program/typescript.ts'
import { readPath } from './route-path.ts'
import { refuse, refuseWord, type Tag, words } from './tag.ts'

const verbs = new Map<string, Verb>([
  ['websocket', 'GET'],
  ['get', 'GET'],
  ['post', 'POST'],
  ['put', 'PUT'],
  ['patch', 'PATCH'],
  ['delete', 'DELETE'],
  ['options', 'OPTIONS'],
])

/** The routes of a method, in the order written. */
export function readRoutes(source: Source, tags: readonly Tag[]): readonly DeclaredRoute[] {
  return tags.flatMap((tag) => {
    const verb = verbs.get(tag.name)
    const path = verb === undefined ? null : readPath(source, tag, 'route')
    const websocket = tag.name === 'websocket'
    return verb === undefined || path === null ? [] : [{ verb, websocket, path, at: tag.at }]
  })
}

/** `before|around|after [only=a,b] [except=c]` */
export function readFilter(source: Source, tags: readonly Tag[]): DeclaredFilter | null {
  const tag = tags.find(({ name }) => name === 'filter')
  if (tag === undefined) return null
  const [when = '', ...options] = words(tag.text)
  const selector = readSelector(source, tag, options)
  if (when === 'before' || when === 'around' || when === 'after') return { when, ...selector, at: tag.at }
  const meant = didYouMean(when, ['before', 'around', 'after'])
  refuseWord(source, tag, when, [
    `'${when}' is not a kind of filter`,
    `Write before, around or after.${meant}`,
  ])
  return null
}

/** `name [only=a,b] [except=c]` */
export function readSkip(source: Source, tag: Tag, depth: number): DeclaredSkip {
  const [filter = '', ...options] = words(tag.text)
  if (filter === '') refuse(source, tag, 'names no filter', 'Write the name of the inherited filter.')
  return { filter, depth, ...readSelector(source, tag, options), at: tag.at }
}

/** `[only=a,b] [except=c]` */
export function readTls(source: Source, tag: Tag): DeclaredTls {
  return { ...readSelector(source, tag, words(tag.text)), at: tag.at }
}

function readSelector(source: Source, tag: Tag, options: readonly string[]): MethodSelector {
  let selector: MethodSelector = { only: null, except: [] }
  for (const option of options) {
    const [key, list] = option.split('=')
    const names = (list ?? '').split(',').filter((name) => name !== '')
    if (key === 'only' && names.length > 0 && selector.only === null) selector = { ...selector, only: names }
    else if (key === 'except' && names.length > 0)
      selector = { ...selector, except: [...selector.except, ...names] }
    else {
      const meant = didYouMean(key ?? '', ['only', 'except'])
      const hint = `Write only=a,b or except=c, without blanks.${meant}`
      refuseWord(source, tag, option, [`cannot read '${option}'`, hint])
    }
  }
  return selector
}

/** `[status|default] [type=mime]` of every `@exception`; classes are resolved by `resolve`. */
export function readExceptions(
  source: Source,
  tags: readonly Tag[],
  resolve: (type: ts.TypeNode, tag: Tag) => Omit<DeclaredException, 'status' | 'contentType' | 'at'> | null,
): readonly DeclaredException[] {
  return tags
    .filter(({ name }) => name === 'exception')
    .flatMap((tag) => {
      if (tag.type === null || tag.typeText === '') {
        refuse(source, tag, 'names no class', 'Write the class in braces: @exception {NotFound} 404')
        return []
      }
      const error = resolve(tag.type, tag)
      const options = readExceptionOptions(source, tag)
      return error === null ? [] : [{ ...error, ...options, at: tag.at }]
    })
}

function readExceptionOptions(source: Source, tag: Tag): Pick<DeclaredException, 'status' | 'contentType'> {
  let status: DeclaredException['status'] = null
  let contentType: string | null = null
  for (const word of words(tag.text)) {
    if (word.startsWith('type=')) contentType = word.slice('type='.length)
    else if (status === null) status = word === 'default' ? word : readStatus(source, tag, word)
    else refuseWord(source, tag, word, [`cannot read '${word}'`, 'Write one status or default, then type=…'])
  }
  return { status, contentType }
}

/** A status from 200 to 599; anything else is reported and null. */
export function readStatus(source: Source, tag: Tag, text: string): number | null {
  if (/^[2-5]\d\d$/.test(text)) return Number(text)
  source.report(badStatus(tag.at, tag.name, text))
  return null
}
