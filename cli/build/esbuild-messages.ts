/** What esbuild says, as diagnostics. */
import { fileNotLoaded } from '../compiler/diagnostics/bundle-diagnostics.ts'
import { noModule } from '../compiler/diagnostics/import-diagnostics.ts'
import type { Diagnostic } from '../compiler/diagnostics/source-diagnostics.ts'
import type { At } from '../compiler/ir/schema.ts'
import { noRequire, notBundled } from './build-diagnostics.ts'

interface EsbuildMessage {
  readonly id: string
  readonly text: string
  readonly location: {
    readonly file: string
    readonly line: number
    readonly column: number
    readonly lineText: string
    readonly length: number
  } | null
}

/** Of what esbuild warns of, that which the running bundle would do otherwise than the sources. */
export function warned(messages: readonly EsbuildMessage[]): readonly Diagnostic[] {
  return messages.flatMap(({ id, text, location }) => {
    if (id === 'unsupported-require-call') return [noRequire(placeIn(location), '…')]
    if (id !== 'empty-glob') return []
    const [, pattern = ''] = /\("(.*)"\)/.exec(text) ?? []
    const why = 'there is no such file: for sources write their own extension, .ts'
    return [noModule(placeIn(location), pattern, why)]
  })
}

/** Why esbuild failed. */
export function failed(error: unknown): readonly Diagnostic[] {
  const isFailure = error instanceof Error && 'errors' in error && Array.isArray(error.errors)
  const messages: readonly EsbuildMessage[] = isFailure ? (error.errors as readonly EsbuildMessage[]) : [] // its BuildFailure
  if (messages.length === 0) return [notBundled(placeIn(null), String(error))]
  return messages.map(
    ({ text, location }) => notModule(text, location) ?? notBundled(placeIn(location), text),
  )
}

/** A file that is no module, which Node.js would not import either. */
function notModule(text: string, location: EsbuildMessage['location']): Diagnostic | null {
  if (!text.startsWith('No loader is configured for ') || location === null) return null
  const { lineText, column, length } = location
  const written = Buffer.from(lineText)
    .subarray(column, column + length)
    .toString()
    .replace(/^['"`]|['"`]$/g, '')
  return fileNotLoaded(placeIn(location), written)
}

const placeIn = (location: EsbuildMessage['location']): At => {
  const { file, line, column } = location ?? { file: 'app', line: 1, column: 0 }
  return { file, line, column: column + 1 }
}
