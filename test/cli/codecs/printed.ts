/** Printed code as a module: what a compilation would write to `.acmcp/`, loaded without being written. */
import { runInThisContext } from 'node:vm'
import type { RouteCodec } from '../../../runtime/contract/route.ts'

const addressOf = (path: string): string => new URL(path, import.meta.url).href

const modules = {
  'acmcp/codec': addressOf('../../../runtime/http/codec/codec.js'),
}

/** The exported `codecs` of a module's text. */
export async function loadCodecs(text: string): Promise<Readonly<Record<string, RouteCodec>>> {
  const code = text.replace(/ from '(acmcp\/[a-z/]+)'/g, (all, name: string) =>
    name in modules ? ` from '${modules[name as keyof typeof modules]}'` : all,
  )
  const { codecs } = await import(`data:text/javascript,${encodeURIComponent(code)}`)
  return codecs
}

/** The exported `catalogue` of a module's text; it imports nothing. */
export const loadCatalogue = (text: string): ReturnType<typeof JSON.parse> =>
  runInThisContext(`(() => { ${text.replace(/^export /m, '')}; return catalogue })()`)
