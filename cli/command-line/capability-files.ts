/** What capabilities bring to the command line, found by where it lies: no file of the core names one. */
import { existsSync, readdirSync } from 'node:fs'

const room = new URL('../capabilities/', import.meta.url)

/** Where `path` exists in the folder of a capability, by the name of that. */
export const inCapabilities = (path: string): readonly URL[] =>
  readdirSync(room)
    .sort()
    .map((name) => new URL(`${name}/${path}`, room))
    .filter((found) => existsSync(found))
