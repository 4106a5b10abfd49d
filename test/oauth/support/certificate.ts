/** A self-signed certificate for a test's own https server, made on the spot: no key lies in the repository. */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

export interface Certificate {
  readonly key: string
  readonly cert: string
}

const ecdsaWithSha256 = sequence(hex('06082a8648ce3d040302'))

/** For the given DNS names and for 127.0.0.1, valid in those years, none before 2000 or after 2049. Source: RFC 5280, 4.1. */
export function selfSigned(
  names: readonly string[],
  { from = 2020, until = 2049 }: { readonly from?: number; readonly until?: number } = {},
): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = sequence(tlv(0x31, sequence(hex('0603550403'), text(0x0c, 'acmcp test'))))
  const alternatives = names.map((host) => text(0x82, host))
  const extensions = [
    sequence(hex('0603551d11'), tlv(0x04, sequence(...alternatives, tlv(0x87, Buffer.from([127, 0, 0, 1]))))),
    sequence(hex('0603551d13'), hex('0101ff'), tlv(0x04, sequence(hex('0101ff')))),
  ]
  const toBeSigned = sequence(
    tlv(0xa0, hex('020102')),
    tlv(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    name,
    sequence(text(0x17, `${from - 2000}0101000000Z`), text(0x17, `${until - 2000}1231235959Z`)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, sequence(...extensions)),
  )
  const signature = tlv(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', toBeSigned, privateKey)]))
  const der = sequence(toBeSigned, ecdsaWithSha256, signature)
  const lines = der.toString('base64').replace(/.{64}/g, '$&\n')
  return {
    key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  }
}

function tlv(tag: number, content: Buffer): Buffer {
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tlv(0x30, Buffer.concat(parts))
}

function text(tag: number, value: string): Buffer {
  return tlv(tag, Buffer.from(value))
}

function hex(value: string): Buffer {
  return Buffer.from(value, 'hex')
}
