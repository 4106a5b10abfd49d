/** What a tsconfig.json of the user's lacks for the editor and `build --typecheck` to take `app/` and `generated/`. */
import { join } from 'node:path'
import { ts } from '../../compiler/read/program/typescript.ts'

interface Need {
  readonly isMet: (options: ts.CompilerOptions) => boolean
  readonly text: string
}

/** By the defaults of TypeScript 6. */
const needs: readonly Need[] = [
  { isMet: ({ strict }) => strict === true, text: '"strict": true: the build reads types strictly' },
  {
    isMet: (options) =>
      options.allowImportingTsExtensions === true || options.rewriteRelativeImportExtensions === true,
    text: '"allowImportingTsExtensions": true with "noEmit": true: imports end in .ts',
  },
  {
    isMet: ({ moduleResolution }) => moduleResolution === undefined || !oldResolutions.has(moduleResolution),
    text: '"module": "nodenext" without another "moduleResolution": acmcp/testing is found by its exports',
  },
  {
    isMet: ({ types }) => types?.some((name) => name === 'node' || name === '*') === true,
    text: '"types": ["node"]: the application runs on Node',
  },
]

/** They know no `exports` of a package. */
const oldResolutions: ReadonlySet<number> = new Set([
  ts.ModuleResolutionKind.Classic,
  ts.ModuleResolutionKind.Node10,
])

/** A line for each option to set; `root` has a tsconfig.json, and the application's files are there. */
export function tsconfigNeeds(root: string): readonly string[] {
  const path = join(root, 'tsconfig.json')
  const { config, error } = ts.readConfigFile(path, ts.sys.readFile)
  if (error !== undefined) return ['tsconfig.json: it cannot be read; `npx acmcp build` says where']
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, root)
  const hasApp = fileNames.some((name) => name.replaceAll('\\', '/').endsWith('/app/config.ts'))
  return [
    ...needs.filter(({ isMet }) => !isMet(options)).map(({ text }) => `tsconfig.json: set ${text}`),
    ...(hasApp ? [] : ['tsconfig.json: add "app" and "generated" to "include"']),
  ]
}
