/** The grammar of `@icon ./file.png`, and the picture. Source: language.md, Method tags; MCP 2025-11-25, Icons. */
import { createHash } from 'node:crypto'
import type { Tag } from '../../compiler/read/jsdoc/tag.ts'
import type { TagSource } from '../../compiler/read/language.ts'
import { badIcon } from './diagnostics.ts'

/** A picture that clients show: `path` from the root of the application, `digest` of its bytes. */
export interface Icon {
  readonly path: string
  readonly digest: string
  readonly mimeType: string
  /** `48x48` or `any`; null = not known. */
  readonly size: string | null
  readonly base64: string
}

/** It stands in every list that has the tool. */
const maxBytes = 8192

/** The picture that a tag names; null after a report. */
export function readIcon(source: TagSource, tag: Tag): Icon | null {
  const icon = iconIn(source, tag)
  if (typeof icon !== 'string') return icon
  source.report(badIcon(tag.textAt, tag.text, icon))
  return null
}

/** The picture, or why it cannot be used. */
function iconIn({ host }: TagSource, { text, at }: Tag): Icon | string {
  if (!/^\.\.?\//.test(text)) return 'is no path that begins with ./ or ../'
  const kind = kinds.get(/\.(\w+)$/.exec(text)?.[1]?.toLowerCase() ?? '')
  if (kind === undefined) return 'is no .png, .jpg, .jpeg, .svg or .webp'
  const path = besides(at.file, text)
  const bytes = host.readBytes(`${host.root}/${path}`)
  if (bytes === null) return 'does not exist'
  if (bytes.length > maxBytes) return `has ${bytes.length} bytes, and at most ${maxBytes} are shown`
  const picture = Buffer.from(bytes)
  if (!kind.isSuch(picture)) return `is no picture of the type ${kind.mimeType}`
  return {
    path,
    digest: createHash('sha256').update(picture).digest('hex').slice(0, 16),
    mimeType: kind.mimeType,
    size: kind.sizeOf(picture),
    base64: picture.toString('base64'),
  }
}

/** Of a picture of the application, from the root on. */
function besides(file: string, written: string): string {
  const parts = file.split('/').slice(0, -1)
  for (const part of written.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '.') parts.push(part)
  }
  return parts.join('/')
}

interface Kind {
  readonly mimeType: string
  readonly isSuch: (picture: Buffer) => boolean
  /** `48x48`, `any`, or null where that is not worth looking for. */
  readonly sizeOf: (picture: Buffer) => string | null
}

const startsWith =
  (hex: string) =>
  (picture: Buffer): boolean =>
    picture.toString('hex', 0, hex.length / 2) === hex

const pngStart = '89504e470d0a1a0a0000000d49484452'
const png: Kind = {
  mimeType: 'image/png',
  isSuch: (picture) => picture.length >= 24 && startsWith(pngStart)(picture),
  sizeOf: (picture) => `${picture.readUInt32BE(16)}x${picture.readUInt32BE(20)}`,
}
const jpeg: Kind = { mimeType: 'image/jpeg', isSuch: startsWith('ffd8ff'), sizeOf: () => null }
const svg: Kind = {
  mimeType: 'image/svg+xml',
  isSuch: (picture) => /<svg[\s>]/.test(picture.toString()),
  sizeOf: () => 'any',
}
const webp: Kind = {
  mimeType: 'image/webp',
  isSuch: (picture) => /^RIFF.{4}WEBP/s.test(picture.toString('latin1', 0, 12)),
  sizeOf: () => null,
}

/** By the file's ending: what clients of MCP must and should show. */
const kinds: ReadonlyMap<string, Kind> = new Map([
  ['png', png],
  ['jpg', jpeg],
  ['jpeg', jpeg],
  ['svg', svg],
  ['webp', webp],
])
