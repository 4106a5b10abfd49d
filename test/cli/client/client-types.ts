/** Printed clients under every setting of TypeScript that a stranger may have. */
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { sourceFilesBy } from '../support/type-check.ts'

/** Those that say more, and none that says less. */
export const strictest = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  noImplicitReturns: true,
  noImplicitOverride: true,
  noFallthroughCasesInSwitch: true,
  isolatedDeclarations: true,
  declaration: true,
  verbatimModuleSyntax: true,
  erasableSyntaxOnly: true,
  noEmit: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
  target: 'es2022',
  module: 'nodenext',
  moduleResolution: 'nodenext',
}

/** Nothing is strict, and whatever has no type is an error: what is `null` has none then. */
export const loosest: object = {
  ...strictest,
  strict: false,
  noImplicitAny: true,
  exactOptionalPropertyTypes: false,
  isolatedDeclarations: false,
}

/** A browser, and Node alone. */
export const places = {
  browser: { lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'], types: [] },
  node: { lib: ['es2022'], types: ['node'] },
} as const

export type Place = keyof typeof places

/** What the installed TypeScript makes of these files. */
export function programOf(place: Place, files: readonly string[], base: object = strictest): ts.Program {
  const settings = { ...base, ...places[place], typeRoots: [join(process.cwd(), 'node_modules/@types')] }
  const { options, errors } = ts.convertCompilerOptionsFromJson(settings, dirname(files[0] ?? ''))
  if (errors.length > 0) throw new Error(textOf(errors))
  const host = ts.createCompilerHost(options)
  host.getSourceFile = sourceFilesBy(options, host.readFile)
  return ts.createProgram({ rootNames: files, options, host })
}

export const errorsOf = (program: ts.Program): string =>
  textOf([...ts.getPreEmitDiagnostics(program), ...program.getDeclarationDiagnostics()])

const textOf = (diagnostics: readonly ts.Diagnostic[]): string =>
  ts.formatDiagnostics(diagnostics, {
    getCurrentDirectory: ts.sys.getCurrentDirectory,
    getCanonicalFileName: (path) => path,
    getNewLine: () => '\n',
  })

/** Where `any` stands in what `file` exports: the path to it. What the library declares is not looked into. */
export function anysIn(program: ts.Program, file: string): readonly string[] {
  const source = program.getSourceFile(file)
  const checker = program.getTypeChecker()
  const module = source && checker.getSymbolAtLocation(source)
  if (source === undefined || module === undefined) throw new Error(`${file} is no module`)
  const seen = new Set<ts.Type>()
  const found: string[] = []
  const isOwn = (type: ts.Type): boolean =>
    type.symbol === undefined ||
    (type.symbol.declarations ?? []).some((declaration) => declaration.getSourceFile() === source)
  const walk = (type: ts.Type, path: string): void => {
    if (type.flags & ts.TypeFlags.Any) found.push(path)
    if (seen.has(type)) return
    seen.add(type)
    if (type.isUnionOrIntersection()) for (const item of type.types) walk(item, path)
    for (const argument of [...(type.aliasTypeArguments ?? []), ...argumentsOf(checker, type)])
      walk(argument, `${path}<>`)
    if (!isOwn(type) || checker.isTupleType(type)) return
    for (const property of type.getProperties())
      walk(checker.getTypeOfSymbolAtLocation(property, source), `${path}.${property.name}`)
    for (const { type: item } of checker.getIndexInfosOfType(type)) walk(item, `${path}[]`)
    for (const signature of [...type.getCallSignatures(), ...type.getConstructSignatures()]) {
      walk(signature.getReturnType(), `${path}()`)
      for (const provided of signature.getParameters())
        walk(checker.getTypeOfSymbolAtLocation(provided, source), `${path}(${provided.name})`)
    }
  }
  for (const symbol of checker.getExportsOfModule(module)) {
    walk(checker.getDeclaredTypeOfSymbol(symbol), symbol.name)
    if (symbol.flags & ts.SymbolFlags.Value)
      walk(checker.getTypeOfSymbolAtLocation(symbol, source), symbol.name)
  }
  return found.filter((path) => path !== 'createClient' && path !== 'dataOf') // they declare no type
}

/** The first: what else the library's own types have, it fills in. */
const argumentsOf = (checker: ts.TypeChecker, type: ts.Type): readonly ts.Type[] =>
  type.flags & ts.TypeFlags.Object && (type as ts.ObjectType).objectFlags & ts.ObjectFlags.Reference
    ? checker
        .getTypeArguments(type as ts.TypeReference)
        .slice(0, type.symbol?.name === 'AsyncIterable' ? 1 : 9) // the flag says that it is one
    : []
