/** `.env` of the application's folder, which `acmcp dev` alone reads. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { BootError } from '../../boot/boot-error.ts'

/** Sets the variables of the file that are not set yet, in this process and so in those that it starts; none when there is no
 *  file. Throws `BootError` when it cannot be read. */
export function loadEnvFile(cwd: string): void {
  for (const [name, value] of Object.entries(parseEnv(textOf(join(cwd, '.env'))))) process.env[name] ??= value
}

/** `process.loadEnvFile` of Node 20 says of a file that may not be read that its argument has the wrong type. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/^\uFEFF/, '')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'not readable'
    if (code === 'ENOENT') return ''
    throw new BootError(`.env cannot be read (${code})`)
  }
}
