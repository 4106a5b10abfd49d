/** Which decorators keep a property out of answers, and out of what is taken: class-transformer's `@Exclude` and its like. */
// Source: decisions/compiler.md, Decorators of other libraries; class-transformer's README.
import { isProperty } from '../jsdoc/property-docs.ts'
import type { Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'
import { type Decorator, type DecoratorPart, decoratorsOf } from './decorators.ts'

/** Where a property must not stand. */
export interface Exclusion {
  /** Nowhere: it is neither answered nor taken. */
  readonly isWithheld: boolean
  /** In no answer. */
  readonly isWriteOnly: boolean
}

const nothing: Exclusion = { isWithheld: false, isWriteOnly: false }
const everywhere: Exclusion = { isWithheld: true, isWriteOnly: false }
const inAnswers: Exclusion = { isWithheld: false, isWriteOnly: true }

/** What the decorators of a property say, and those of the class around it. */
export function exclusionOf(source: Source, node: ts.Node): Exclusion {
  if (!isProperty(node)) return nothing
  const own = decoratorsOf(source, node)
  const around = ts.isParameter(node) ? node.parent.parent : node.parent
  return joined([...own.map(excludedBy), ...(isExposed(own) ? [] : [classExclusion(source, around)])])
}

/** What `@Exclude()` on a class says of the properties that have no `@Expose()`. */
export const classExclusion = (source: Source, node: ts.Node): Exclusion =>
  ts.isClassLike(node)
    ? joined(
        decoratorsOf(source, node)
          .flatMap((decorator) => [decorator, ...decorator.parts])
          .filter((part) => kindsOf(part).includes('exclude'))
          .map(exclusionIn),
      )
    : nothing

/** Whether a property has `@Expose()`, which lifts what its class says. */
export const exposes = (source: Source, node: ts.Node): boolean => isExposed(decoratorsOf(source, node))

const isExposed = (all: readonly Decorator[]): boolean => all.some((each) => kindsOf(each).includes('expose'))

export const joined = (all: readonly Exclusion[]): Exclusion => ({
  isWithheld: all.some(({ isWithheld }) => isWithheld),
  isWriteOnly: all.some(({ isWriteOnly }) => isWriteOnly),
})

/** Those of a function of the application count too. */
const excludedBy = (decorator: Decorator): Exclusion =>
  joined([decorator, ...decorator.parts].map(exclusionIn))

type Kind = 'exclude' | 'expose' | 'hide' | 'other'

const transformers = new Set(['class-transformer', '@nestjs/class-transformer'])
const hiding = new Map([
  ['ApiHideProperty', '@nestjs/swagger'],
  ['HideField', '@nestjs/graphql'],
])

/** A decorator called `Exclude` excludes, whichever library declares it. */
const kindsOf = ({ origins }: DecoratorPart): readonly Kind[] =>
  origins.map(({ package: from, name }) => {
    if (name === 'Exclude') return 'exclude'
    if (name === 'Expose' && from !== null && transformers.has(from)) return 'expose'
    return hiding.get(name) === from && from !== null ? 'hide' : 'other'
  })

function exclusionIn(part: DecoratorPart): Exclusion {
  const kinds = kindsOf(part)
  const [options] = part.arguments
  if (kinds.includes('hide')) return everywhere
  if (kinds.includes('exclude')) return excluded(options)
  if (kinds.includes('expose')) return has(options, 'groups') ? excluded(options) : nothing
  return part.arguments.some(isHiding) ? inAnswers : nothing
}

/** `toPlainOnly`: in answers alone; `toClassOnly`: not in answers. */
function excluded(options: ts.Expression | undefined): Exclusion {
  if (isTrue(options, 'toPlainOnly')) return isTrue(options, 'toClassOnly') ? everywhere : inAnswers
  return isTrue(options, 'toClassOnly') ? nothing : everywhere
}

/** What libraries of databases and documents call it: TypeORM, Mongoose, MikroORM, `@ApiProperty`. */
const isHiding = (options: ts.Expression): boolean =>
  isSaid(options, 'select', false) || isSaid(options, 'hidden', true) || isSaid(options, 'writeOnly', true)

const isTrue = (options: ts.Expression | undefined, name: string): boolean =>
  options !== undefined && isSaid(options, name, true)

const has = (options: ts.Expression | undefined, name: string): boolean =>
  options !== undefined && writtenValue(options, name) !== undefined

function isSaid(options: ts.Expression, name: string, value: boolean): boolean {
  const kind = writtenValue(options, name)?.kind
  return kind === (value ? ts.SyntaxKind.TrueKeyword : ts.SyntaxKind.FalseKeyword)
}

/** The value of a property of an object that is written in place. */
function writtenValue(options: ts.Expression, name: string): ts.Expression | undefined {
  if (!ts.isObjectLiteralExpression(options)) return undefined
  const property = options.properties.findLast(
    (item) => item.name?.getText().replace(/^['"]|['"]$/g, '') === name,
  )
  return property !== undefined && ts.isPropertyAssignment(property) ? property.initializer : undefined
}

const silent = new Set(['toPlainOnly', 'groups'])

/** How much of what a decorator says is read here: `exclusion` = that the property is kept out, and no more. */
export function readOf(decorator: Decorator): 'all' | 'exclusion' | 'nothing' {
  const { parts } = decorator
  const isMade = decorator.origins.every(({ package: from }) => from === null) && parts.length > 0
  if (isMade ? parts.every(isRead) : isRead(decorator)) return 'all'
  const { isWithheld, isWriteOnly } = excludedBy(decorator)
  return isWithheld || isWriteOnly ? 'exclusion' : 'nothing'
}

function isRead(decorator: DecoratorPart): boolean {
  const [options, second] = decorator.arguments
  const kinds = kindsOf(decorator)
  if (second !== undefined) return false
  if (kinds.includes('hide')) return options === undefined
  if (!kinds.includes('exclude') && !kinds.includes('expose')) return false
  if (options === undefined) return true
  return (
    ts.isObjectLiteralExpression(options) &&
    options.properties.every((item) => item.name !== undefined && silent.has(item.name.getText()))
  )
}
