/** Which IP addresses a request made on a stranger's behalf may go to. */
import ipaddr from 'ipaddr.js'

const globalUnicast = ipaddr.parseCIDR('2000::/3')
/** The one address of a cloud's own services that no registry marks. Source: Azure, What is IP address 168.63.129.16. */
const ofTheCloud = '168.63.129.16'

/** Whether `address` is on the public internet: no private, loopback, link-local, shared, reserved or translated range. An
 *  IPv4 address inside an IPv6 one is judged as IPv4. Source: draft-ietf-oauth-client-id-metadata-document-02, 8.6. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  if (parsed.range() !== 'unicast' || parsed.toString() === ofTheCloud) return false
  return parsed.kind() === 'ipv4' || parsed.match(globalUnicast)
}

/** Whether `address` is this machine's own. */
export function isLoopbackAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback'
}

/** Which addresses a document may be fetched from: on this machine too with `allowLoopback`, for development. */
export const fetchableFrom =
  (allowLoopback: boolean) =>
  (address: string): boolean =>
    isPublicAddress(address) || (allowLoopback && isLoopbackAddress(address))
