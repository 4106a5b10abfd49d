/** The applications that pages of the documentation show, in folders of their own. */
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Block, Page, Stage } from './doc-pages.ts'

/** Makes `root/node_modules` as npm would for applications: `acmcp` itself, and what this repository has installed. */
export function linkPackages(root: string): void {
  const installed = join(process.cwd(), 'node_modules')
  mkdirSync(join(root, 'node_modules'), { recursive: true })
  for (const name of readdirSync(installed).filter((text) => !text.startsWith('.'))) {
    symlinkSync(join(installed, name), join(root, 'node_modules', name))
  }
  symlinkSync(process.cwd(), join(root, 'node_modules/acmcp'))
}

export function write(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

/** Those that the quick start recommends. */
export const compilerOptions = {
  module: 'nodenext',
  target: 'es2023',
  strict: true,
  skipLibCheck: true,
  noEmit: true,
  allowImportingTsExtensions: true,
  types: ['node'],
} as const

const defaults = {
  'package.json': '{"name":"shop","version":"1.2.3","license":"MIT","type":"module"}',
  'tsconfig.json': JSON.stringify({ compilerOptions, include: ['app', 'generated'] }),
  'app/config.ts': `import { defineApp } from 'acmcp'\n\nexport const config = defineApp({})\n`,
}

/** Files that the build writes are compared, not given to it. */
export const isGenerated = (path: string): boolean => path.startsWith('generated/')

/** Writes a stage to `folder`, with what every application has. */
export function writeStage(folder: string, { files, blocks }: Stage): void {
  const shown = Object.entries(files).filter(([path]) => !isGenerated(path))
  for (const [path, text] of Object.entries({ ...defaults, ...Object.fromEntries(shown) }))
    write(folder, path, text)
  blocks.filter(isMembers).forEach((block, index) => {
    write(folder, `app/controllers/sample-${index + 1}.ts`, controllerOf(block, index + 1))
  })
}

/** A sample of TypeScript that is no file of the page's application. */
export const isSample = ({ language, about }: Block): boolean => language === 'ts' && about === ''

/** Whether a sample holds members of a controller, not statements. */
export const isMembers = (block: Block): boolean => isSample(block) && /^ {2}\/\*\*/.test(block.text)

/** What `acmcp` exports, and whether it is a type only. */
const exported: readonly (readonly [name: string, isType: boolean])[] = (() => {
  const index = readFileSync('runtime/index.ts', 'utf8')
  return [...index.matchAll(/^export (type )?\{([^}]*)\}/gm)].flatMap(([, type, names = '']) =>
    names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '')
      .map((name) => [name.replace(/^type /, ''), type !== undefined || name.startsWith('type ')] as const),
  )
})()

/** The imports from `acmcp` that a text without imports needs. */
function importsFor(text: string, ...always: readonly string[]): string {
  const used = exported.filter(
    ([name]) => always.includes(name) || new RegExp(`(?<![\\w@.])${name}(?!\\w)`).test(text),
  )
  const names = used.map(([name, isType]) => (isType ? `type ${name}` : name))
  return names.length === 0 ? 'export {}\n' : `import { ${names.join(', ')} } from 'acmcp'\n`
}

function controllerOf({ text }: Block, number: number): string {
  const members = `export class Sample${number} extends ApplicationController {\n${text}}\n`
  return `${importsFor(text, 'ApplicationController')}\n/** A sample. */\n${members}`
}

/** A statement sample as a module. */
export const moduleOf = ({ text }: Block): string => (/^import /m.test(text) ? text : importsFor(text) + text)

/** A sample that the build refuses, or members of a page without application, as a file with a controller of its own. */
export function fileOf({ text }: Block, number: number): string {
  if (/^import /m.test(text)) return text
  const imports = importsFor(text, 'ApplicationController')
  if (/^export (abstract )?class/m.test(text)) return `${imports}\n${text}`
  const start = Math.max(text.search(/^ {2}\/\*\*/m), 0)
  const [before, members] = [text.slice(0, start), text.slice(start)]
  return `${imports}\n${before}\n/** A sample. */\nexport class Refused${number} extends ApplicationController {\n${members}}\n`
}

/** The folder of a stage below `root`. */
export const stageFolder = (root: string, { name }: Page, index: number): string =>
  join(root, `${name}-${index + 1}`)
