import { spawn } from 'node:child_process'
import { win32 } from 'node:path'

/** The program that opens `address` and its arguments; null for what is no address of the web. No shell is between: the address may
 *  be of a stranger, and Windows' `cmd` takes an `&` in it for the end of a command. */
export function openerOf(
  address: string,
  platform: NodeJS.Platform,
  env: Readonly<Record<string, string | undefined>>,
): readonly [string, ...string[]] | null {
  if (!URL.canParse(address)) return null
  const { protocol, href } = new URL(address)
  if (protocol !== 'http:' && protocol !== 'https:') return null
  if (platform === 'darwin') return ['open', href]
  if (platform !== 'win32') return ['xdg-open', href]
  const windows = env.SystemRoot ?? 'C:\\Windows' // a bare name would be looked for in the current folder first
  return [win32.join(windows, 'System32', 'rundll32.exe'), 'url.dll,FileProtocolHandler', href]
}

/** Opens `address` in the user's browser; says so when there is none. */
export function openBrowser(address: string, warn: (line: string) => void): void {
  const opener = openerOf(address, process.platform, process.env)
  if (opener === null) {
    warn('acmcp: only http and https addresses are opened')
    return
  }
  const [program, ...args] = opener
  const child = spawn(program, args, { detached: true, stdio: 'ignore' })
  child.on('error', () => warn(`acmcp: no browser could be opened (${program})`))
  child.unref()
}
