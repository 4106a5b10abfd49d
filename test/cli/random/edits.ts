/** Random edits of an application, and the rule that a build which says that nothing changed is right. */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { built, write } from '../support/built-app.ts'

/** An edit of the application at `root`; the number makes it differ from the last. */
type Edit = (root: string, count: number) => void

const notes = 'app/controllers/notes.ts'

const read = (root: string, path: string): string => readFileSync(join(root, path), 'utf8')

const replace =
  (path: string, from: RegExp, to: (count: number) => string): Edit =>
  (root, count) => {
    if (existsSync(join(root, path))) write(root, path, read(root, path).replace(from, to(count)))
  }

const append =
  (path: string, text: (count: number) => string): Edit =>
  (root, count) =>
    write(root, path, (existsSync(join(root, path)) ? read(root, path) : '') + text(count))

const remove =
  (path: string): Edit =>
  (root) =>
    rmSync(join(root, path), { force: true, recursive: true })

const controller = (count: number): string => `import { Controller } from 'acmcp'
import type { Extra } from '../extra.ts'

export class Extras extends Controller {
  /**
   * Number ${count}.
   *
   * @get /
   */
  show(): Extra {
    return { value: ${count} }
  }
}
`

/** Some change what is built, some do not, some break it. */
export const edits: ReadonlyMap<string, Edit> = new Map<string, Edit>([
  ['nothing', () => {}],
  ['the same text again', (root) => write(root, notes, read(root, notes))],
  ['a comment', append(notes, (count) => `// ${count}\n`)],
  [
    'a text for models',
    replace(notes, /Adds a \w*\s?note/, (count) => `Adds a ${'very'.repeat(count % 3)} note`),
  ],
  [
    'a new type',
    (root, count) =>
      write(root, 'app/extra.ts', `export interface Extra { value: number; of${count}?: string }\n`),
  ],
  ['a new controller', (root, count) => write(root, 'app/controllers/extras.ts', controller(count))],
  ['a controller less', remove('app/controllers/extras.ts')],
  ['a type less', remove('app/extra.ts')],
  [
    'the version',
    (root, count) => write(root, 'package.json', `{"name":"shop","version":"1.2.${count}","type":"module"}`),
  ],
  ['the settings', (root, count) => write(root, 'tsconfig.json', settings(count % 2 === 0))],
  ['an edit by hand of the table', append('generated/routes.ts', (count) => `// ${count}\n`)],
  ['an output less', remove('generated/openapi.yml')],
  ['an edit by hand of the bundle', append('.acmcp/app.mjs', (count) => `// ${count}\n`)],
  ['a file beside', append('README.md', (count) => `${count}\n`)],
  [
    'the types of a package',
    (root, count) =>
      write(root, 'node_modules/other/index.d.ts', `export type Other = { a${count % 2}: string }\n`),
  ],
  ['a state that cannot be read', append('.acmcp/build.json', () => '}')],
  [
    'a file with the extension of JavaScript',
    append('app/models.js', (count) => `export const a = ${count}\n`),
  ],
])

const settings = (isExact: boolean): string =>
  JSON.stringify({
    compilerOptions: {
      module: 'nodenext',
      target: 'es2023',
      lib: ['es2023'],
      types: [],
      exactOptionalPropertyTypes: isExact,
      allowImportingTsExtensions: true,
    },
  })

const made = 'generated/routes.ts generated/paths.ts generated/openapi.yml generated/mcp.yml'
  .concat(' .acmcp/codecs.mjs .acmcp/catalogue.mjs .acmcp/app.mjs .acmcp/app.mjs.map')
  .split(' ')

export interface Walk {
  readonly builds: number
  /** How many builds said that nothing changed. */
  readonly skipped: number
  /** Builds that said so and were wrong. */
  readonly wrong: readonly string[]
}

/** Makes `count` random edits, builds after each, and repeats every build that was skipped without its state. */
export async function walk(root: string, count: number, seed: number): Promise<Walk> {
  write(root, 'tsconfig.json', settings(true))
  const names = fc.sample(fc.constantFrom(...edits.keys()), { numRuns: count, seed })
  const wrong: string[] = []
  let skipped = 0
  await built(root, 'overwrite')
  for (const [index, name] of names.entries()) {
    edits.get(name)?.(root, index)
    const { stdout, stderr } = await built(root, 'overwrite')
    if (stdout !== 'nothing changed\n') continue
    skipped += 1
    rmSync(join(root, '.acmcp/build.json'))
    const again = await built(root, 'overwrite')
    const isSame =
      again.stderr === stderr &&
      /; 0 files written\n((?:no tools|hidden from models): .*\n)?$/.test(again.stdout)
    if (!isSame || made.some((path) => !existsSync(join(root, path)))) wrong.push(`${index}: ${name}`)
  }
  return { builds: count, skipped, wrong }
}
