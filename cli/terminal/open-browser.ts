import { spawn } from 'node:child_process'

/** What opens an address on the platforms that have it under another name. */
const openers: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
}

/** Opens `address` in the user's browser; says so when there is none. */
export function openBrowser(address: string, warn: (line: string) => void): void {
  const [program, ...args] = openers[process.platform] ?? ['xdg-open']
  const child = spawn(program, [...args, address], { detached: true, stdio: 'ignore' })
  child.on('error', () => warn(`acmcp: no browser could be opened (${program})`))
  child.unref()
}
