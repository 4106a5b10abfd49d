/** Where a request comes from: the address alone, whatever a proxy writes beside it. Source: rules.md, rate limits. */
import type { Server } from 'node:http'
import { BlockList, isIP, type Socket } from 'node:net'
import type { TrustedProxies } from '../../contract/application.ts'

/** Asks every connection for its address when it comes, and Node keeps it: of a broken connection Node cannot tell it any more. */
export function rememberAddresses(server: Server): void {
  server.on('connection', (socket: Socket) => void socket.remoteAddress)
}

/** Whether the proxy at an address, so many hops away, is believed. */
export type IsTrusted = (address: string, hop: number) => boolean

/** What `trusted` says of one proxy. */
export function trustIn(trusted: TrustedProxies): IsTrusted {
  if (typeof trusted === 'number') return (_address, hop) => hop < trusted
  const list = new BlockList()
  for (const network of trusted) addTo(list, network)
  return (address) => {
    const plain = plainAddress(address)
    return plain !== null && list.check(plain, familyOf(plain))
  }
}

function addTo(list: BlockList, network: string): void {
  const [address = '', bits] = network.split('/')
  const family = familyOf(address)
  list.addSubnet(address, Number(bits ?? (family === 'ipv4' ? 32 : 128)), family)
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** An address as it stands in `X-Forwarded-For`, without its port and brackets; null when it is none. A connection that broke before it was
 *  taken has none. */
export function plainAddress(text: string | undefined): string | null {
  if (text === undefined) return null
  const trimmed = text.trim()
  if (isIP(trimmed) !== 0) return trimmed
  const [, inBrackets] = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(trimmed) ?? []
  const [, withPort] = /^([\d.]+):\d{1,5}$/.exec(trimmed) ?? []
  const address = inBrackets ?? withPort ?? ''
  return isIP(address) === 0 ? null : address
}
