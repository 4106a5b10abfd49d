/** TypeScript, as ts-morph brings it, without ts-morph's wrappers around it. Loaded by `require`: an `import` would first
 *  search the nine megabytes for the names of exports. */
import { createRequire } from 'node:module'
import type { ts as TypeScript } from '@ts-morph/common'

interface Common {
  readonly ts: typeof TypeScript
  readonly getLibFiles: () => readonly { readonly fileName: string; readonly text: string }[]
}

const require = createRequire(import.meta.url)
const common: Common = createRequire(require.resolve('ts-morph'))('@ts-morph/common')

/** The compiler's own interface. */
export const ts: typeof TypeScript = common.ts

/** The texts of the standard library by file name, such as `lib.es2023.d.ts`. */
export function libraryTexts(): ReadonlyMap<string, string> {
  return new Map(common.getLibFiles().map(({ fileName, text }) => [fileName, text]))
}

/** The types of that interface which the readers name. */
export declare namespace ts {
  type ArrayLiteralExpression = TypeScript.ArrayLiteralExpression
  type ArrowFunction = TypeScript.ArrowFunction
  type BinaryExpression = TypeScript.BinaryExpression
  type BindingElement = TypeScript.BindingElement
  type Block = TypeScript.Block
  type CallExpression = TypeScript.CallExpression
  type ClassDeclaration = TypeScript.ClassDeclaration
  type ClassElement = TypeScript.ClassElement
  type ClassLikeDeclaration = TypeScript.ClassLikeDeclaration
  type CompilerHost = TypeScript.CompilerHost
  type CompilerOptions = TypeScript.CompilerOptions
  type CreateSourceFileOptions = TypeScript.CreateSourceFileOptions
  type Declaration = TypeScript.Declaration
  type Decorator = TypeScript.Decorator
  type Diagnostic = TypeScript.Diagnostic
  type ElementAccessExpression = TypeScript.ElementAccessExpression
  type ElementFlags = TypeScript.ElementFlags
  type EntityName = TypeScript.EntityName
  type EnumDeclaration = TypeScript.EnumDeclaration
  type ExportDeclaration = TypeScript.ExportDeclaration
  type Expression = TypeScript.Expression
  type ExternalModuleReference = TypeScript.ExternalModuleReference
  type ExpressionWithTypeArguments = TypeScript.ExpressionWithTypeArguments
  type ForInitializer = TypeScript.ForInitializer
  type FunctionExpression = TypeScript.FunctionExpression
  type HasDecorators = TypeScript.HasDecorators
  type Identifier = TypeScript.Identifier
  type ImportClause = TypeScript.ImportClause
  type ImportDeclaration = TypeScript.ImportDeclaration
  type ImportEqualsDeclaration = TypeScript.ImportEqualsDeclaration
  type ImportOrExportSpecifier = TypeScript.ImportOrExportSpecifier
  type ImportSpecifier = TypeScript.ImportSpecifier
  type IndexedAccessTypeNode = TypeScript.IndexedAccessTypeNode
  type IndexInfo = TypeScript.IndexInfo
  type IndexType = TypeScript.IndexType
  type InterfaceDeclaration = TypeScript.InterfaceDeclaration
  type IntersectionType = TypeScript.IntersectionType
  type JSDoc = TypeScript.JSDoc
  type JSDocTag = TypeScript.JSDocTag
  type JSDocTypeExpression = TypeScript.JSDocTypeExpression
  type JsonSourceFile = TypeScript.JsonSourceFile
  type LiteralType = TypeScript.LiteralType
  type MappedTypeNode = TypeScript.MappedTypeNode
  type MethodDeclaration = TypeScript.MethodDeclaration
  type ModifierFlags = TypeScript.ModifierFlags
  type ModuleDeclaration = TypeScript.ModuleDeclaration
  type ModuleResolutionHost = TypeScript.ModuleResolutionHost
  type NamedDeclaration = TypeScript.NamedDeclaration
  type NewExpression = TypeScript.NewExpression
  type Node = TypeScript.Node
  type ObjectLiteralElementLike = TypeScript.ObjectLiteralElementLike
  type ObjectLiteralExpression = TypeScript.ObjectLiteralExpression
  type ObjectType = TypeScript.ObjectType
  type ParameterDeclaration = TypeScript.ParameterDeclaration
  type ParseConfigHost = TypeScript.ParseConfigHost
  type ParsedCommandLine = TypeScript.ParsedCommandLine
  type PrefixUnaryOperator = TypeScript.PrefixUnaryOperator
  type Program = TypeScript.Program
  type PropertyAccessExpression = TypeScript.PropertyAccessExpression
  type PropertyDeclaration = TypeScript.PropertyDeclaration
  type PropertyName = TypeScript.PropertyName
  type ScriptTarget = TypeScript.ScriptTarget
  type Signature = TypeScript.Signature
  type SourceFile = TypeScript.SourceFile
  type SpreadAssignment = TypeScript.SpreadAssignment
  type Statement = TypeScript.Statement
  type StringLiteral = TypeScript.StringLiteral
  type StringLiteralLike = TypeScript.StringLiteralLike
  type StringMappingType = TypeScript.StringMappingType
  type SubstitutionType = TypeScript.SubstitutionType
  type Symbol = TypeScript.Symbol
  type SymbolDisplayPart = TypeScript.SymbolDisplayPart
  type SymbolFlags = TypeScript.SymbolFlags
  type SyntaxKind = TypeScript.SyntaxKind
  type TemplateLiteralType = TypeScript.TemplateLiteralType
  type TupleTypeNode = TypeScript.TupleTypeNode
  type TupleTypeReference = TypeScript.TupleTypeReference
  type Type = TypeScript.Type
  type TypeAliasDeclaration = TypeScript.TypeAliasDeclaration
  type TypeChecker = TypeScript.TypeChecker
  type TypeFlags = TypeScript.TypeFlags
  type TypeFormatFlags = TypeScript.TypeFormatFlags
  type TypeLiteralNode = TypeScript.TypeLiteralNode
  type TypeNode = TypeScript.TypeNode
  type TypeQueryNode = TypeScript.TypeQueryNode
  type TypeParameter = TypeScript.TypeParameter
  type TypeReference = TypeScript.TypeReference
  type TypeReferenceNode = TypeScript.TypeReferenceNode
  type UnionOrIntersectionType = TypeScript.UnionOrIntersectionType
  type UnionType = TypeScript.UnionType
  type UnionTypeNode = TypeScript.UnionTypeNode
  type VariableDeclaration = TypeScript.VariableDeclaration
}
