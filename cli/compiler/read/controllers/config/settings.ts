/** Settings that there are not, in what `app/config.ts` gives to `defineApp`. TypeScript lets them pass, because the type of
 *  that argument is what is written there, and the boot refuses them. The names are those of the type `AppConfig`. */

import { configNotNamed } from '../../../diagnostics/config-diagnostics.ts'
import { didYouMean } from '../../../diagnostics/similar-names.ts'
import { settingUnknown } from '../../../diagnostics/source-diagnostics.ts'
import { followAlias, placeOfNode, type Source, symbolAt } from '../../program/program.ts'
import { ts } from '../../program/typescript.ts'
import { defineAppArgument, readArgument } from './app-config.ts'

/** Reports every name that the type of the configuration does not have, in its literals, nested ones too. What is neither a
 *  literal nor a constant that is one says nothing. */
export function reportUnknownSettings(source: Source): void {
  const file = source.wanted.find(({ fileName }) => fileName === `${source.host.root}/app/config.ts`)
  if (file !== undefined) reportUnnamedConfig(source, file)
  const config = source.publicSurface.get('AppConfig')
  const argument = file === undefined ? null : defineAppArgument(source, file)
  if (argument === null || config === undefined) return
  const whole = source.checker.getDeclaredTypeOfSymbol(config)
  const judging = { source, whole, home: runtimeOf(config) }
  readArgument(source, argument, () => judge(judging, argument, { path: 'config', type: whole }), undefined)
}

/** Only the name `config` is looked for: a default export stands under none. */
function reportUnnamedConfig(source: Source, file: ts.SourceFile): void {
  const { checker } = source
  const symbol = checker.getSymbolAtLocation(file)
  const names = symbol === undefined ? [] : checker.getExportsOfModule(symbol).map(({ name }) => name)
  if (names.includes('config')) return
  const token = file.statements.find(isDefaultExport) ?? defineAppArgument(source, file)?.parent ?? file
  source.report(configNotNamed(placeOfNode(source, token)))
}

const isDefaultExport = (statement: ts.Statement): boolean => ts.isExportAssignment(statement)

interface Judge {
  readonly source: Source
  /** The type of the whole configuration. */
  readonly whole: ts.Type
  /** The folder that declares it: of types from elsewhere nothing is said. */
  readonly home: string
}

interface Place {
  readonly path: string
  readonly type: ts.Type
}

function judge(judging: Judge, written: ts.Expression, { path, type }: Place): void {
  const { source } = judging
  for (const property of literalOf(source, written)?.properties ?? []) {
    const token = property.name
    if (token === undefined || !(ts.isIdentifier(token) || ts.isStringLiteral(token))) continue
    const name = token.text
    const inner = typeUnder(judging, type, name)
    const value = writtenUnder(property)
    if (inner !== null && value !== null) judge(judging, value, { path: `${path}.${name}`, type: inner })
    if (inner !== null || !isJudged(judging, type)) continue
    source.report(settingUnknown(placeOfNode(source, token), path, name, cureFor(judging, type, name)))
  }
}

/** The type of what stands under `name`; null where there is no such name. */
function typeUnder({ source: { checker } }: Judge, type: ts.Type, name: string): ts.Type | null {
  const property = checker.getPropertyOfType(type, name)
  const inner = property === undefined ? type.getStringIndexType() : checker.getTypeOfSymbol(property)
  return inner === undefined ? null : checker.getNonNullableType(inner)
}

/** Whether all names of the type are known: it has some, and `acmcp` declares them. What has methods (a migration) is an object
 *  of the application's own. */
function isJudged({ source: { checker }, home }: Judge, type: ts.Type): boolean {
  const properties = checker.getPropertiesOfType(type)
  const isSetting = (item: ts.Symbol): boolean =>
    (item.flags & ts.SymbolFlags.Method) === 0 && fileOf(item).startsWith(home)
  return properties.length > 0 && properties.every(isSetting)
}

const fileOf = ({ declarations = [] }: ts.Symbol): string => declarations[0]?.getSourceFile().fileName ?? ''

/** `AppConfig` stands in a room of it, the types it names in others. */
const runtimeOf = (config: ts.Symbol): string => fileOf(config).replace(/[^/]*\/[^/]*$/, '')

/** The name that was meant, in this place or in another, or those that there are. */
function cureFor(judging: Judge, type: ts.Type, name: string): string {
  const { source, whole } = judging
  const namesIn = (item: ts.Type): readonly string[] =>
    isJudged(judging, item) ? source.checker.getPropertiesOfType(item).map((property) => property.name) : []
  const holder = namesIn(whole).find((text) => {
    const inner = typeUnder(judging, whole, text)
    return inner !== null && namesIn(inner).includes(name)
  })
  if (namesIn(whole).includes(name)) return `Move it: the setting is config.${name}.`
  if (holder !== undefined) return `Move it: the setting is config.${holder}.${name}.`
  const names = namesIn(type)
  return didYouMean(name, names).trim() || `Remove it. There are: ${[...names].sort().join(', ')}.`
}

function writtenUnder(property: ts.Node): ts.Expression | null {
  if (ts.isPropertyAssignment(property)) return property.initializer
  return ts.isShorthandPropertyAssignment(property) ? property.name : null
}

/** The literal that stands here, or is that of a constant of the application. */
function literalOf(source: Source, written: ts.Expression): ts.ObjectLiteralExpression | null {
  const plain = bare(written)
  if (!ts.isIdentifier(plain)) return ts.isObjectLiteralExpression(plain) ? plain : null
  const declaration = declarationOf(source, plain)
  const isConstant =
    declaration !== undefined &&
    ts.isVariableDeclaration(declaration) &&
    ts.isVariableDeclarationList(declaration.parent) &&
    (declaration.parent.flags & ts.NodeFlags.Const) !== 0 &&
    source.isOwn(declaration.getSourceFile())
  const value = isConstant && declaration.initializer !== undefined ? bare(declaration.initializer) : null
  return value !== null && ts.isObjectLiteralExpression(value) ? value : null
}

function declarationOf(source: Source, name: ts.Node): ts.Declaration | undefined {
  if (!ts.isShorthandPropertyAssignment(name.parent)) return symbolAt(source, name)?.valueDeclaration
  const symbol = source.checker.getShorthandAssignmentValueSymbol(name.parent)
  return symbol === undefined ? undefined : followAlias(source.checker, symbol).valueDeclaration
}

/** Without parentheses, `as` and `satisfies`. */
function bare(written: ts.Expression): ts.Expression {
  const isAround =
    ts.isParenthesizedExpression(written) || ts.isAsExpression(written) || ts.isSatisfiesExpression(written)
  return isAround ? bare(written.expression) : written
}
