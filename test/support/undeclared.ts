/** What packages require that their package.json does not name: found where an installer puts all of them into one folder, and
 *  nowhere where it links each package with its own alone. */
import { existsSync, readFileSync } from 'node:fs'
import Module from 'node:module'
import { join } from 'node:path'

type Resolve = (
  request: string,
  parent: { readonly filename?: string } | undefined,
  ...more: unknown[]
) => string

const loader = Module as unknown as { _resolveFilename: Resolve } // Node's own, which has no other way to hear of CommonJS

/** Fills, from now on and in this process, with `package → what it requires`. */
export function undeclaredRequests(): ReadonlySet<string> {
  const found = new Set<string>()
  const resolve = loader._resolveFilename
  loader._resolveFilename = (request, parent, ...more) => {
    const name = /^(?:@[^/]+\/)?[^./][^/]*/.exec(request)?.[0] ?? null
    const manifest = name === null || Module.isBuiltin(request) ? null : manifestAbove(parent?.filename)
    if (name !== null && manifest !== null && !manifest.names.has(name))
      found.add(`${manifest.name} → ${name}`)
    return resolve(request, parent, ...more)
  }
  return found
}

interface Manifest {
  readonly name: string
  /** Itself, and what it depends on. */
  readonly names: ReadonlySet<string>
}

/** That of the package in `node_modules` which holds a file. */
function manifestAbove(file = ''): Manifest | null {
  const [, folder] = /^(.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+)/.exec(file) ?? []
  if (folder === undefined || !existsSync(join(folder, 'package.json'))) return null
  const { name, dependencies, peerDependencies, optionalDependencies } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  )
  return {
    name,
    names: new Set([
      name,
      ...[dependencies, peerDependencies, optionalDependencies].flatMap((all) => Object.keys(all ?? {})),
    ]),
  }
}
