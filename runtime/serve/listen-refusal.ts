import { BootError } from '../boot/boot-error.ts'

/** Why the address could not be listened on, as one clear line; anything else as it is. */
export function listenRefusal(error: unknown, at: { readonly host: string; readonly port: number }): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const line = reasons.get(code)?.(at)
  return line === undefined ? error : new BootError(line, { cause: error })
}

type Reason = (at: { readonly host: string; readonly port: number }) => string

const noHost: Reason = ({ host }) =>
  `HOST: ${host} is no address of this machine: use 127.0.0.1, or 0.0.0.0 for every one`

const reasons: ReadonlyMap<string, Reason> = new Map([
  [
    'EADDRINUSE',
    ({ host, port }) => `port ${port} of ${host} is taken: stop what listens there, or set PORT to another`,
  ],
  ['EACCES', ({ port }) => `port ${port} may not be opened by this user: set PORT to one above 1023`],
  ['EADDRNOTAVAIL', noHost],
  ['ENOTFOUND', noHost],
  ['EAI_AGAIN', noHost],
])
