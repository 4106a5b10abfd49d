/** The reference UI of `/docs`: an optional peer, which the application installs. Its one script is served as it lies in the
 *  installed package; its Fastify plugin is not registered, so that tool calls keep the direct way. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { AppBundle } from '../../contract/bundle.ts'
import { lazy } from '../../lazy.ts'
import { BootError } from '../boot-error.ts'
import type { Environment } from '../environment.ts'
import type { ResolvedConfig } from '../resolved-config.ts'

/** As in `peerDependencies`: 1.44 is the last that brings its script in a file of its own, and runs on Node 20. */
const peer = { name: '@scalar/fastify-api-reference', range: '~1.44.9' } as const

export interface ReferenceUi {
  /** Reads it once. */
  readonly script: () => Promise<Uint8Array>
}

/** What `/docs` is shown with; null where it is not served: in production unless the configuration asks for it, in development
 *  while the peer is not installed. Throws `BootError` when it is asked for and cannot be. */
export function referenceUi(
  { folder }: Pick<AppBundle, 'folder'>,
  { pages: { docs } }: ResolvedConfig,
  { production }: Environment,
): ReferenceUi | null {
  if (!(docs ?? !production)) return null
  const file = scriptOfPeer(folder)
  const isThere = file !== null && existsSync(file)
  if (isThere && existsSync(openApiFile(folder))) return { script: lazy(() => readFile(file)) }
  if (docs === null) return null
  if (isThere)
    throw new BootError(`pages.docs: ${openApiFile(folder)} is missing: run acmcp build and deploy it`)
  const why = file === null ? 'is not installed' : 'is there in a version that is not served'
  throw new BootError(`pages.docs: ${peer.name} ${why}: npm install "${peer.name}@${peer.range}"`)
}

/** In words, what keeps `/docs` from being there that development would have; null = nothing does, or it is not wanted. */
export function missingForDocs(
  { folder }: Pick<AppBundle, 'folder'>,
  { pages: { docs } }: ResolvedConfig,
  { production }: Environment,
): string | null {
  if (production || docs === false) return null
  const file = scriptOfPeer(folder)
  if (file === null || !existsSync(file))
    return `The API is shown here when ${peer.name} is installed:\n\n  npm install "${peer.name}@${peer.range}"\n`
  return existsSync(openApiFile(folder))
    ? null
    : 'The API is shown here when generated/openapi.yml is there:\n\n  npx acmcp build\n'
}

/** What describes the API. */
export const openApiFile = (folder: string): string => join(folder, 'generated', 'openapi.yml')

/** Null where the application has no such package. */
function scriptOfPeer(folder: string): string | null {
  try {
    const main = createRequire(join(folder, 'package.json')).resolve(peer.name)
    return join(dirname(main), 'js', 'standalone.js')
  } catch {
    return null
  }
}
