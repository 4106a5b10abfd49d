/** `.env` of the application's folder: variables for development. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { BootError } from '../boot/boot-error.ts'

/** Sets the variables of the file that are not set yet, in this process and those that it starts; production has the real environment
 *  alone. Throws `BootError` when it cannot be read, or says that this is production. */
export function loadEnvFile(cwd: string): void {
  if (process.env.NODE_ENV === 'production') return
  const variables = Object.entries(readVariables(join(cwd, '.env')))
  if (variables.some(([name, value]) => name === 'NODE_ENV' && value === 'production'))
    throw new BootError(
      '.env says NODE_ENV=production, but production reads no .env: set it in the environment',
    )
  for (const [name, value] of variables) if (isSettable(name)) process.env[name] ??= value
}

/** What decides which code runs or whom it trusts is not for a file that comes with a folder; names are without case on Windows. */
function isSettable(name: string): boolean {
  const upper = name.toUpperCase()
  return upper === 'NODE_ENV' || !/^(NODE_|LD_|DYLD_|(BROWSER|PATH)$)/.test(upper)
}

function readVariables(file: string): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'not readable'
    if (code === 'ENOENT') return {}
    throw new BootError(`.env cannot be read (${code})`)
  }
}
