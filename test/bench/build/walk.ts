/** The floor of a build: TypeScript 6 alone parses the application and looks at every type that a route reaches, to the
 *  bottom, with its doc tags. It builds no schema and prints nothing. Argument: the application's folder. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type ts from 'typescript'

/** By `require`: an `import` would search nine megabytes for the names of exports, which flatters whoever does not. */
const compiler: typeof ts = createRequire(import.meta.url)('typescript')
const root = process.argv[2] ?? '.'
const settings = compiler.parseJsonConfigFileContent(
  compiler.readConfigFile(join(root, 'tsconfig.json'), compiler.sys.readFile).config,
  compiler.sys,
  root,
)
const program = compiler.createProgram({ rootNames: settings.fileNames, options: settings.options })
const checker = program.getTypeChecker()
const seen = new Set<ts.Type>()

for (const file of program.getSourceFiles()) {
  if (!file.fileName.includes('/app/controllers/')) continue
  compiler.forEachChild(file, (node) => {
    if (compiler.isClassDeclaration(node)) walkClass(node)
  })
}
process.stdout.write(`${seen.size} types\n`)

function walkClass(node: ts.ClassDeclaration): void {
  compiler.getJSDocTags(node)
  for (const member of node.members) {
    if (!compiler.isMethodDeclaration(member)) continue
    for (const tag of compiler.getJSDocTags(member)) compiler.getTextOfJSDocComment(tag.comment)
    const signature = checker.getSignatureFromDeclaration(member)
    if (signature === undefined) continue
    for (const parameter of signature.parameters) {
      walkType(checker.getTypeOfSymbolAtLocation(parameter, member), member)
    }
    walkType(signature.getReturnType(), member)
  }
}

function walkType(type: ts.Type, at: ts.Node): void {
  if (seen.has(type)) return
  seen.add(type)
  if (type.isUnionOrIntersection()) {
    for (const member of type.types) walkType(member, at)
    return
  }
  for (const argument of type.aliasTypeArguments ?? []) walkType(argument, at)
  if (!(type.flags & compiler.TypeFlags.Object)) return
  if (checker.isArrayType(type) || checker.isTupleType(type) || isLibrary(type)) {
    for (const argument of checker.getTypeArguments(type as ts.TypeReference)) walkType(argument, at) // arrays and promises are references
    return
  }
  for (const property of checker.getPropertiesOfType(type)) {
    property.getDocumentationComment(checker)
    property.getJsDocTags(checker)
    walkType(checker.getTypeOfSymbolAtLocation(property, at), at)
  }
}

function isLibrary(type: ts.Type): boolean {
  const file = type.symbol?.declarations?.[0]?.getSourceFile()
  return file !== undefined && program.isSourceFileDefaultLibrary(file)
}
