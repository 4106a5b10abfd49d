/** What a source says that a bundle cannot keep. One function a diagnostic. */
import type { At } from '../ir/schema.ts'
import { type Diagnostic, error } from './source-diagnostics.ts'

export const importUnknown = (at: At): Diagnostic =>
  error('ACM331', at, [
    'import() of a name that only the running program knows: the bundle has no module by that name',
    "For sources write the folder and the extension: import('./folder/' + name + '.ts'). For a package: import(import.meta.resolve(name)). For a file that Node.js loads by itself: import(pathToFileURL(path).href).",
  ])

export const programByPath = (at: At, path: string, written: string): Diagnostic =>
  error('ACM332', at, [
    `'${path}' is TypeScript, and the program that it is to be is found by a path of the working directory`,
    `Write new URL('${written}', import.meta.url) here: then it is bundled as a program of its own.`,
  ])

export const metadataLost = (at: At, decorator: string): Diagnostic =>
  error('ACM333', at, [
    `"emitDecoratorMetadata" of tsconfig.json is on, but the bundle has no metadata for ${decorator}`,
    'Put these classes in a package of their own, compile it with tsc, and import it by its name: Node.js then loads what tsc wrote. Where no library reads the types of decorated members, take "emitDecoratorMetadata" out of tsconfig.json.',
  ])

export const typeAsValue = (at: At, name: string, specifier: string): Diagnostic =>
  error('ACM334', at, [
    `${name} is a type, but stands here as a value that Node.js looks for in '${specifier}'`,
    `Write type ${name}.`,
  ])

export const fileNotLoaded = (at: At, path: string): Diagnostic =>
  error('ACM335', at, [
    `'${path}' is no module that Node.js imports`,
    `Read it: readFileSync(new URL('${path}', import.meta.url)). A native module (.node) is loaded by createRequire(import.meta.url)('${path}'), of node:module.`,
  ])

export const commonJsName = (at: At, name: string): Diagnostic =>
  error('ACM336', at, [
    `${name} is of CommonJS: an ES module has none`,
    'Write import and export. A server is never the main module: what asks for that can go. Where a require is wanted: createRequire(import.meta.url) of node:module.',
  ])
