/** `.env` of the application's folder, which `acmcp dev` alone reads. */
import { join } from 'node:path'
import { BootError } from '../../boot/boot-error.ts'

/** Sets the variables of the file that are not set yet, in this process and those that it starts; none when there is no file. Throws `BootError` when
 *  it cannot be read. */
export function loadEnvFile(cwd: string): void {
  try {
    process.loadEnvFile(join(cwd, '.env'))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'not readable'
    if (code !== 'ENOENT') throw new BootError(`.env cannot be read (${code})`)
  }
}
