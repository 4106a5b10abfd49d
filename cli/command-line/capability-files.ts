/** What capabilities bring to the command line, found by where it lies: no file of the core names one. */
import { existsSync, readdirSync } from 'node:fs'
import type { BuildPart } from '../build/build-options.ts'

const room = new URL('../capabilities/', import.meta.url)

/** Where `path` exists in the folder of a capability, by the name of that. */
export const inCapabilities = (path: string): readonly URL[] =>
  readdirSync(room)
    .sort()
    .map((name) => new URL(`${name}/${path}`, room))
    .filter((found) => existsSync(found))

/** What capabilities add to a build: `build-part.ts` in the folder of each. */
export async function buildParts(): Promise<readonly BuildPart[]> {
  const modules = await Promise.all(
    inCapabilities('build-part.js').map(
      (file): Promise<{ readonly part: BuildPart }> => import(file.href), // what the file of that name exports
    ),
  )
  return modules.map(({ part }) => part)
}
